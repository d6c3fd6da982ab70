"""Forbid what conditions forbid: acting at all, acting after moving, coming nearer to what one fears.

`permission.acting` asks here in the ledger's order; a creature in good health costs one look.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.state import Creature
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_START_7: Final = Rule(
    "HR-START-7",
    "A surprised creature uses no abilities and does not move in round 1; others may strike at it.",
    books.COMBAT,
)
HR_COND_26: Final = Rule(
    "HR-COND-26",
    "The unconscious do nothing, like the incapacitated, until their hit points are above zero.",
    (books.MECHANICS.at("Zero Hit Points"), RULING),
)
HR_COND_6: Final = Rule(
    "HR-COND-6",
    "The stunned have no speed, no actions, abilities, speech or attacks, and stand helpless.",
    books.CONDITIONS.at("Stunned"),
)
HR_COND_7: Final = Rule(
    "HR-COND-7",
    "The incapacitated do nothing but speak, and enemies may strike at them whenever they can pay.",
    books.CONDITIONS.at("Incapacitated"),
)


MOVES: Final = ("dash", "sidestep")
SPELLS: Final = ("cast",)
ACTS: Final = (
    *SPELLS,
    "engage",
    "join_engagement",
    "help",
    "object",
    "drink_potion",
    "opportunity_attack",
    "trip",
    "use_ability",
    "declare_instant",
    "break_free",
    "shake_off",
    "douse",
    "steady",
)


def check_able(creature: Creature, command: str, allow: tuple[str, ...]) -> None:
    """Refuse what *creature* cannot do in the state it is in; *allow* excuses states."""
    if creature.status != "active":
        check_alive(creature)
        check_conscious(creature)
    if creature.conditions:
        if "stunned" not in allow:
            check_stunned(creature)
        if "incapacitated" not in allow:
            check_incapacitated(creature)
    if creature.surprised and "surprised" not in allow:
        refuse_surprised(creature)
    if creature.conditions:
        check_confused(creature, command)


@enforces(HR_START_7)
def refuse_surprised(creature: Creature) -> None:
    """Refuse what a surprised creature tries."""
    raise Refused("surprised", f"{creature.id} is surprised")


def check_alive(creature: Creature) -> None:
    """Refuse the dead, and who has left the fight."""
    if creature.status == "gone":
        raise Refused("dead", f"{creature.id} has left the fight", "HR-SVC-1")
    if creature.status == "dead":
        raise Refused("dead", f"{creature.id} is dead", "HR-ZERO-4")


@enforces(HR_COND_26)
def check_conscious(creature: Creature) -> None:
    """Refuse what an unconscious creature tries."""
    if creature.status == "unconscious":
        raise Refused("unconscious", f"{creature.id} is unconscious", "HR-ZERO-6")


@enforces(HR_COND_6)
def check_stunned(creature: Creature) -> None:
    """Refuse what a stunned creature tries."""
    if creature.has("stunned"):
        raise Refused("stunned", f"{creature.id} is stunned")


@enforces(HR_COND_7)
def check_incapacitated(creature: Creature) -> None:
    """Refuse what an incapacitated creature tries."""
    if creature.has("incapacitated"):
        raise Refused("incapacitated", f"{creature.id} is incapacitated")


def check_confused(creature: Creature, command: str) -> None:
    """Refuse what confusion forbids now."""
    if is_confused_out_of(creature, command):
        raise Refused("confused_move_or_act", f"{creature.id} is confused", "HR-COND-14")


def is_confused_out_of(creature: Creature, command: str) -> bool:
    """Tell whether confusion forbids a command: the second of moving and acting in a round, any spell."""
    if not creature.has("confused"):
        return False
    moved = creature.moved_ft > 0 or creature.dashed
    return command in SPELLS or (command in ACTS and moved) or (command in MOVES and creature.acted)
