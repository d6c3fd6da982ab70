"""Say when abilities may be used, in both editions: with priority, or in turns by slow, quick and instant.

The permission matrix is the table `PERMITTED`; the built-in actions carry the tags of both editions in
`BUILT_INS`. This file only refuses; whose turn it is next stands in `turns.py`, who has priority in
`priority.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from service.rules.heartrush import books
from service.rules.heartrush.sheets.abilities import Ability, Spell, is_instant
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import Rule, enforces

HR_TIME_10: Final = Rule(
    "HR-TIME-10",
    "In turns engaging, casting and dashing are slow, sidestep, object and help quick, reactions instant.",
    books.COMBAT_IN_TURNS,
)
HR_TIME_5: Final = Rule(
    "HR-TIME-5",
    "In turns whatever is not passive is slow, quick or instant; without such a tag it counts as slow.",
    books.BASICS.at("Timing Tags"),
    settles=("A-47",),
)
HR_TIME_1: Final = Rule(
    "HR-TIME-1",
    "In the priority edition all that is neither passive nor instant needs priority, tagged or not.",
    books.CHECKS.at("Timing Tag"),
)
HR_TIME_2: Final = Rule(
    "HR-TIME-2",
    "What is slow is used only in the creature's own turn, and never in an engagement.",
    books.BASICS.at("Timing Tags"),
)
HR_TIME_3: Final = Rule(
    "HR-TIME-3",
    "What is quick is used in one's own turn or an ally's, never in an enemy's or in an engagement.",
    books.BASICS.at("Timing Tags"),
)


Speed = Literal["slow", "quick", "instant"]
Place = Literal["own_turn", "ally_turn", "enemy_turn", "engagement", "interrupting"]

PERMITTED: Final[Mapping[Speed, tuple[Place, ...]]] = MappingProxyType(
    {
        "slow": ("own_turn",),
        "quick": ("own_turn", "ally_turn"),
        "instant": ("own_turn", "ally_turn", "enemy_turn", "engagement", "interrupting"),
    }
)
"""Where an ability of each speed may be used in the turn edition."""


class Tags(NamedTuple):
    """When a built-in action may be used: its tag in the priority edition, and in the turn edition."""

    priority: Literal["priority", "instant"]
    turns: Speed


BUILT_INS: Final[Mapping[str, Tags]] = MappingProxyType(
    {
        "engage": Tags("priority", "slow"),
        "cast": Tags("priority", "slow"),
        "dash": Tags("priority", "slow"),
        "sidestep": Tags("priority", "quick"),
        "object": Tags("priority", "quick"),
        "help": Tags("priority", "quick"),
        "call_out": Tags("priority", "slow"),
        "join_engagement": Tags("instant", "instant"),
        "trip": Tags("instant", "instant"),
        "opportunity_attack": Tags("instant", "instant"),
    }
)


def by_turns(state: State) -> bool:
    """Tell whether creatures take turns, rather than sides passing priority."""
    return state.house.timing == "turns"


@enforces(HR_TIME_10)
def built_in_speed(action: str) -> Speed:
    """Return the speed of the built-in *action* in the edition with turns."""
    return BUILT_INS[action].turns if action in BUILT_INS else "slow"


@enforces(HR_TIME_5)
def speed_in_turns(definition: Ability | Spell) -> Speed:
    """Return the speed of an ability or spell in the edition with turns."""
    if isinstance(definition, Spell):
        return "instant" if definition.instant else "slow"
    timing = definition.timing
    return timing if timing == "quick" or timing == "instant" else "slow"  # noqa: PLR1714 - membership narrows no type


@enforces(HR_TIME_1)
def needs_priority(definition: Ability | Spell) -> bool:
    """Tell whether an ability or spell needs priority."""
    return not is_instant(definition)


def assumed_slow(definition: Ability | Spell) -> bool:
    """Tell whether nothing is printed that says when *definition* is used in turns."""
    return (
        isinstance(definition, Ability)
        and definition.frequency != "passive"
        and definition.timing not in ("slow", "quick", "instant")
    )


def whose_turn(state: State) -> Creature | None:
    """Return the creature whose turn it is, if it is anybody's."""
    if state.phase != "turn" or state.turn >= len(state.turns):
        return None
    return state.creatures[state.turns[state.turn]]


def place_of(state: State, creature: Creature) -> Place:
    """Return where *creature* stands in the order of things now."""
    if any(frame.kind == "engagement" for frame in state.stacks.table):
        return "engagement"
    at_turn = whose_turn(state)
    top = state.top
    if at_turn is None or (top is not None and top.kind != "combat"):
        return "interrupting"
    if at_turn.id == creature.id:
        return "own_turn"
    return "ally_turn" if at_turn.side == creature.side else "enemy_turn"


def check_turn(view: State, creature: Creature, speed: Speed) -> None:
    """Refuse what the turn edition does not allow *creature* now."""
    place = place_of(view, creature)
    if place in PERMITTED[speed]:
        return
    if place == "interrupting":
        code = "not_ally_turn" if speed == "quick" else "not_your_turn"
        raise Refused(code, "nothing but an instant is used while something else resolves", "HR-TIME-2")
    if place == "engagement":
        raise Refused("engagement_in_progress", "only instants are used in an engagement", "HR-TIME-2")
    if speed == "quick":
        check_quick(creature)
    check_slow(creature)


@enforces(HR_TIME_2)
def check_slow(creature: Creature) -> None:
    """Refuse a slow ability out of the creature's own turn."""
    raise Refused("not_your_turn", f"it is not {creature.id}'s turn")


@enforces(HR_TIME_3)
def check_quick(creature: Creature) -> None:
    """Refuse a quick ability out of the turns of the creature and its allies."""
    raise Refused("not_ally_turn", f"it is no turn of {creature.side}")
