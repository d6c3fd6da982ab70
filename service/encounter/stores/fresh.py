"""Remember for a second what the store says of each encounter, so that an answer costs one look at most."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar

T = TypeVar("T")

FRESH_S: Final = 1.0
"""How old what a process knows may be."""


class Fresh(Generic[T]):
    """What *look* tells of the encounters last asked for, looked up once a second at most."""

    def __init__(self, look: Callable[[str], T], clock: Callable[[], float], capacity: int = 10_000) -> None:
        self._look = look
        self._clock = clock
        self._capacity = capacity
        self._known: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = Lock()

    def of(self, encounter: str) -> T:
        """Return what this process can know of *encounter*."""
        now = self._clock()
        with self._lock:
            known = self._known.get(encounter)
        if known is not None and 0 <= now - known[0] < FRESH_S:
            return known[1]
        found = self._look(encounter)
        with self._lock:
            self._known[encounter] = (now, found)
            self._known.move_to_end(encounter)
            if len(self._known) > self._capacity:
                self._known.popitem(last=False)
        return found

    def forget(self, encounter: str) -> None:
        """Look anew when *encounter* is asked for again."""
        with self._lock:
            self._known.pop(encounter, None)
