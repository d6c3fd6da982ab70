"""The numbers that a check has to meet."""

from __future__ import annotations

from typing import Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.sheets.sheet import Ability
from service.rules.heartrush.state import Creature
from service.rules.kernel.rulebook import Rule, enforces

HR_GEN_8: Final = Rule(
    "HR-GEN-8",
    "The number a creature sets is the top face of its ability or heart die plus twice its paragon level.",
    books.CHECKS.at("Ability Challenge Number"),
)

PHYSICAL: Final = ("might", "agility")


@enforces(HR_GEN_8)
def challenge_number(creature: Creature, by: Ability | Literal["heart"]) -> int:
    """Return the challenge number that *creature* sets with an ability or with its heart die."""
    faces: int = creature.sheet.heart_die if by == "heart" else getattr(creature.sheet, by)
    return faces + 2 * creature.sheet.paragon_level


def trouble_face(creature: Creature, ability: Ability) -> int:
    """Return the highest face that brings trouble: 1, and 1 more for each level of vulnerability."""
    kind = "physical" if ability in PHYSICAL else "mental"
    return 1 + creature.level(f"vulnerable_{kind}")
