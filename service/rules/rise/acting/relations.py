"""What the fields of a sheet's weapons and abilities have to be to each other, in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from service.rules.openings import ID, Fault, Relation, broken
from service.rules.rise.acting.swift import early, is_simple
from service.rules.rise.creatures.sheet import Ability, Effect, Sheet, Strike
from service.rules.rise.sight.obstacles_and_targets import is_aimed
from service.rules.space.grid import FEET


def misplaced(ability: Ability) -> Iterator[Effect]:
    """Yield the effects of *ability* that no damage could be added by."""
    yield from (*ability.on_crit, *ability.on_miss, *ability.on_loss)
    for effect in ability.effects:
        if ability.strike is None or not ability.strike.damaging or effect.to == "self" or effect.swift:
            yield effect


ABILITY: Final = (
    Relation("", "invalid_ability_swift_attack: a Swift ability may not hurt anybody", is_simple),
    Relation(
        "",
        "extra damage is added to an attack of its own that does damage",
        lambda ability: all(effect.does != "extra" for effect in misplaced(ability)),
    ),
    Relation(
        "/at_once",
        "what comes now as well comes later",
        lambda ability: not ability.at_once or ability.later != "none",
    ),
)
AREA: Final = (
    Relation(
        "/area/range_ft",
        "cones and lines begin at their user",
        lambda ability: not (ability.area.range_ft and ability.area.is_narrow),
    ),
    Relation(
        "/area/width_ft",
        "only lines have a width",
        lambda ability: ability.area.width_ft == FEET or ability.area.shape == "line",
    ),
    Relation(
        "/area",
        "a Swift ability is not aimed: its area spreads from its user",
        lambda ability: ability.strike is not None or not early(ability) or not is_aimed(ability),
    ),
)
"""Relations of an ability that fills an area."""


def unrelated(sheet: Sheet, at: str, known: tuple[str, ...]) -> Iterator[Fault]:
    """Yield what is wrong with the weapons and abilities of *sheet*; *known* are the defenses there are."""
    yield from _strike_faults([(w.id, w.strike) for w in sheet.weapons], f"{at}/weapons", known)
    yield from _strike_faults([(a.id, a.strike) for a in sheet.abilities], f"{at}/abilities", known)
    for i, ability in enumerate(sheet.abilities):
        relations = ABILITY if ability.area is None else (*ABILITY, *AREA)
        yield from broken(relations, ability, f"{at}/abilities/{i}")


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
