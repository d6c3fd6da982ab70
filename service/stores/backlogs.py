"""Bound the commands that wait for their decision: of one encounter, of one seat's share of it, of one owner.

The store holds an encounter to its bound with each append. An owner's sum is over what each append of this
process told of its encounter; before a refusal the heads are read, at most once a second. So an owner may
have as much waiting by way of each API process.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Final

from service.caches import RecentCache
from service.log import EventLog, TooManyUndecided

OF_ENCOUNTER: Final = 2_000
"""Undecided commands of one encounter: some seconds of a worker's time, if it has nothing else to do."""

OF_SEATS: Final = OF_ENCOUNTER // 2
"""With how many undecided commands only the gm of the encounter may append more."""

OF_OWNER: Final = 10_000
"""Undecided commands of all encounters of one owner."""

READ_S: Final = 1.0
"""How often the heads of one owner's encounters are read at most."""

_PAGE: Final = 500
_OWNERS: Final = 10_000


class Backlog:
    """The undecided commands of one owner, as far as this process knows."""

    def __init__(self) -> None:
        self.undecided: dict[str, int] = {}
        """By encounter."""
        self.total = 0
        self.read_at = float("-inf")

    def note(self, encounter: str, undecided: int) -> None:
        """Note that as many commands of *encounter* are undecided now."""
        self.total += undecided - self.undecided.pop(encounter, 0)
        if undecided:
            self.undecided[encounter] = undecided


class OwnerBacklogs:
    """The backlogs of all owners. Thread-safe."""

    def __init__(self, log: EventLog, clock: Callable[[], float]) -> None:
        self._log = log
        self._clock = clock
        self._lock = Lock()
        self._of: RecentCache[str, Backlog] = RecentCache(_OWNERS)

    def check(self, owner: str, more: int) -> None:
        """Return if *owner* may append *more* commands; raise `TooManyUndecided` otherwise."""
        mine = self._of.get(owner)
        if mine is None or mine.total + more <= OF_OWNER:
            return
        now = self._clock()
        if not 0 <= now - mine.read_at < READ_S:
            self._read(mine)
            mine.read_at = now
        if mine.total + more > OF_OWNER:
            raise TooManyUndecided(mine.total, OF_OWNER)

    def appended(self, owner: str, encounter: str, undecided: int) -> None:
        """Note that as many commands of *encounter* are undecided after an append."""
        mine = self._of.get_or_add(owner, Backlog)
        with self._lock:
            mine.note(encounter, undecided)

    def _read(self, mine: Backlog) -> None:
        with self._lock:
            encounters = list(mine.undecided)
        for start in range(0, len(encounters), _PAGE):
            page = encounters[start : start + _PAGE]
            heads = [head for head, _ in self._log.tails([(each, 2**53 - 1) for each in page], 1)]
            with self._lock:
                for encounter, head in zip(page, heads, strict=True):
                    mine.note(encounter, 0 if head is None else head.undecided)
