"""Strike with cantrips, which take the weapon's place: who can, how far, at how many, and what a hit brings.

A bolt is shot like an arrow from one hand. A blast goes out on all sides, needs both, and is one attack roll
against each of its targets. What a hit brings besides damage lands at the end of the step.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.creatures.hands import besides, hands_of
from service.rules.heartrush.sheets.abilities import Spell
from service.rules.heartrush.sheets.sheet import Cantrip, Sheet, Weapon
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Refused
from service.rules.space.grid import FEET

RULE: Final = "HR-WPN-13"
BOLT_FT: Final = (0, 30, 60, 120)
"""The range of a bolt by attunement: none, basic, advanced, paragon."""
BLASTED: Final = 2
"""How many a blast strikes at basic attunement; from advanced on, as many as it reaches."""
ADVANCED: Final = 2
PARAGON: Final = 3


def attunement(creature: Creature, element: str) -> int:
    """Return how well *creature* is attuned to an element: 0 not, 1 basic, 2 advanced, 3 paragon."""
    return attuned(creature.sheet, element)


def attuned(sheet: Sheet, element: str) -> int:
    """Return how well *sheet* is attuned to an element: 0 not, 1 basic, 2 advanced, 3 paragon."""
    growth = sheet.growth
    if element in growth.paragon_attunements:
        return PARAGON
    if element in growth.advanced_attunements:
        return ADVANCED
    return 1 if element in growth.attunements else 0


def unattuned(sheet: Sheet, spell: Spell) -> str | None:
    """Return the first element of *spell* that *sheet* is not attuned to, None where it is to all."""
    return next((element for element in spell.elements if not attuned(sheet, element)), None)


def cantrip_ft(creature: Creature, cantrip: Cantrip) -> int:
    """Return how far a cantrip reaches: a bolt by attunement, a blast 5 ft, 10 for a paragon."""
    level = attunement(creature, cantrip.element)
    if cantrip.form == "bolt":
        return BOLT_FT[level]
    return 2 * FEET if level == PARAGON else FEET


def most_targets(creature: Creature, weapon: Weapon) -> int | None:
    """Return how many one attack may strike: one, two with a blast, and None for as many as it reaches."""
    if weapon.cantrip is None or weapon.cantrip.form != "blast":
        return 1
    return BLASTED if attunement(creature, weapon.cantrip.element) < ADVANCED else None


def cannot_cast(creature: Creature, weapon: Weapon) -> Refused | None:
    """Return what keeps *creature* from a cantrip: no attunement, or a hand that is not free."""
    cantrip = weapon.cantrip
    if cantrip is None:
        return None
    if not attunement(creature, cantrip.element):
        return Refused("no_attunement", f"{creature.id} is not attuned to {cantrip.element}", RULE)
    if besides(creature) < hands_of(weapon):
        return Refused("no_free_hand", f"{weapon.id} takes {hands_of(weapon)} free hands", RULE)
    return None


def is_conducting(state: State, cantrip: Cantrip, target: Creature) -> bool:
    """Tell whether something about *target* doubles the attack roll: it is wet, or wears metal."""
    return ("wet" in cantrip.doubled_by and is_wet(state, target)) or (
        "metal_armor" in cantrip.doubled_by and target.sheet.metal_armor
    )


def is_wet(state: State, creature: Creature) -> bool:
    """Tell whether *creature* is drenched, or stands in water."""
    return creature.drenched or state.ground(creature.position) in ("shallow_water", "deep_water")


def has_own_bonus(weapon: Weapon) -> bool:
    """Tell whether a cantrip says itself what might adds to it, in place of what its attack type would."""
    cantrip = weapon.cantrip
    return cantrip is not None and bool(cantrip.might_conditions or cantrip.might_push_ft)
