"""The doorbell of the log in memory: which encounters wait for a fold, who holds the bell, who listens."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from service.log.memory_listener import MemoryListener
from service.log.values import Head, Outcome, Wake


@dataclass
class _Shard:
    """One shard: waiting encounters by time, and who holds the bell until when (monotonic seconds)."""

    dirty: dict[str, int] = field(default_factory=dict)
    bell: tuple[str, float] | None = None


class MemoryDoorbell:
    """Every shard of the store, under the inheriting log's lock; *clock* gives monotonic seconds."""

    _lock: AbstractContextManager[Any]

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._shards: dict[int, _Shard] = {}
        self._wakes: dict[int, list[MemoryListener[Wake]]] = {}
        self._outcomes: list[MemoryListener[Outcome]] = []

    @abstractmethod
    def head(self, encounter: str) -> Head | None:
        """Read where the encounter stands."""

    def mark_dirty(self, shard: int, encounter: str, at_ms: int) -> None:
        """Note that the encounter waits for a fold, since *at_ms* unless it waits for longer."""
        with self._lock:
            self._shard(shard).dirty.setdefault(encounter, at_ms)

    def dirty(self, shard: int, older_than: int, count: int = 1000) -> list[str]:
        """Read encounters that wait since *older_than* or before, the longest waiting first."""
        with self._lock:
            waiting = sorted((at, encounter) for encounter, at in self._shard(shard).dirty.items())
            return [encounter for at, encounter in waiting if at <= older_than][:count]

    def clean(self, shard: int, encounter: str) -> bool:
        """Take the encounter from the dirty set if everything appended is folded."""
        with self._lock:
            head = self.head(encounter)
            if head is not None and head.appended != head.folded:
                return False
            return self._shard(shard).dirty.pop(encounter, None) is not None

    def ring(self, shard: int, ttl_ms: int) -> bool:
        """Ring unless somebody rang or holds the bell."""
        with self._lock:
            if self._holder(shard) is not None:
                return False
            self._set_bell(shard, "rung", ttl_ms)
            return True

    def hold_bell(self, shard: int, token: str, ttl_ms: int) -> bool:
        """Take over a rung or free bell, or prolong one's own."""
        with self._lock:
            if self._holder(shard) not in {None, "rung", token}:
                return False
            self._set_bell(shard, token, ttl_ms)
            return True

    def release_bell(self, shard: int, token: str) -> bool:
        """Free the bell if *token* holds it."""
        with self._lock:
            if self._holder(shard) != token:
                return False
            self._shard(shard).bell = None
            return True

    def wake(self, shard: int, encounter: str) -> None:
        """Tell whoever lingers on the shard that the encounter has something to fold."""
        self._wake(shard, Wake(encounter, 0, b""))

    def _wake(self, shard: int, wake: Wake) -> None:
        with self._lock:
            for listener in self._wakes.get(shard, ()):
                listener.hear(wake)

    def listen_wakes(self, shard: int) -> MemoryListener[Wake]:
        """Subscribe to the commands that wake the shard."""
        with self._lock:
            return MemoryListener(self._wakes.setdefault(shard, []))

    def listen_outcomes(self) -> MemoryListener[Outcome]:
        """Subscribe to every commit of every encounter."""
        with self._lock:
            return MemoryListener(self._outcomes)

    def _shard(self, shard: int) -> _Shard:
        return self._shards.setdefault(shard, _Shard())

    def _holder(self, shard: int) -> str | None:
        bell = self._shard(shard).bell
        return bell[0] if bell is not None and self._clock() < bell[1] else None

    def _set_bell(self, shard: int, holder: str, ttl_ms: int) -> None:
        self._shard(shard).bell = (holder, self._clock() + ttl_ms / 1000)
