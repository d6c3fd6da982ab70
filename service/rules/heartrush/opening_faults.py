"""Find everything that keeps an opening from being a fight, each fault with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from re import compile as pattern
from typing import Final

from service.rules.heartrush.abilities.catalogue import CATALOGUE, defined
from service.rules.heartrush.creatures.cantrips import cannot_cast, unattuned
from service.rules.heartrush.creatures.sizes import carried, fit_together, slots
from service.rules.heartrush.creatures.weapons import may_wield
from service.rules.heartrush.entries import Opening, creature_of, entry_faults, sheet_of
from service.rules.heartrush.harm.conditions import MOST_LEVELS, kind_of
from service.rules.heartrush.operations.loading import faults as definition_faults
from service.rules.heartrush.options import OPTIONS
from service.rules.heartrush.sheets.abilities import Ability, Spell
from service.rules.heartrush.sheets.sheet import Sheet, Weapon
from service.rules.heartrush.state import Creature
from service.rules.house_options import option_faults
from service.rules.openings import ID, Fault, seat_faults
from service.rules.rolls.seeding import seeding_faults
from service.rules.space.grid import FEET, Cell, cells
from service.rules.table.table import GM

ABILITY_ID: Final = pattern(r"[a-z0-9][a-z0-9-]{0,39}")
RESERVED: Final = ("table", GM)
SIDES: Final = 2
SHARING: Final = 2
"""Sizes by which two creatures differ that may share a space."""
CELL: Final = pattern(r"-?\d{1,4},-?\d{1,4}")
MOST_CN: Final = 200
MOST_FT: Final = 1000
MOST_DICE: Final = 20
BROUGHT: Final = ("stunned", "incapacitated", "crippled", "prone")
"""Conditions without levels that a cantrip may bring."""


def faults(opening: Opening) -> Iterator[Fault]:
    """Yield everything that keeps *opening* from being a fight, each with its place."""
    nameless = [
        f for i, entry in enumerate(opening.creatures) for f in entry_faults(entry, f"/creatures/{i}")
    ]
    if nameless:
        yield from nameless
        return
    yield from _side_faults(opening)
    yield from creature_faults(opening)
    yield from _ability_faults(opening)
    yield from seat_faults(opening.seats, [sheet_of(entry).id for entry in opening.creatures])
    yield from seeding_faults(opening.seeding, {entry.seat: entry.role for entry in opening.seats})
    yield from option_faults(OPTIONS, opening.options)
    yield from _scenery_faults(opening)


def _side_faults(opening: Opening) -> Iterator[Fault]:
    if len(opening.sides) != SIDES or len(dict.fromkeys(opening.sides)) != SIDES:
        yield "/sides", "a fight has exactly two sides, of different names"
    for i, side in enumerate(opening.sides):
        if not ID.fullmatch(side):
            yield f"/sides/{i}", "an id is a-z, 0-9 and -, at most 24"
    if opening.player_side not in opening.sides:
        yield "/player_side", f"one of {' and '.join(opening.sides)}"
    for i, side in enumerate(opening.declared_sides):
        if side not in opening.sides:
            yield f"/declared_sides/{i}", f"one of {' and '.join(opening.sides)}"


def creature_faults(opening: Opening) -> Iterator[Fault]:
    """Yield what is wrong with the creatures of *opening* and their places; all of them have sheets."""
    yield from _sheet_faults(opening)
    yield from _position_faults(opening)


def _sheet_faults(opening: Opening) -> Iterator[Fault]:
    seen: dict[str, int] = {}
    for i, entry in enumerate(opening.creatures):
        sheet, at = sheet_of(entry), f"/creatures/{i}/sheet"
        if not ID.fullmatch(sheet.id) or sheet.id in RESERVED:
            yield f"{at}/id", "an id is a-z, 0-9 and -, at most 24, and neither table nor gm"
        if sheet.id in seen:
            yield f"{at}/id", f"creature {seen[sheet.id]} has this id already"
        seen[sheet.id] = i
        if sheet.side not in opening.sides:
            yield f"{at}/side", f"one of {' and '.join(opening.sides)}"
        if sheet.hp_max < 1:
            yield f"{at}/hp_max", "at least 1"
        if entry.hp is not None and not -sheet.hp_max < entry.hp <= sheet.hp_max:
            yield f"/creatures/{i}/hp", "more than the negative of the maximum, and at most the maximum"
        if entry.heart_die is not None and entry.heart_die not in (4, 6, 8, 10, 12, 20)[:6]:
            yield f"/creatures/{i}/heart_die", "a die: 4, 6, 8, 10, 12 or 20"
        if entry.heart_die is not None and entry.heart_die > sheet.heart_die:
            yield f"/creatures/{i}/heart_die", "at most the sheet's heart die"
        if sheet.potions < 0:
            yield f"{at}/potions", "no fewer than none"
        yield from _weapon_faults(sheet, at)
        yield from _poison_faults(sheet, at)


def _ability_faults(opening: Opening) -> Iterator[Fault]:
    own: dict[str, Ability | Spell] = {}
    given: tuple[tuple[str, tuple[Ability | Spell, ...]], ...] = (
        ("abilities", opening.abilities),
        ("spells", opening.spells),
    )
    for key, found in given:
        for i, definition in enumerate(found):
            at = f"/{key}/{i}"
            if not ABILITY_ID.fullmatch(definition.id) or definition.id in CATALOGUE or definition.id in own:
                yield f"{at}/id", "an id that no other ability or spell has, shipped ones included"
            own[definition.id] = definition
            yield from ((f"{at}{pointer}", fault) for pointer, fault in definition_faults(definition))
    for i, ability in enumerate(opening.abilities):
        for j, name in enumerate(ability.builds_on):
            base = defined(name, own)
            if not isinstance(base, Ability) or base.talent is None:
                yield f"/abilities/{i}/builds_on/{j}", "no talent has this id"
    yield from ability_name_faults(opening, own)
    names = [sheet_of(entry).id for entry in opening.creatures]
    if opening.turn_order and sorted(opening.turn_order) != sorted(names):
        yield "/turn_order", "every creature, once"


def ability_name_faults(opening: Opening, own: Mapping[str, Ability | Spell]) -> Iterator[Fault]:
    """Yield the abilities and spells on sheets that nobody defines, or that their owner cannot have."""
    for i, entry in enumerate(opening.creatures):
        for j, name in enumerate(sheet_of(entry).abilities):
            if not isinstance(defined(name, own), Ability):
                yield f"/creatures/{i}/sheet/abilities/{j}", "no ability has this id"
        for where, fault in _spell_faults(sheet_of(entry), own):
            yield f"/creatures/{i}/sheet{where}", fault


def _spell_faults(sheet: Sheet, own: Mapping[str, Ability | Spell]) -> Iterator[Fault]:
    """Yield the spells that nobody defines, and those that *sheet* lacks an attunement for."""
    for j, name in enumerate(sheet.growth.spells):
        spell = defined(name, own)
        if not isinstance(spell, Spell):
            yield f"/growth/spells/{j}", "no spell has this id"
            continue
        missing = unattuned(sheet, spell)
        if missing is not None:
            yield f"/growth/spells/{j}", f"it needs attunement to {missing}"


def _weapon_faults(sheet: Sheet, at: str) -> Iterator[Fault]:
    names = [weapon.id for weapon in sheet.weapons]
    if carried(sheet) > slots(sheet):
        yield f"{at}/weapons", f"they take {carried(sheet)} slots besides the one in hand, of {slots(sheet)}"
    if sheet.wielded is not None and sheet.wielded not in names:
        yield f"{at}/wielded", "one of the creature's weapons"
    for i, weapon in enumerate(sheet.weapons):
        if not ID.fullmatch(weapon.id) or weapon.id == "unarmed" or names.index(weapon.id) != i:
            yield f"{at}/weapons/{i}/id", "an id no other weapon of the creature has, and not unarmed"
        if not may_wield(sheet, weapon):
            yield f"{at}/weapons/{i}", f"a {sheet.size} creature cannot wield a {weapon.size_class} weapon"
        yield from ((f"{at}/weapons/{i}{where}", fault) for where, fault in _cantrip_faults(weapon))
        if weapon.id == (sheet.wielded or names[0]) and weapon.cantrip is not None:
            lacking = cannot_cast(Creature(sheet=sheet, position=(0, 0), heart_die=4, hp=1), weapon)
            if lacking is not None:
                yield f"{at}/wielded", lacking.detail


def _cantrip_faults(weapon: Weapon) -> Iterator[Fault]:
    cantrip = weapon.cantrip
    if ("spell" in weapon.tags) != (cantrip is not None):
        yield "/cantrip", "a cantrip has the tag spell, and nothing else has"
    if cantrip is None:
        if weapon.damage_type == "none":
            yield "/damage_type", "only a cantrip has none"
        return
    if weapon.attack_type != ("ranged" if cantrip.form == "bolt" else "melee"):
        yield "/attack_type", "a bolt is ranged, a blast melee"
    for key, levels in (("conditions", cantrip.conditions), ("might_conditions", cantrip.might_conditions)):
        for condition, level in levels.items():
            known = kind_of(condition).levels > 1 or condition in BROUGHT
            if not known or not 1 <= level <= MOST_LEVELS:
                yield f"/cantrip/{key}/{condition}", f"a condition, from 1 to {MOST_LEVELS} levels"
    for key, feet in (("push_ft", cantrip.push_ft), ("might_push_ft", cantrip.might_push_ft)):
        if feet % FEET or not 0 <= feet <= MOST_FT:
            yield f"/cantrip/{key}", f"in fives, from 0 to {MOST_FT}"


def _poison_faults(sheet: Sheet, at: str) -> Iterator[Fault]:
    names = [poison.id for poison in sheet.poisons]
    for i, poison in enumerate(sheet.poisons):
        if not ID.fullmatch(poison.id) or names.index(poison.id) != i:
            yield f"{at}/poisons/{i}/id", "an id no other poison of the creature has"
        if poison.doses < 0 or not 0 <= poison.dice <= MOST_DICE:
            yield f"{at}/poisons/{i}", f"no fewer than no doses, and from 0 to {MOST_DICE} dice"


def _position_faults(opening: Opening) -> Iterator[Fault]:
    taken: dict[Cell, list[Creature]] = {}
    for i, entry in enumerate(opening.creatures):
        at: Cell = (entry.position[0], entry.position[1])
        creature = creature_of(entry)
        for cell in cells(at, creature.space):
            if opening.terrain.get(f"{cell[0]},{cell[1]}") == "wall":
                yield f"/creatures/{i}/position", "inside a wall"
            there = [other for other in taken.get(cell, ()) if abs(other.rank - creature.rank) < SHARING]
            if there and not fit_together(creature, there):
                yield f"/creatures/{i}/position", f"{there[0].id} stands there"
            taken.setdefault(cell, []).append(creature)


def _scenery_faults(opening: Opening) -> Iterator[Fault]:
    yield from _cell_faults(opening)
    yield from _ground_faults(opening)
    scenery = opening.scenery
    for key, cn in scenery.climb_cn.items():
        if not 1 <= cn <= MOST_CN:
            yield f"/scenery/climb_cn/{key}", f"from 1 to {MOST_CN}"
    for key, feet in scenery.heights.items():
        if feet % FEET or abs(feet) > MOST_FT:
            yield f"/scenery/heights/{key}", f"in fives, at most {MOST_FT} either way"


def _cell_faults(opening: Opening) -> Iterator[Fault]:
    scenery = opening.scenery
    places: tuple[tuple[str, Iterable[str]], ...] = (
        ("/terrain", opening.terrain),
        ("/scenery/light", scenery.light),
        ("/scenery/water", scenery.water),
        ("/scenery/climb_cn", scenery.climb_cn),
        ("/scenery/sheer", scenery.sheer),
        ("/scenery/heights", scenery.heights),
    )
    for at, keys in places:
        for key in keys:
            if not CELL.fullmatch(key):
                yield f"{at}/{key}", "a cell is written x,y"


def _ground_faults(opening: Opening) -> Iterator[Fault]:
    scenery = opening.scenery
    for at, keys, ground in (
        ("/scenery/water", scenery.water, "deep_water"),
        ("/scenery/climb_cn", scenery.climb_cn, "climb"),
        ("/scenery/sheer", scenery.sheer, "climb"),
    ):
        for key in keys:
            if opening.terrain.get(key) != ground:
                yield f"{at}/{key}", f"its terrain is {ground}"
