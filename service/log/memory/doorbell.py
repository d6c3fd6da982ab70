"""The doorbell of a memory log: encounters that wait for a fold, leases, listeners."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from service.log.keys import bucket_of
from service.log.memory.listener import MemoryListener
from service.log.protocol import ALL_BUCKETS
from service.log.values import CommandNotification, Outcome, StreamHead


class MemoryDoorbell:
    """Every bucket of the store, under the inheriting log's lock; *clock* returns monotonic seconds."""

    _lock: AbstractContextManager[Any]

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._dirty: dict[int, dict[str, int]] = {}
        self._notified_until: dict[int, float] = {}
        """The end of each bucket's ring, in monotonic seconds."""
        self._leases: dict[str, tuple[str, float]] = {}
        """The token and end of each lease."""
        self._listeners: list[MemoryListener[CommandNotification]] = []
        self._outcomes: list[MemoryListener[Outcome]] = []

    @abstractmethod
    def head(self, encounter: str) -> StreamHead | None:
        """Return the encounter's head."""

    def mark_dirty(self, encounter: str, at_ms: int) -> None:
        """Record that the encounter waits for a fold, since *at_ms* unless it has waited longer."""
        with self._lock:
            self._dirty.setdefault(bucket_of(encounter), {}).setdefault(encounter, at_ms)

    def dirty(self, buckets: Sequence[int], older_than: int, count: int = 1000) -> list[str]:
        """Return encounters that have waited since *older_than* or longer, the longest waiting first."""
        with self._lock:
            waiting = sorted(
                (at, encounter)
                for bucket, encounters in self._dirty.items()
                if bucket in buckets
                for encounter, at in encounters.items()
            )
            return [encounter for at, encounter in waiting if at <= older_than][:count]

    def clean(self, encounter: str) -> bool:
        """Remove the encounter from the dirty set if everything appended is folded."""
        with self._lock:
            head = self.head(encounter)
            if head is not None and head.appended != head.folded:
                return False
            return self._dirty.get(bucket_of(encounter), {}).pop(encounter, None) is not None

    def answer_notification(self, bucket: int) -> None:
        """Record that a fold of the bucket begins."""
        with self._lock:
            self._notified_until.pop(bucket, None)

    def _mark_notified(self, bucket: int, ttl_ms: int) -> bool:
        """Ring for the bucket; return False if a ring is unanswered."""
        if self._clock() < self._notified_until.get(bucket, 0.0):
            return False
        self._notified_until[bucket] = self._clock() + ttl_ms / 1000
        return True

    def hold_leases(self, names: Sequence[str], token: str, ttl_ms: int) -> list[bool]:
        """Take or prolong leases, except those that another token has."""
        with self._lock:
            held = [self._holder(name) in {None, token} for name in names]
            until = self._clock() + ttl_ms / 1000
            for name, is_held in zip(names, held, strict=True):
                if is_held:
                    self._leases[name] = (token, until)
            return held

    def release_lease(self, name: str, token: str) -> bool:
        """Free a lease if *token* has it."""
        with self._lock:
            if self._holder(name) != token:
                return False
            del self._leases[name]
            return True

    def notify(self, encounter: str) -> None:
        """Notify the listeners of the encounter's bucket that it has something to fold."""
        self._notify(CommandNotification(encounter, 0, b""))

    def _notify(self, wake: CommandNotification) -> int:
        """Return the number of listeners that heard it."""
        with self._lock:
            return sum(listener.hear(bucket_of(wake.encounter), wake) for listener in self._listeners)

    def _publish(self, outcome: Outcome) -> None:
        for listener in self._outcomes:
            listener.hear(bucket_of(outcome.encounter), outcome)

    def listen_commands(self, buckets: Sequence[int] = ALL_BUCKETS) -> MemoryListener[CommandNotification]:
        """Subscribe to the commands of *buckets*."""
        with self._lock:
            return MemoryListener(self._listeners, buckets)

    def listen_outcomes(self, buckets: Sequence[int] = ALL_BUCKETS) -> MemoryListener[Outcome]:
        """Subscribe to the commits of *buckets*."""
        with self._lock:
            return MemoryListener(self._outcomes, buckets)

    def _holder(self, name: str) -> str | None:
        token, until = self._leases.get(name, ("", 0.0))
        return token if self._clock() < until else None
