"""Put creatures of a list side by side, where no other is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

ROW_OF_CELLS: Final = 20
"""Cells along a row of creatures that are put side by side."""
WIDTHS: Final[Mapping[str, int]] = {
    "large": 2,
    "huge": 3,
    "gargantuan": 4,
    "colossal": 6,
    **{f"l{n}": n for n in range(2, 9)},
}
"""Cells that creatures are kept apart: at least as many as either book has for a size."""
Cell = tuple[int, int]


def place_of(entry: Mapping[str, Any]) -> Cell | None:
    """Return the cell of an entry; None where it has none, or none that can be read."""
    match entry.get("position"):
        case [int(x), int(y)]:
            return x, y
        case _:
            return None


def cells_of(entry: Mapping[str, Any], at: Cell) -> Iterator[Cell]:
    """Yield each cell that the creature of an entry takes, if its first is *at*."""
    side = _width(entry)
    for dx in range(side):
        for dy in range(side):
            yield at[0] + dx, at[1] + dy


class SideBySide:
    """The free cells from *start* on, in rows of `ROW_OF_CELLS`; rows share what is *taken*."""

    def __init__(self, start: Cell, taken: set[Cell]) -> None:
        self.left, self.y = start
        self.x, self.height = self.left, 1
        self.taken = taken

    def take(self, entry: Mapping[str, Any]) -> Cell:
        """Return the next cell where the creature of an entry has room, and take its space."""
        side = _width(entry)
        while True:
            if self.x > self.left and self.x + side > self.left + ROW_OF_CELLS:
                self.x, self.y, self.height = self.left, self.y + self.height, 1
            at = self.x, self.y
            cells = {*cells_of(entry, at)}
            if not cells & self.taken:
                break
            self.x += 1
        self.taken |= cells
        self.x, self.height = self.x + side, max(self.height, side)
        return at


def _width(entry: Mapping[str, Any]) -> int:
    sheet = entry.get("sheet")
    return WIDTHS.get(str(sheet.get("size")) if isinstance(sheet, Mapping) else "", 1)
