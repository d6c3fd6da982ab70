"""Say who may act when: `Timing` lists everything in which the editions with priority and with turns differ.

The edition with priority is `ByPriority` in `priority.py`, that with turns is `InTurns` in `turns.py`. Below
are the speeds of the edition with turns: the permission matrix is the table `PERMITTED`, and the built-in
actions carry the tags of both editions in `BUILT_INS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple

from service.rules.heartrush import books
from service.rules.heartrush.sheets.abilities import Ability, Spell
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance

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


@record
class Timing:
    """One edition's way to say who may act when."""

    kind: ClassVar[str]
    """Its value of the option `timing`."""

    def begin(self, state: State, starter: str | None) -> Emits[State]:
        """Emit what follows when the GM grants the first priority; *starter* is a creature named to begin."""
        raise NotImplementedError

    def open(self, state: State, chance: Chance) -> Emits[State]:
        """Emit the dice that decide who begins, and the first priority or turn of the fight."""
        raise NotImplementedError

    def order_of_round(self, state: State) -> tuple[str, ...]:
        """Return the order of turns in a new round; empty without turns."""
        raise NotImplementedError

    def begin_round(self, state: State) -> Emits[State]:
        """Emit the first priority or turn of a later round."""
        raise NotImplementedError

    def after_engagement(self, ended: Event[State], targeted_side: str) -> Emits[State]:
        """Emit *ended*, the end of an engagement, and who may act after it."""
        raise NotImplementedError

    def check_action(self, view: State, creature: Creature, action: str) -> None:
        """Refuse a built-in action at a moment that is not its own."""
        raise NotImplementedError

    def check_ability(self, view: State, creature: Creature, definition: Ability | Spell) -> None:
        """Refuse an ability or spell that is no instant at a moment that is not its own."""
        raise NotImplementedError

    def assumed(self, state: State) -> tuple[str, ...]:
        """Return the abilities for which a timing is assumed, because none is printed."""
        raise NotImplementedError


def timing_of(state: State) -> Timing:
    """Return the timing that the house has chosen."""
    kind: type[Timing] = state.families.members(Timing)[state.house.timing]
    return kind()


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
