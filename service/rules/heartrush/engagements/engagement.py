"""Lead an engagement through its phases, and give priority back when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.lasting import without
from service.rules.heartrush.engagements.scene import EngagementFrame, PhaseRules
from service.rules.heartrush.engagements.stances import ChooseStance, can_choose, fill_helpless, reveal
from service.rules.heartrush.engagements.targets import is_one_sided
from service.rules.heartrush.means.timing import by_turns
from service.rules.heartrush.rounds.priority import PriorityGranted
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces

HR_PRIO_9: Final = Rule(
    "HR-PRIO-9",
    "After an engagement priority goes to the side that was targeted when it was declared.",
    books.MECHANICS.at("Example of Combat"),
    settles=("A-72",),
)
HR_TIME_11: Final = Rule(
    "HR-TIME-11",
    "In turns play goes back after an engagement to the turn it interrupted.",
    books.COMBAT_IN_TURNS,
)


@record
class EngagementEnded(Event[State]):
    """An engagement is over."""

    type: ClassVar[str] = "engagement_ended"
    engagement: str

    def evolve(self, state: State) -> State:
        if state.lasting:
            state = changed(state, lasting=without(state, "engagement"))
        return state.popped(self.engagement)


class Committing(PhaseRules):
    """Everybody who can chooses a stance; the others stand helpless."""

    phases = ("commit",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return tuple(
            frame.awaited(state, "stance", name, ChooseStance.type) for name in self._choosing(state, frame)
        )

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        return any(True for _ in self._choosing(state, frame))

    @staticmethod
    def _choosing(state: State, frame: EngagementFrame) -> Iterator[str]:
        if is_one_sided(state, frame):
            return
        for name, part in frame.participants.items():
            if part.stance is None and can_choose(state, name):
                yield name

    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        helpless = next((name for name, part in frame.participants.items() if part.stance is None), None)
        if helpless is not None:
            return (yield from fill_helpless(state, frame, helpless))
        return (yield from reveal(state, frame))


class Closing(PhaseRules):
    """Everything is done."""

    phases = ("closing",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return ()

    @enforces(HR_PRIO_9)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the end of the engagement, and the priority or the turn that follows."""
        if by_turns(state):
            return (yield from return_to_the_turn(frame))
        yield EngagementEnded(engagement=frame.path, because=("HR-RES-6",))
        return (yield PriorityGranted(side=frame.targeted_side))


@enforces(HR_TIME_11)
def return_to_the_turn(frame: EngagementFrame) -> Emits[State]:
    """Emit the end of an engagement in the edition with turns; the interrupted turn goes on."""
    return (yield EngagementEnded(engagement=frame.path))
