"""Share a worker's webhook attempts fairly: a silent receiver delays only its own webhook.

Laws. One owner gets at most half of the attempts, and so do all silent hosts together. A host that did not
answer is left alone, longer each time, for up to a minute; then it gets one attempt at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from service.stores.webhooks import Webhook

THREADS: Final = 16
OF_AN_OWNER: Final = THREADS // 2
AT_SILENT_HOSTS: Final = THREADS // 2
OF_A_WEBHOOK: Final = 2
HOSTS: Final = 10_000
"""How many silent hosts are remembered."""


@dataclass(frozen=True)
class DeliveryTarget:
    """The webhook, owner and host of an attempt."""

    webhook: str
    owner: str
    host: str

    @classmethod
    def at(cls, id_: str, webhook: Webhook | None) -> DeliveryTarget:
        """Return the target of the webhook *id_*; owner and host are empty if it was deleted."""
        if webhook is None:
            return cls(id_, "", "")
        parts = urlsplit(webhook.url)
        return cls(id_, webhook.owner, f"{parts.scheme}://{parts.netloc}")


class DeliveryAttempts:
    """The attempts under way, by name. Thread-safe."""

    def __init__(self, clock: Callable[[], float], pause: Callable[[str, int], float]) -> None:
        self._clock = clock
        self._pause = pause
        """Returns how many seconds a host is left alone after a number of unanswered attempts."""
        self._lock = Lock()
        self._under_way: dict[str, DeliveryTarget] = {}
        self._silences: dict[str, int] = {}
        self._rests: dict[str, float] = {}

    def fairly(self, aims: Sequence[DeliveryTarget]) -> list[DeliveryTarget]:
        """Return *aims* round-robin by owner, counting the attempts under way."""
        turns: Counter[str] = Counter(self._owners())
        order: list[tuple[int, int, DeliveryTarget]] = []
        for place, aim in enumerate(aims):
            order.append((turns[aim.owner], place, aim))
            turns[aim.owner] += 1
        return [aim for _, _, aim in sorted(order, key=lambda each: each[:2])]

    def has_room(self, aim: DeliveryTarget) -> bool:
        """Return whether another attempt at *aim* may begin now."""
        with self._lock:
            aims = list(self._under_way.values())
            is_silent = aim.host in self._silences
            if is_silent and self._clock() < self._rests[aim.host]:
                return False
            at_silent = sum(each.host in self._silences for each in aims)
            return (
                len(aims) < THREADS
                and sum(each.owner == aim.owner for each in aims) < OF_AN_OWNER
                and sum(each.webhook == aim.webhook for each in aims) < OF_A_WEBHOOK
                and not (is_silent and (at_silent >= AT_SILENT_HOSTS or aim.host in {a.host for a in aims}))
            )

    def begin(self, name: str, aim: DeliveryTarget) -> None:
        """Note that the attempt *name* is under way."""
        with self._lock:
            self._under_way[name] = aim

    def end(self, name: str) -> None:
        """Note that the attempt *name* is over."""
        with self._lock:
            self._under_way.pop(name, None)

    def is_under_way(self, name: str) -> bool:
        """Return whether the attempt *name* is under way in this worker."""
        with self._lock:
            return name in self._under_way

    def answered(self, host: str, *, is_silent: bool) -> None:
        """Note whether *host* answered, with any status."""
        with self._lock:
            if not is_silent:
                self._silences.pop(host, None)
                self._rests.pop(host, None)
                return
            if len(self._silences) >= HOSTS and host not in self._silences:
                self._silences.clear()
                self._rests.clear()
            self._silences[host] = self._silences.get(host, 0) + 1
            self._rests[host] = self._clock() + self._pause(host, self._silences[host])

    def _owners(self) -> list[str]:
        with self._lock:
            return [each.owner for each in self._under_way.values()]
