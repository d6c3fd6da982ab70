"""How far a creature moves: its speed, what lowers it, and what standing up and casting leave of it."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.hands import shield_on
from service.rules.heartrush.creatures.weapons import wielded
from service.rules.heartrush.harm.conditions import SPEEDS
from service.rules.heartrush.sheets.sheet import ARMOR_PENALTY, HEAVY_WEAPON_PENALTY, SHIELD_PENALTY
from service.rules.heartrush.state import Creature
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import Rule, enforces

HR_MOVE_2: Final = Rule(
    "HR-MOVE-2",
    "A dash covers the speed less armor, heavy shield and heavy weapon; conditions lower it further.",
    (books.COMBAT.at("Dash"), books.WEAPONS, books.CONDITIONS),
)
HR_COND_5: Final = Rule(
    "HR-COND-5",
    "Restrained, stunned and grappled creatures have speed 0: no dash, no sidestep.",
    books.CONDITIONS.at("Restrained"),
)
HR_MOVE_5: Final = Rule(
    "HR-MOVE-5",
    "Standing up takes half the movement or a sidestep; while prone a creature moves at climbing speed.",
    books.CONDITIONS.at("Prone"),
    settles=("A-16",),
)


def burden(creature: Creature) -> int:
    """Return the feet that equipment takes off a creature's speed."""
    sheet, weapon = creature.sheet, wielded(creature)
    heavy = weapon.size_class == "heavy" and "natural" not in weapon.tags
    penalty = ARMOR_PENALTY[sheet.armor] + SHIELD_PENALTY[shield_on(creature)]
    return penalty + HEAVY_WEAPON_PENALTY if heavy else penalty


@enforces(HR_MOVE_2)
def speed(creature: Creature) -> int:
    """Return the feet of a dash of *creature*, after equipment and conditions."""
    feet = creature.sheet.speed - burden(creature)
    if creature.conditions:
        for lower in SPEEDS:
            feet = lower(creature, feet)
    return max(0, feet)


@enforces(HR_COND_5)
def check_can_move(creature: Creature) -> None:
    """Refuse a move of a creature whose speed is 0."""
    for condition in ("stunned", "incapacitated", "restrained", "grappled"):
        if creature.has(condition):
            raise Refused("speed_zero", f"{creature.id} is {condition}")
    if speed(creature) == 0:
        raise Refused("speed_zero", f"the equipment of {creature.id} leaves it no speed")


@enforces(HR_MOVE_5)
def standing_cost(creature: Creature) -> int:
    """Return the feet that it costs *creature* to stand up."""
    return speed(creature) // 2


def allowance(creature: Creature, *, stand: bool) -> int:
    """Return the feet of one dash, after standing up if it does."""
    if not creature.has("prone"):
        return speed(creature)
    if stand:
        return speed(creature) - standing_cost(creature)
    return min(speed(creature), creature.sheet.climb_speed)


def half_speed(creature: Creature) -> int:
    """Return half of a creature's speed, rounded up to whole feet."""
    return -(-speed(creature) // 2)


def left_after_casting(creature: Creature, budget: int) -> int:
    """Return the feet a creature may still move: *budget*, or what a spell has left of half its speed."""
    if not creature.spell_cast:
        return budget
    return max(0, half_speed(creature) - (creature.moved_ft - creature.cast_at_ft))


def check_move_after_casting(creature: Creature, feet: int) -> None:
    """Refuse more than half the speed after a spell was cast this round."""
    if feet > left_after_casting(creature, feet):
        raise Refused("moved_too_far_to_cast", f"{creature.id} has cast a spell this round", "HR-CAST-1")
