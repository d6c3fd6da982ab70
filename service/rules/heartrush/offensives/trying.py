"""Begin what is done instead of an attack: its check is rolled in its own step, what it wins waits."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.hands import free_hands
from service.rules.heartrush.engagements.scene import EngagementFrame, Offensive
from service.rules.heartrush.engagements.stances import beats
from service.rules.heartrush.movement.climbing import ClimbTried
from service.rules.heartrush.offensives.grapple import GrappleTried
from service.rules.heartrush.offensives.offensives import OffensiveBegun, OffensiveResolved
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits
from service.rules.kernel.rulebook import Rule, enforces

HR_OFF_1: Final = Rule(
    "HR-OFF-1",
    "Only who directly beats the target's stance may do something else than attack; equal stances do not.",
    books.OFFENSIVES,
    settles=("A-41",),
)
HR_OFF_2: Final = Rule("HR-OFF-2", "An offensive action replaces the attack roll.", books.OFFENSIVES)


ADJACENT_FT = 5


@enforces(HR_OFF_1)
def directly_beats(state: State, stance: str, other: str) -> bool:
    """Tell whether an offensive action in *stance* is possible against a creature in *other*."""
    if other == "defensive" and not state.house.defensive_counts_as_beaten:
        return False
    return beats(stance, other)


@enforces(HR_OFF_2)
def forgo(
    state: State, frame: EngagementFrame, creature: str, target: str, offensive: Offensive
) -> Emits[State]:
    """Emit an offensive action in the place of an attack."""
    state = yield OffensiveBegun(engagement=frame.path, creature=creature, target=target, offensive=offensive)
    return (yield from attempt(state, frame, creature, target, offensive))


def attempt(
    state: State, frame: EngagementFrame, creature: str, target: str, offensive: Offensive
) -> Emits[State]:
    """Tell the check of an offensive action, or that it needs none."""
    path = f"{frame.path}/{frame.phase}/{creature}/{offensive.what}"
    if state.distance(state.creatures[creature], state.creatures[target]) > ADJACENT_FT:
        return (
            yield OffensiveResolved(
                engagement=frame.path,
                creature=creature,
                target=target,
                offensive=offensive,
                won=False,
                because=("HR-OFF-3", "A-51"),
            )
        )
    if offensive.what == "grapple":
        return (
            yield GrappleTried(
                contest=path,
                engagement=frame.path,
                creature=creature,
                target=target,
                offensive=offensive,
                hands=min(2, free_hands(state.creatures[creature])),
                because=("HR-GRAP-1",),
            )
        )
    if offensive.what == "climb":
        return (
            yield ClimbTried(
                contest=path,
                engagement=frame.path,
                creature=creature,
                target=target,
                offensive=offensive,
                because=("HR-CLIMB-1",),
            )
        )
    return (
        yield OffensiveResolved(
            engagement=frame.path,
            creature=creature,
            target=target,
            offensive=offensive,
            won=True,
            because=("HR-STUNT-1",) if offensive.what == "stunt" else ("HR-HIND-1",),
        )
    )
