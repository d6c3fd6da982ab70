"""Take the might step, the last of the three, in which a thrown weapon may be followed by another."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.engagements.follow_up import awaited, forgone
from service.rules.heartrush.engagements.scene import EngagementFrame, PhaseRules
from service.rules.heartrush.engagements.steps import declaring, owing, take_step
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Emits
from service.rules.kernel.rulebook import Rule, enforces

HR_STANCE_MIG_1: Final = Rule(
    "HR-STANCE-MIG-1",
    "Might attacks last: one attack each, on a creature that is not in agility.",
    (books.MECHANICS.at("Engagements"), books.COMBAT.at("Might")),
)


class MightStep(PhaseRules):
    """The might step."""

    phases = ("might",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return awaited(state, frame) or declaring(state, frame)

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        return bool(awaited(state, frame) or owing(state, frame))

    @enforces(HR_STANCE_MIG_1)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the next part of the might step."""
        if frame.following is not None:
            return (yield from forgone(frame))
        return (yield from take_step(state, frame))
