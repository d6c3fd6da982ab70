"""Lead an engagement through its phases, and give priority back when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from service.rules.heartrush.creatures.lasting import without
from service.rules.heartrush.engagements.scene import EngagementFrame, PhaseRules
from service.rules.heartrush.engagements.stances import ChooseStance, can_choose, fill_helpless, reveal
from service.rules.heartrush.engagements.targets import is_one_sided
from service.rules.heartrush.means.timing import timing_of
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import changed, record


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

    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        ended = EngagementEnded(engagement=frame.path)
        return (yield from timing_of(state).after_engagement(ended, frame.targeted_side))
