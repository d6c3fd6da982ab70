"""Tell what size means besides reach and force: how many share a cell, and how much is carried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.sheets.sheet import Sheet, rank, side_of
from service.rules.heartrush.state import Creature
from service.rules.kernel.rulebook import Rule, enforces

HR_SIZE_2: Final = Rule(
    "HR-SIZE-2",
    "Sizes up to small share a cell, 1000, 10 or 5 of them; medium and large fill one, Ln fills n by n.",
    books.BASICS.at("Size"),
)
HR_SIZE_8: Final = Rule(
    "HR-SIZE-8",
    "A creature carries 6 slots and half its might die; large ones all of it, small ones a quarter.",
    books.BASICS.at("Size"),
    settles=("A-62", "A-74"),
)


CELL: Final = 1000
BULK: Final[Mapping[str, int]] = MappingProxyType({"minuscule": 1, "tiny": 100, "small": 200})
"""Thousandths of a cell that a creature takes: 1,000 minuscule ones, 10 tiny or 5 small ones fill it."""
SLOTS: Final = 6
WEAPON_SLOTS: Final[Mapping[str, int]] = MappingProxyType({"heavy": 10, "light": 5, "ultralight": 2})
BODILY: Final = ("natural", "spell")
"""Tags of weapons that are no things: part of the body, or a cantrip."""


@enforces(HR_SIZE_2)
def fit_together(mover: Creature, others: Iterable[Creature]) -> bool:
    """Tell whether *mover* and *others* have room in one cell; creatures of two sides never share one."""
    there = tuple(others)
    if mover.sheet.size not in BULK or any(other.side != mover.side for other in there):
        return False
    return sum(BULK.get(creature.sheet.size, CELL) for creature in (mover, *there)) <= CELL


@enforces(HR_SIZE_8)
def slots(sheet: Sheet) -> int:
    """Return how many slots a creature of *sheet* can carry."""
    size = rank(sheet.size)
    if size < rank("medium"):
        return SLOTS + sheet.might // 4
    if size == rank("medium"):
        return SLOTS + sheet.might // 2
    cells = side_of(sheet.size) ** 2
    return (SLOTS + sheet.might) * cells


def carried(sheet: Sheet) -> int:
    """Return the slots that the weapons of *sheet* take, besides the one in hand; what is worn takes none."""
    things = tuple(weapon for weapon in sheet.weapons if not set(weapon.tags) & set(BODILY))
    in_hand = sheet.wielded or (sheet.weapons[0].id if sheet.weapons else None)
    return sum(WEAPON_SLOTS[weapon.size_class] for weapon in things if weapon.id != in_hand)
