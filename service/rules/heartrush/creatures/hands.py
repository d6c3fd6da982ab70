"""Count hands: what weapons, shields and captives take of the two a creature has."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.sheets.sheet import ShieldKind, Weapon
from service.rules.heartrush.state import Creature

HANDS: Final = 2


def hands_of(weapon: Weapon) -> int:
    """Return the hands a weapon takes: none if part of the body, two if heavy, shot or a blast, else one."""
    if weapon.id == "unarmed" or "natural" in weapon.tags:
        return 0
    if weapon.cantrip is not None:
        return HANDS if weapon.cantrip.form == "blast" else 1
    return HANDS if weapon.size_class == "heavy" or weapon.attack_type == "ranged" else 1


def in_hand(creature: Creature) -> Weapon | None:
    """Return the weapon that *creature* wields, None for bare hands."""
    return next((weapon for weapon in creature.sheet.weapons if weapon.id == creature.wielded), None)


def shield_on(creature: Creature) -> ShieldKind:
    """Return the shield that *creature* wears on its arm, be the hand free for it or not."""
    return "none" if creature.shield_down else creature.sheet.shield


def shield_held(creature: Creature) -> ShieldKind:
    """Return the shield on *creature*'s arm: none where its weapon leaves no hand for one."""
    weapon = in_hand(creature)
    taken = 0 if weapon is None else hands_of(weapon)
    return shield_on(creature) if taken < HANDS else "none"


def besides(creature: Creature) -> int:
    """Return the hands that hold neither shield nor captive, whatever the weapon needs of them."""
    held = 1 if creature.has("grappling") else 0
    return HANDS - held - (0 if shield_on(creature) == "none" else 1)


def free_hands(creature: Creature) -> int:
    """Return the hands that hold neither weapon nor shield nor captive."""
    weapon = in_hand(creature)
    held = 1 if creature.has("grappling") else 0
    shield = 0 if shield_held(creature) == "none" else 1
    return max(0, HANDS - held - shield - (0 if weapon is None else hands_of(weapon)))
