"""Say how a creature enters a fight of Rise: its sheet, and where and how it stands then."""

from __future__ import annotations

from collections.abc import Iterator

from service.rules.kernel.records import changed, record
from service.rules.kernel.sealable import sealable
from service.rules.openings import Id
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import GM_ONLY, Sheet
from service.rules.secrecy.gm_only import hide_gm_only


@sealable("hp", "dr")
@record
class Entry:
    """A creature that takes part: its sheet, and where and how it stands when the fight begins."""

    sheet: Sheet
    position: tuple[int, int]
    hp: int | None = None
    """Null takes the maximum."""
    dr: int | None = None
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
    sheet = hide_gm_only(entry.sheet, entry.sheet.id, entry.gm_only)
    return changed(hide_gm_only(entry, sheet.id, _besides(entry)), sheet=sheet)


def _besides(entry: Entry) -> Iterator[str]:
    """Yield what else about a creature is GM-only with the fields of its sheet."""
    return (name for field in entry.gm_only for name in GM_ONLY[field])


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
    return hide_gm_only(creature, sheet.id, _besides(entry))
