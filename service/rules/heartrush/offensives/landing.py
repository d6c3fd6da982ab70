"""Land what was won instead of attacks, after all attacks and their pushes, in the order it was won."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.hands import free_hands
from service.rules.heartrush.engagements.scene import Earned, EngagementFrame, PhaseRules
from service.rules.heartrush.gm.rulings import AdjudicationAsked
from service.rules.heartrush.movement.climbing import climb_onto
from service.rules.heartrush.offensives.grapple import seize
from service.rules.heartrush.offensives.hinder import hinder
from service.rules.heartrush.offensives.offensives import OffensiveFizzled, OffensiveLanded, OffensivesOver
from service.rules.heartrush.offensives.trying import ADJACENT_FT
from service.rules.heartrush.state import Creature, State, is_able_if_aware
from service.rules.kernel.messages import Awaited, Emits
from service.rules.kernel.rulebook import Rule, enforces

HR_OFF_3: Final = Rule(
    "HR-OFF-3",
    "Offensive actions land after all attack rolls; who has slipped away by then is not seized.",
    books.OFFENSIVES,
    settles=("A-51",),
)
HR_STUNT_1: Final = Rule(
    "HR-STUNT-1",
    "A stunt is a player's own idea: the GM allows it or not, and says by which check and what it does.",
    books.COMBAT.at("Other Offensive Actions"),
)


CLINGS = ("grapple", "climb")


class OffensivePhase(PhaseRules):
    """What was won lands, one after the other."""

    phases = ("offensive",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return ()

    @enforces(HR_OFF_3)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the next offensive action that lands or fizzles, or the end of them all."""
        if not frame.offensives:
            return (yield OffensivesOver(engagement=frame.path))
        earned = frame.offensives[0]
        reason = why_not(state, earned)
        if reason is not None:
            return (
                yield OffensiveFizzled(
                    engagement=frame.path, creature=earned.creature, target=earned.target, reason=reason
                )
            )
        state = yield OffensiveLanded(engagement=frame.path, creature=earned.creature, target=earned.target)
        return (yield from land(state, frame, earned))


def why_not(state: State, earned: Earned) -> str | None:
    """Return what keeps an offensive action from landing, None where it lands."""
    creature, target = state.creatures[earned.creature], state.creatures[earned.target]
    if not is_able_if_aware(creature):
        return "unable"
    if target.status not in ("active", "unconscious"):
        return "target_dead"
    what = earned.offensive.what
    apart = state.distance(creature, target) > ADJACENT_FT
    if what in CLINGS and apart and state.house.offensive_recheck_adjacency:
        return "not_adjacent"
    if what == "grapple":
        return cannot_seize(creature, target)
    if what == "climb" and creature.has("creature_climber"):
        return "already_climbing"
    return None


def cannot_seize(creature: Creature, target: Creature) -> str | None:
    """Return what keeps a grapple from landing: one of the two holds or is held, or no hand is free."""
    if target.has("grappled"):
        return "already_grappled"
    if creature.has("grappling"):
        return "already_grappling"
    return None if free_hands(creature) else "no_free_hand"


def land(state: State, frame: EngagementFrame, earned: Earned) -> Emits[State]:
    """Tell what an offensive action does."""
    creature, target, offensive = earned.creature, earned.target, earned.offensive
    path = f"{frame.path}/offensive/{creature}/{target}"
    if offensive.what == "grapple":
        return (yield from seize(state, creature, target))
    if offensive.what == "climb":
        return (yield from climb_onto(state, creature, target))
    if offensive.what == "hinder":
        return (yield from hinder(state, path, creature, target, offensive))
    return (yield from stunt(path, creature, target, offensive.text))


@enforces(HR_STUNT_1)
def stunt(path: str, creature: str, target: str, text: str) -> Emits[State]:
    """Emit the question to the GM whether a stunt is allowed, by which check and with what effect."""
    return (
        yield AdjudicationAsked(
            adjudication=path, about="stunt", creature=creature, text=f"{text} ({target})"
        )
    )
