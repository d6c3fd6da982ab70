"""Give many cells, or many straight paths, in few numbers: as the choices of an offer.

Each of these is a sequence whose values are computed when they are read. Its data has only the numbers, and a
client computes the same values from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeAlias, TypeVar, overload

from service.rules.space.grid import Cell, Row, line

V = TypeVar("V")

Path: TypeAlias = tuple[Cell, ...]
Line: TypeAlias = tuple[int, int, int, int]
"""The paths in one direction: the step along x, the step along y, and the least and the greatest length."""


class _CompactSequence(Sequence[V], Generic[V]):
    """A sequence whose values are computed from the fields of a record."""

    def __iter__(self) -> Iterator[V]:
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> V: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[V, ...]: ...
    def __getitem__(self, at: int | slice) -> V | tuple[V, ...]:
        if isinstance(at, slice) or at < 0:
            return tuple(self)[at]
        for value in islice(self, at, None):
            return value
        raise IndexError(at)


@dataclass(frozen=True)
class Cells(_CompactSequence[Cell]):
    """Cells, as ranges of rows: y, the least x and the greatest x of each."""

    cells: tuple[Row, ...]

    def __iter__(self) -> Iterator[Cell]:
        return ((x, y) for y, first, last in self.cells for x in range(first, last + 1))

    def __len__(self) -> int:
        return sum([last - first + 1 for _, first, last in self.cells])

    @classmethod
    def of(cls, found: Iterable[Cell]) -> Cells:
        """Return the cells *found*, by rows."""
        rows: list[Row] = []
        for y, x in sorted({(y, x) for x, y in found}):
            if rows and rows[-1][0] == y and rows[-1][2] == x - 1:
                rows[-1] = (y, rows[-1][1], x)
            else:
                rows.append((y, x, x))
        return cls(cells=tuple(rows))


@dataclass(frozen=True)
class StraightPaths(_CompactSequence[Path]):
    """Straight paths from one cell: in each direction those of some lengths. A path of length 0 stays."""

    start: Cell
    paths: tuple[Line, ...]

    def __iter__(self) -> Iterator[Path]:
        for x, y, least, most in self.paths:
            whole = tuple(line(self.start, (x, y), most))
            yield from [whole[:length] for length in range(least, most + 1)]

    def __len__(self) -> int:
        return sum([most - least + 1 for _, _, least, most in self.paths])

    @classmethod
    def of(cls, start: Cell, found: Iterable[tuple[Cell, int]]) -> StraightPaths:
        """Return the paths from *start* that are *found*, each as its direction and its length."""
        lines: list[Line] = []
        for (x, y), length in found:
            if lines and lines[-1][:2] == (x, y) and lines[-1][3] == length - 1:
                lines[-1] = (x, y, lines[-1][2], length)
            else:
                lines.append((x, y, length, length))
        return cls(start=start, paths=tuple(lines))

    def lines(self) -> Iterator[tuple[tuple[Cell, int], Path]]:
        """Yield each path with its direction and its length."""
        for x, y, least, most in self.paths:
            for length in range(least, most + 1):
                yield ((x, y), length), tuple(line(self.start, (x, y), length))

    def or_none(self) -> StraightPaths:
        """Return these paths, and first the one that stays."""
        if not self.paths:
            return StraightPaths(start=self.start, paths=((1, 0, 0, 0),))
        (x, y, least, most), *more = self.paths
        first = ((x, y, 0, most),) if least == 1 else ((1, 0, 0, 0), (x, y, least, most))
        return StraightPaths(start=self.start, paths=(*first, *more))
