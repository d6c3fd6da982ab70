"""Remember for a second what the store says of each encounter, so that an answer costs one look at most."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Final, Generic, TypeVar

from service.log import LogError
from service.log.errors import running_loop

T = TypeVar("T")

FRESH_S: Final = 1.0
"""How old what a process knows may be."""

ON_LOOP_S: Final = 10.0
"""How old it may be on an event loop, which has it looked up meanwhile: an append is judged by the store."""


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
        age = now - known[0] if known is not None else -1.0
        if known is not None and 0 <= age < FRESH_S:
            return known[1]
        if known is not None and 0 <= age < ON_LOOP_S and (loop := running_loop()) is not None:
            self._keep(encounter, now, known[1])  # whoever asks meanwhile starts no second look
            loop.run_in_executor(None, self._renew, encounter)
            return known[1]
        return self._keep(encounter, now, self._look(encounter))

    def _renew(self, encounter: str) -> None:
        with suppress(LogError):  # whoever asks later looks by himself
            self._keep(encounter, self._clock(), self._look(encounter))

    def _keep(self, encounter: str, now: float, found: T) -> T:
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
