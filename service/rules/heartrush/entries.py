"""Describe what a fight begins with: its creatures, seats, ground, options and abilities of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from service.rules.heartrush.abilities.catalogue import named
from service.rules.heartrush.sheets.abilities import Ability, Spell
from service.rules.heartrush.sheets.bestiary import BESTIARY, drawn
from service.rules.heartrush.sheets.ground import Scenery, Terrain
from service.rules.heartrush.sheets.sheet import Entry, Sheet
from service.rules.heartrush.state import Creature
from service.rules.kernel.records import EMPTY, changed, record, sealable_fields
from service.rules.openings import Fault, Id, SeatEntry
from service.rules.rolls.seeding import Seeding
from service.rules.secrecy.gm_only import facts_of, field_faults, hide_gm_only
from service.rules.table.table import Option

"""A JSON pointer into the opening, and what is wrong there."""


def sheet_of(entry: Entry) -> Sheet:
    """Return the sheet of *entry*: its own, or that of its stat block; one without either is a fault."""
    if entry.sheet is not None:
        return entry.sheet
    assert entry.stat_block is not None, "an entry without a sheet names a stat block"
    return drawn(entry.stat_block, entry.id or "", entry.side or "", entry.name)


def with_sheet(entry: Entry) -> Entry:
    """Return *entry* with its whole sheet, so that it needs no bestiary."""
    if entry.sheet is not None:
        return entry
    return changed(entry, sheet=sheet_of(entry), stat_block=None, id=None, side=None, name=None)


def spelled_out(entry: Entry) -> Entry:
    """Return *entry* with its whole sheet, so that a record needs no bestiary, and what is GM-only sealed."""
    entry = with_sheet(entry)
    assert entry.sheet is not None
    facts = facts_of(Sheet, entry.gm_only)
    sheet = hide_gm_only(entry.sheet, entry.sheet.id, facts)
    return changed(hide_gm_only(entry, sheet.id, facts), sheet=sheet)


def entry_faults(entry: Entry, at: str) -> Iterator[Fault]:
    """Yield what keeps *entry* from having a sheet, or from keeping what it says back."""
    is_pc = entry.sheet is not None and entry.sheet.kind == "pc"
    yield from field_faults(entry.gm_only, () if is_pc else sealable_fields(Sheet), at)
    if entry.sheet is not None:
        if any(value is not None for value in (entry.stat_block, entry.id, entry.side, entry.name)):
            yield at, "a sheet, or a stat block with id and side: not both"
    elif entry.stat_block not in BESTIARY:
        yield f"{at}/stat_block", "a sheet, or the name of a stat block"
    else:
        for key, value in (("id", entry.id), ("side", entry.side)):
            if value is None:
                yield f"{at}/{key}", "a stat block needs it"


@record
class Opening:
    """Everything a fight begins with."""

    sides: tuple[Id, ...]
    player_side: Id
    creatures: tuple[Entry, ...]
    seats: tuple[SeatEntry, ...] = ()
    options: Mapping[str, Option] = EMPTY
    terrain: Mapping[str, Terrain] = EMPTY
    scenery: Scenery = Scenery()
    declared_sides: tuple[Id, ...] = ()
    seeding: Seeding = Seeding()
    abilities: tuple[Ability, ...] = ()
    """Abilities of your own, beside the shipped ones; sheets name them by id."""
    spells: tuple[Spell, ...] = ()
    """Spells of your own, beside the shipped ones."""
    turn_order: tuple[Id, ...] = ()
    """The order of turns, where creatures take turns; empty rolls for it."""
    title: str = ""


def known_in(opening: Opening) -> Mapping[str, Ability | Spell]:
    """Return every ability and spell that the sheets of *opening* name, and its own."""
    sheets = (sheet_of(entry) for entry in opening.creatures)
    return named(sheets, (*opening.abilities, *opening.spells))


def creature_of(entry: Entry, clock_s: int = 0) -> Creature:
    """Return the creature that *entry* brings at *clock_s*, as it is before anything happens."""
    sheet = sheet_of(entry)
    first = sheet.weapons[0].id if sheet.weapons else None
    hp = sheet.hp_max if entry.hp is None else entry.hp
    creature = Creature(
        sheet=sheet,
        position=(entry.position[0], entry.position[1]),
        heart_die=entry.heart_die or sheet.heart_die,
        hp=hp,
        down_since_s=None if hp > 0 else clock_s,
        wielded=sheet.wielded or first,
        potions=sheet.potions,
        doses={poison.id: poison.doses for poison in sheet.poisons},
        destiny_points=sheet.destiny_points,
        gm_only=entry.gm_only,
    )
    return hide_gm_only(creature, sheet.id, facts_of(Sheet, entry.gm_only))
