"""Share a worker's attempts at webhooks fairly: a silent receiver delays its own webhook, and no other.

Laws. An owner has half of the attempts at most, and so have all silent hosts together. A host that did not
answer rests, longer each time, up to a minute; then one attempt at a time finds out whether it is back.
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
"""Silent hosts that are remembered."""


@dataclass(frozen=True)
class DeliveryTarget:
    """Whose attempt it is, and at which host."""

    webhook: str
    owner: str
    host: str

    @classmethod
    def at(cls, id_: str, webhook: Webhook | None) -> DeliveryTarget:
        """Return the aim of an attempt for the webhook *id_*; one that was ended is nobody's."""
        if webhook is None:
            return cls(id_, "", "")
        parts = urlsplit(webhook.url)
        return cls(id_, webhook.owner, f"{parts.scheme}://{parts.netloc}")


class DeliveryAttempts:
    """The attempts under way, by their names; any thread may ask."""

    def __init__(self, clock: Callable[[], float], pause: Callable[[str, int], float]) -> None:
        self._clock = clock
        self._pause = pause
        """How long a host rests after so many attempts without an answer, in seconds."""
        self._lock = Lock()
        self._under_way: dict[str, DeliveryTarget] = {}
        self._silences: dict[str, int] = {}
        self._rests: dict[str, float] = {}

    def fairly(self, aims: Sequence[DeliveryTarget]) -> list[DeliveryTarget]:
        """Return *aims* in turn by owner: each one's first, then each one's second, and so on."""
        turns: Counter[str] = Counter(self._owners())
        order: list[tuple[int, int, DeliveryTarget]] = []
        for place, aim in enumerate(aims):
            order.append((turns[aim.owner], place, aim))
            turns[aim.owner] += 1
        return [aim for _, _, aim in sorted(order, key=lambda each: each[:2])]

    def has_room(self, aim: DeliveryTarget) -> bool:
        """Tell whether one more attempt at *aim* may begin now."""
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
        """Note that it is over."""
        with self._lock:
            self._under_way.pop(name, None)

    def is_under_way(self, name: str) -> bool:
        """Tell whether the attempt *name* is under way here."""
        with self._lock:
            return name in self._under_way

    def answered(self, host: str, *, is_silent: bool) -> None:
        """Note whether *host* gave an answer, whatever it was."""
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
