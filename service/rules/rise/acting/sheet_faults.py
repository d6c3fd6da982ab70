"""Find what is wrong with a sheet: weapons and abilities that no creature can have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.rules.openings import ID, Fault
from service.rules.rise.acting.swift import early, is_simple
from service.rules.rise.creatures.sheet import Ability, Area, Effect, Sheet, Strike
from service.rules.rise.sight.obstacles_and_targets import is_aimed
from service.rules.space.grid import FEET

FARTHEST = 480
"""Feet beyond which no area lies or reaches."""


def sheet_faults(sheet: Sheet, at: str, known: tuple[str, ...]) -> Iterator[Fault]:
    """Yield what is wrong with the weapons and abilities of *sheet*; *known* are the defenses there are."""
    yield from _strike_faults([(w.id, w.strike) for w in sheet.weapons], f"{at}/weapons", known)
    yield from _strike_faults([(a.id, a.strike) for a in sheet.abilities], f"{at}/abilities", known)
    for i, ability in enumerate(sheet.abilities):
        if not is_simple(ability):
            yield (
                f"{at}/abilities/{i}",
                "invalid_ability_swift_attack: what is Swift hurts nobody",
            )
        if any(effect.does == "extra" for effect in misplaced(ability)):
            yield f"{at}/abilities/{i}", "extra damage is added to an attack of its own that does damage"
        if ability.at_once and ability.later == "none":
            yield f"{at}/abilities/{i}/at_once", "what comes now as well comes later"

        if ability.area is not None:
            yield from (
                (f"{at}/abilities/{i}/area{key}", fault) for key, fault in area_faults(ability, ability.area)
            )


def area_faults(ability: Ability, area: Area) -> Iterator[Fault]:
    """Yield what is wrong with an area: its sizes, and what its shape does not have."""
    sizes = {
        "/size_ft": (area.size_ft, FEET),
        "/width_ft": (area.width_ft, FEET),
        "/range_ft": (area.range_ft, 0),
    }
    for key, (feet, least) in sizes.items():
        if not least <= feet <= FARTHEST or feet % FEET:
            yield key, f"steps of 5 feet, from {least} to {FARTHEST}"
    if area.range_ft and area.is_narrow:
        yield "/range_ft", "cones and lines begin at their user"
    if area.width_ft != FEET and area.shape != "line":
        yield "/width_ft", "only lines have a width"
    if ability.strike is None and early(ability) and is_aimed(ability):
        yield "", "what is Swift spreads from its user"


def misplaced(ability: Ability) -> Iterator[Effect]:
    """Yield the effects of *ability* that no damage could be added by."""
    yield from (*ability.on_crit, *ability.on_miss, *ability.on_loss)
    for effect in ability.effects:
        if ability.strike is None or not ability.strike.damaging or effect.to == "self" or effect.swift:
            yield effect


def _strike_faults(
    things: Sequence[tuple[str, Strike | None]], at: str, known: tuple[str, ...]
) -> Iterator[Fault]:
    names = [name for name, _ in things]
    for i, (name, strike) in enumerate(things):
        if not ID.fullmatch(name) or names.index(name) != i:
            yield f"{at}/{i}/id", "an id no other has"
        if strike is None:
            continue
        if any(defense not in known for defense in strike.versus):
            yield f"{at}/{i}/strike/versus", "one of " + ", ".join(known)
        if any(not 2 <= sides <= 1000 for sides in strike.dice):
            yield f"{at}/{i}/strike/dice", "dice have 2 to 1000 sides"
