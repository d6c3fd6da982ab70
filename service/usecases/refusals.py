"""Count what a seat was refused, and refuse a seat before its commands are on the record if it is too much.

A refused command is on the record and takes room of the owner's quota, which a player must not use up. So a
seat other than the GM's has a limit a minute of its own. Each API process counts the commands that it
appended.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Lock
from typing import Final

from service.caches import RecentCache
from service.log import Outcome
from service.record.commit import REFUSED, load_commit

PER_MINUTE: Final = 300
"""Refused commands of one seat in a minute."""

WINDOW_S: Final = 60.0
_SENT: Final = 20_000
_SEATS: Final = 20_000
_MARK: Final = f'"outcome":"{REFUSED}"'.encode()

Seat = tuple[str, str]
"""An encounter and one of its seats."""


class TooManyRefusals(Exception):
    """The seat was refused *most* commands in a minute, which ends in *seconds*."""

    def __init__(self, most: int, seconds: int) -> None:
        super().__init__(
            f"{most} commands of this seat were refused within a minute; try again in {seconds} seconds"
        )
        self.most = most
        self.seconds = seconds


class SeatRefusals:
    """The refusals of each seat in its current minute. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.most = PER_MINUTE
        """How many a seat may have; 0 means no limit."""
        self._clock = clock
        self._lock = Lock()
        self._sent: RecentCache[tuple[str, int], str] = RecentCache(_SENT)
        """The seats of commands that are not decided yet, by encounter and number."""
        self._early: RecentCache[tuple[str, int], bool] = RecentCache(_SENT)
        """Refused commands whose sender this process does not know: a worker may decide one before `sent`."""
        self._minutes: RecentCache[Seat, tuple[float, int]] = RecentCache(_SEATS)
        """When the minute of a seat began, and its refusals since."""

    def check(self, encounter: str, seat: str) -> None:
        """Return if the seat may append; raise `TooManyRefusals` otherwise."""
        began, count = self._minutes.get((encounter, seat)) or (0.0, 0)
        left = began + WINDOW_S - self._clock()
        if self.most and count >= self.most and 0 < left <= WINDOW_S:
            raise TooManyRefusals(self.most, math.ceil(left))

    def sent(self, encounter: str, seat: str, n: int, count: int) -> None:
        """Note that the seat appended *count* commands, the first of them with number *n*."""
        with self._lock:
            for place in ((encounter, number) for number in range(n, n + count)):
                if self._early.drop(place):
                    self._count(encounter, seat)
                else:
                    self._sent.put(place, seat)

    def hear(self, outcome: Outcome) -> None:
        """Count a command that this process appended if it was refused."""
        place = (outcome.encounter, outcome.n)
        is_refused = _MARK in outcome.raw and load_commit(outcome.raw).outcome == REFUSED
        with self._lock:
            seat = self._sent.drop(place)
            if is_refused and seat is None:
                self._early.put(place, True)  # noqa: FBT003 - it is there
            elif is_refused and seat is not None:
                self._count(outcome.encounter, seat)

    def count(self, encounter: str, seat: str) -> int:
        """Return how many commands the seat was refused in its last minute."""
        began, count = self._minutes.get((encounter, seat)) or (0.0, 0)
        return count if 0 <= self._clock() - began < WINDOW_S else 0

    def _count(self, encounter: str, seat: str) -> None:
        now = self._clock()
        began, count = self._minutes.get((encounter, seat)) or (now, 0)
        if not 0 <= now - began < WINDOW_S:
            began, count = now, 0
        self._minutes.put((encounter, seat), (began, count + 1))
