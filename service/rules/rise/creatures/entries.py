"""Say how a creature enters a fight of Rise: its sheet, and where and how it stands then."""

from __future__ import annotations

from service.rules.kernel.records import changed, record, sealable
from service.rules.openings import Id
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import Sheet
from service.rules.secrecy.gm_only import facts_of, hide_gm_only


@record
class Entry:
    """A creature that takes part: its sheet, and where and how it stands when the fight begins."""

    sheet: Sheet
    position: tuple[int, int]
    hp: int | None = sealable(default=None)
    """Null takes the maximum."""
    dr: int | None = sealable(default=None)
    fatigue: int = 0
    mount: Id | None = None
    """The creature it rides."""
    altitude: int = 0
    """Feet above the ground in which it flies."""
    gm_only: tuple[str, ...] = ()
    """Fields of the sheet that only the GM sees; not of a player's character."""


@record
class Arrival:
    """A creature on its way: who it is, and which player's seat is to control it."""

    entry: Entry
    seat: Id | None = None
    """Null is the GM."""


def spelled_out(entry: Entry) -> Entry:
    """Return *entry* with what is GM-only sealed."""
    facts = facts_of(Sheet, entry.gm_only)
    sheet = hide_gm_only(entry.sheet, entry.sheet.id, facts)
    return changed(hide_gm_only(entry, sheet.id, facts), sheet=sheet)


def creature_of(entry: Entry) -> Creature:
    """Return the creature that comes with *entry*."""
    sheet = entry.sheet
    creature = Creature(
        sheet=sheet,
        position=(entry.position[0], entry.position[1]),
        hp=sheet.hp_max if entry.hp is None else entry.hp,
        dr=sheet.dr_max if entry.dr is None else entry.dr,
        fatigue=entry.fatigue,
        mount=entry.mount,
        altitude=entry.altitude,
        aloft="flying" if entry.altitude else None,
        gm_only=entry.gm_only,
    )
    return hide_gm_only(creature, sheet.id, facts_of(Sheet, entry.gm_only))
