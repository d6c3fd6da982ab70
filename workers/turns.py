"""Give everybody a turn: the encounters that wait for a fold, round-robin by owner, then by encounter.

Laws. One round takes commands one by one from each owner in turn, and for one owner from each of its
encounters in turn. Every owner in a round has an equal share of the round's time, and at least one command is
decided for it. So what one owner sends delays another by a round at most, however much it is.

An owner who used little of the processor lately is light. Light owners have a round before the others, never
two in a row, and the rounds of the others are short while there are light ones.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final

from service.log.values import CommandNotification

ROUND: Final = 64
"""Commands of one round."""

ROUND_S: Final = 0.01
"""Seconds of the processor for one round, if each decision takes less than its owner's share."""

BESIDE_S: Final = 0.002
"""The same for a round of others while there are light owners."""

LIGHT: Final = 0.05
"""The share of a processor up to which an owner is light."""

RECENT_S: Final = 1.0
"""How long what an owner used counts: it fades by this time constant."""

REMEMBERED: Final = 10_000
"""How many owners' uses are kept before faded ones are dropped."""

FADED_S: Final = 20 * RECENT_S
"""When a use has faded."""

KEPT: Final = 256
"""Notified commands of one encounter that are kept in memory; if there are more, its turns read the store."""


class TurnTime:
    """The processor time of one owner in one round; measured while it is entered.

    Time in which the thread waits for a processor is not the owner's doing, and does not count.
    """

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._since: float | None = None
        self.used = 0.0
        """Seconds that were used while it was entered."""

    @property
    def is_over(self) -> bool:
        """Whether the owner's share is spent."""
        running = 0.0 if self._since is None else time.thread_time() - self._since
        return self._left <= running

    def __enter__(self) -> None:
        self._since = time.thread_time()

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        assert self._since is not None, "it was entered"
        used = time.thread_time() - self._since
        self._left -= used
        self.used += used
        self._since = None


@dataclass
class Turn:
    """What one encounter does in one round."""

    encounter: str
    time: TurnTime
    notified: list[CommandNotification] = field(default_factory=list)
    """The commands to decide, in order, if it does not read the store."""
    reads: bool = False
    """Whether it reads its commands from the store."""


class _Waiting:
    """One waiting encounter."""

    __slots__ = ("encounter", "notified", "owner", "reads")

    def __init__(self, encounter: str, owner: str) -> None:
        self.encounter = encounter
        self.owner = owner
        self.notified: deque[CommandNotification] = deque()
        self.reads = False

    def read(self) -> None:
        """Leave the commands to the store, which has all of them."""
        self.reads = True
        self.notified.clear()

    def check(self) -> None:
        """Leave the commands to the store if they are many, or if it is read anyhow."""
        if self.reads or len(self.notified) > KEPT:
            self.read()


class _Uses:
    """What owners used of the processor lately."""

    def __init__(self) -> None:
        self._used: dict[str, tuple[float, float]] = {}
        """Seconds of the processor by owner, and when (monotonic) that was noted."""
        self._running: dict[str, TurnTime] = {}
        self._since = 0.0
        """When the running round began (monotonic)."""

    def begin(self, times: dict[str, TurnTime], now: float) -> None:
        """Note what the times of the last round used; *times* are those of the next."""
        for owner, time_ in self._running.items():
            if time_.used:
                self._used[owner] = (self.of(owner, self._since) + time_.used, self._since)
        self._running, self._since = times, now
        if len(self._used) > REMEMBERED:
            self._used = {each: used for each, used in self._used.items() if now - used[1] < FADED_S}

    def of(self, owner: str, now: float) -> float:
        """Return the seconds that *owner* used lately."""
        used, since = self._used.get(owner, (0.0, now))
        return used * math.exp((since - now) / RECENT_S)


class Turns:
    """The waiting encounters, in the order of their turns. Belongs to one thread."""

    def __init__(self, owner_of: Callable[[str], str]) -> None:
        """Begin with none; *owner_of* returns the owner of an encounter that begins to wait."""
        self._owner_of = owner_of
        self._uses = _Uses()
        self._was_light = False
        """Whether the last round was of light owners alone."""
        self._light_until = 0.0
        """Until when (monotonic seconds) the rounds of others are short."""
        self._owners: OrderedDict[str, OrderedDict[str, _Waiting]] = OrderedDict()
        self._waiting: dict[str, _Waiting] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, encounter: str) -> bool:
        return encounter in self._waiting

    def notify(self, notification: CommandNotification) -> None:
        """Let the notified encounter wait, with the command behind those that wait already."""
        waiting = self._of(notification.encounter)
        waiting.notified.append(notification)
        waiting.check()

    def read(self, encounter: str, *, first: bool = False) -> None:
        """Let *encounter* wait for a turn that reads the store; *first*: as the next of its owner."""
        waiting = self._of(encounter)
        waiting.read()
        if first:
            self._owners[waiting.owner].move_to_end(encounter, last=False)

    def put_back(self, encounter: str, notified: Sequence[CommandNotification]) -> None:
        """Let *encounter* wait, as the next of its owner, with what its turn left undecided."""
        waiting = self._of(encounter)
        waiting.notified.extendleft(reversed(notified))
        waiting.check()
        self._owners[waiting.owner].move_to_end(encounter, last=False)

    def take(self) -> list[Turn]:
        """Return the next round, which waits no longer."""
        turns: dict[str, Turn] = {}
        times: dict[str, TurnTime] = {}
        now = time.monotonic()
        self._uses.begin(times, now)
        owners, seconds = self._next_owners(now)
        share = seconds / max(1, min(ROUND, len(owners)))
        for _ in range(ROUND):
            if not owners:
                break
            owner = owners.popleft()
            waiting = next(iter(self._owners[owner].values()))
            turn = turns.get(waiting.encounter)
            if turn is None:
                shared = times.setdefault(owner, TurnTime(share))
                turn = turns[waiting.encounter] = Turn(waiting.encounter, shared, reads=waiting.reads)
            if waiting.notified:
                turn.notified.append(waiting.notified.popleft())
            if waiting.notified:
                self._owners[owner].move_to_end(waiting.encounter)
            else:
                self._drop(waiting)
            if owner in self._owners:
                self._owners.move_to_end(owner)
                owners.append(owner)
        return list(turns.values())

    def _next_owners(self, now: float) -> tuple[deque[str], float]:
        """Return the owners of the next round, in order, and the seconds that they share."""
        light = deque(owner for owner in self._owners if self._uses.of(owner, now) <= LIGHT * RECENT_S)
        has_others = len(light) < len(self._owners)
        if light:
            self._light_until = now + RECENT_S
        self._was_light = bool(light) and has_others and not self._was_light
        if self._was_light or not has_others:
            return light, ROUND_S
        others = deque(self._owners)
        return others, BESIDE_S if now < self._light_until else ROUND_S

    def drop(self, which: Callable[[str], bool] = lambda _encounter: True) -> None:
        """Forget every waiting encounter for which *which* returns True."""
        for waiting in [each for each in self._waiting.values() if which(each.encounter)]:
            self._drop(waiting)

    def _of(self, encounter: str) -> _Waiting:
        waiting = self._waiting.get(encounter)
        if waiting is None:
            waiting = self._waiting[encounter] = _Waiting(encounter, self._owner_of(encounter))
            self._owners.setdefault(waiting.owner, OrderedDict())[encounter] = waiting
        return waiting

    def _drop(self, waiting: _Waiting) -> None:
        del self._waiting[waiting.encounter]
        mine = self._owners[waiting.owner]
        del mine[waiting.encounter]
        if not mine:
            del self._owners[waiting.owner]
