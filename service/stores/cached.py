"""Remember for a second what the store says of each encounter, so that an answer costs one look at most.

On an event loop what is older is looked up behind the requests, that of all encounters in one round trip.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import Final, Generic, TypeVar

from service.caches import RecentCache
from service.log import LogError
from service.log.errors import running_loop

T = TypeVar("T")

Looks = Callable[[Sequence[str]], Sequence[T]]
"""Returns what the store says of each of several encounters, in one round trip."""

FRESH_S: Final = 1.0
"""Seconds for which a cached value is used."""

ON_LOOP_S: Final = 10.0
"""Seconds for which an event loop uses it while a thread refreshes it; the store checks each append."""

GATHERED_S: Final = 0.25
"""How long an event loop gathers encounters for one look at the store."""


class CachedLookup(Generic[T]):
    """The results of *look* for the latest encounters, each looked up at most once a second."""

    def __init__(
        self,
        look: Callable[[str], T],
        clock: Callable[[], float],
        capacity: int = 10_000,
        *,
        looks: Looks[T] | None = None,
    ) -> None:
        """Ask *look* for one encounter, and *looks* for several where it is given."""
        self._look = look
        self._looks: Looks[T] = looks or (lambda encounters: [look(each) for each in encounters])
        self._clock = clock
        self._known: RecentCache[str, tuple[float, T]] = RecentCache(capacity)
        self._old: set[str] = set()
        """Encounters that the loop has looked up soon."""
        self._lock = Lock()

    def of(self, encounter: str) -> T:
        """Return the value of *encounter*, at most `FRESH_S` old (`ON_LOOP_S` on an event loop)."""
        now = self._clock()
        known = self._known.get(encounter)
        if known is not None:
            age = now - known[0]
            if 0 <= age < FRESH_S:
                return known[1]
            if 0 <= age < ON_LOOP_S and (loop := running_loop()) is not None:
                self._renew_soon(loop, encounter)
                return known[1]
        return self.anew(encounter)

    def anew(self, encounter: str) -> T:
        """Return the value of *encounter* as it is now."""
        now = self._clock()
        found = self._look(encounter)
        self._known.put(encounter, (now, found))
        return found

    def note(self, encounter: str, found: T) -> None:
        """Take *found* for the value of *encounter* now, because it follows from what was just looked up."""
        self._known.put(encounter, (self._clock(), found))

    def _renew_soon(self, loop: AbstractEventLoop, encounter: str) -> None:
        """Have *encounter* looked up, together with all others that are asked for until then."""
        with self._lock:
            is_first = not self._old
            self._old.add(encounter)
        if is_first:
            loop.call_later(GATHERED_S, loop.run_in_executor, None, self._renew)

    def _renew(self) -> None:
        """Look up the entries that are old; an entry that is read meanwhile is looked up again."""
        with self._lock:
            old, self._old = tuple(self._old), set()
        now = self._clock()
        with suppress(LogError):  # a later reader looks it up again
            for encounter, found in zip(old, self._looks(old), strict=True):
                self._known.put(encounter, (now, found))

    def forget(self, encounter: str) -> None:
        """Drop the cached value of *encounter*."""
        self._known.drop(encounter)
