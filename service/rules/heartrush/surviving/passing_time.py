"""Let time pass at the GM's word: at once, or round by round for who burns or has no air."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush.body.permission import gm
from service.rules.heartrush.creatures.state import DAY_S, HOUR_S, MINUTE_S, State
from service.rules.heartrush.surviving.upkeep import RoundEnding, due
from service.rules.heartrush.timing.clock import MOST_DAYS, at_rest, pass_time
from service.rules.heartrush.values import HoursPassed, PassingId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Days, Minutes, Reason, Seconds
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame, opened_by

HR_COND_28: Final = Rule(
    "HR-COND-28",
    "Outside combat each round's time hurts who burns or has no air, and uses up breath, as a round does.",
    RULING,
    settles=("A-68",),
    left_open="no book says what a fire or want of air does outside rounds",
)

BECAUSE: Final = ("HR-SVC-1", "A-68")
BY_ROUNDS: Final = ("HR-COND-28", "A-68")


@record
class DeclaredPassing:
    """How much time passes, and why."""

    seconds: Seconds
    reason: Reason


@record
class PassingFrame(DeclaredPassing, Frame[State]):
    """Time that passes round by round, because it hurts somebody; `seconds` are those still to pass."""

    kind: ClassVar[str] = "passing"
    harmed: bool = False
    """Whether the harm of this round's time is done."""

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        return (yield from pass_round(state, self))


@record
class TimeBegun(DeclaredPassing, Event[State]):
    """Time begins to pass round by round."""

    type: ClassVar[str] = "time_begun"
    passing: PassingId

    def evolve(self, state: State) -> State:
        frame = opened_by(self, PassingFrame, self.passing)
        return changed(state, rulings=state.rulings + 1).pushed(frame)


@record
class TimeHarmed(Event[State]):
    """The time of a round passes, and hurts who burns or has no air."""

    type: ClassVar[str] = "time_harmed"
    passing: PassingId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.passing, PassingFrame, harmed=True)


@record
class TimeTaken(Event[State]):
    """So much of the time has passed; with the last of it the passing is over."""

    type: ClassVar[str] = "time_taken"
    passing: PassingId
    seconds: Seconds

    def evolve(self, state: State) -> State:
        frame = state.frame(self.passing, PassingFrame)
        left = frame.seconds - self.seconds
        if not left:
            return state.popped(self.passing)
        return state.put(changed(frame, seconds=left, harmed=False))


def is_round_by_round(state: State, seconds: int) -> bool:
    """Return whether the next *seconds* hurt somebody outside combat."""
    return at_rest(state) and seconds >= state.house.round_seconds and bool(due(state))


@enforces(HR_COND_28)
def pass_round(state: State, frame: PassingFrame) -> Emits[State]:
    """Emit the harm of a round's time, then that it passes; the rest at once when it hurts nobody more."""
    if not frame.harmed and is_round_by_round(state, frame.seconds):
        state = yield TimeHarmed(passing=frame.path)
        path = f"{frame.path}/{state.clock_s}"
        return (yield RoundEnding(upkeep=path, queue=due(state), ends_round=False, because=BY_ROUNDS))
    seconds = state.house.round_seconds if frame.harmed else frame.seconds
    state = yield TimeTaken(passing=frame.path, seconds=seconds)
    return (yield from pass_time(state, seconds, frame.reason, BECAUSE))


@record
class AdvanceClock(Command[State]):
    """Let time pass on the campaign clock: days, hours, minutes and seconds added together."""

    type: ClassVar[str] = "advance_clock"
    sentence: ClassVar[str] = "Let time pass"
    days: Days = 0
    """How many days."""
    hours: HoursPassed = 0
    minutes: Minutes = 0
    """How many minutes."""
    seconds: Seconds = 0
    reason: Reason = ""

    def check(self, view: State) -> None:
        gm(self)
        if min(self.days, self.hours, self.minutes, self.seconds) < 0 or self._seconds() == 0:
            raise Refused("params_missing", "time passes forward, by a second at least", "A-68")
        if self._seconds() > MOST_DAYS * DAY_S:
            raise Refused("params_missing", f"at most {MOST_DAYS} days at once", "A-68")

    def _seconds(self) -> int:
        return self.days * DAY_S + self.hours * HOUR_S + self.minutes * MINUTE_S + self.seconds

    def decide(self, state: State) -> Emits[State]:
        seconds = self._seconds()
        if is_round_by_round(state, seconds):
            path = state.numbered("passing")
            return (yield TimeBegun(passing=path, seconds=seconds, reason=self.reason, because=BY_ROUNDS))
        return (yield from pass_time(state, seconds, self.reason, BECAUSE))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, choices={"minutes": (10, 60), "days": (0, 1)})
