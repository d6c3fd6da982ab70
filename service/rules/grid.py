"""Measure and walk the square grid: distances, steps, spaces, reachable cells, straight pushes.

A cell is (x, y); 5 feet a side. A space is the square of cells a creature fills, named by its least corner.
Every order here is fixed, so a search gives the same path on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import count
from math import isqrt
from typing import Annotated, Final, TypeAlias

Cell: TypeAlias = tuple[int, int]
Way: TypeAlias = "tuple[Cell, Way | None]"
"""A walk by its last cell and the way before it, None at its start."""
Reach: TypeAlias = Mapping[Cell, tuple[int, Way]]
"""What a search has found: each cell with the feet spent and the way there."""
Feet: TypeAlias = Annotated[int, "feet, 0 or more"]
"""A distance as somebody names it."""

FEET: Final = 5
"""Feet along one side of a cell."""

STEPS: Final[tuple[Cell, ...]] = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""The eight steps, straight ones first: of two equally short paths the straighter one is found."""


_STEPS: Final = tuple((dx, dy, int(dx != 0 and dy != 0)) for dx, dy in STEPS)
"""The steps, each with the diagonals it adds."""

_UNKNOWN: Final = -1
"""Of a cell that was not asked for yet."""


def feet_between(dx: int, dy: int, metric: str) -> int:
    """Return the feet between cells *dx*, *dy* apart by `chebyshev`, `alternating` (5-10-5) or `euclid`."""
    dx, dy = abs(dx), abs(dy)
    if metric == "chebyshev":
        return FEET * max(dx, dy)
    if metric == "alternating":
        return FEET * (max(dx, dy) + min(dx, dy) // 2)
    assert metric == "euclid", metric
    return FEET * isqrt(dx * dx + dy * dy)


def gap(a: Cell, a_side: int, b: Cell, b_side: int) -> tuple[int, int]:
    """Return how many cells lie between two spaces along x and y, counted so that neighbours are 1 apart."""
    return _gap(a[0], a_side, b[0], b_side), _gap(a[1], a_side, b[1], b_side)


def _gap(a: int, a_side: int, b: int, b_side: int) -> int:
    return max(0, b - (a + a_side - 1), a - (b + b_side - 1))


def distance(a: Cell, a_side: int, b: Cell, b_side: int, metric: str) -> int:
    """Return the feet between the nearest cells of two spaces; 5 for neighbours, 0 where they overlap."""
    dx, dy = gap(a, a_side, b, b_side)
    return feet_between(dx, dy, metric)


def cells(at: Cell, side: int) -> tuple[Cell, ...]:
    """Return the cells of the space of *side* cells whose least corner is *at*."""
    return tuple((at[0] + i, at[1] + j) for j in range(side) for i in range(side))


def nearest(at: Cell) -> Iterator[Cell]:
    """Yield every cell from *at* outward, for ever: by rings, in each by distance and then by coordinates."""
    for ring in count():
        around = range(-ring, ring + 1)
        steps = sorted((x * x + y * y, x, y) for x in around for y in around if ring in (abs(x), abs(y)))
        yield from ((at[0] + x, at[1] + y) for _, x, y in steps)


def free_place(at: Cell, side: int, is_free: Callable[[Cell], bool]) -> Cell:
    """Return the place for a space of *side* cells, all of them free, that is nearest to *at*."""
    return next(place for place in nearest(at) if all(map(is_free, cells(place, side))))


def is_step(a: Cell, b: Cell) -> bool:
    """Tell whether *b* is one of the eight neighbours of *a*."""
    return a != b and abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1


def away_from(of: Cell, of_side: int, from_: Cell, from_side: int) -> Cell:
    """Return the step that leads space *of* straight away from space *from_*.

    The direction is that of the gap between the spaces: straight where they face each other along an axis.
    An axis counts when its gap is at least half as long as the other. Between spaces that overlap it is the
    direction between their centres, and (1, 0) where those coincide.
    """
    mine, other = centre(of, of_side), centre(from_, from_side)
    dx, dy = mine[0] - other[0], mine[1] - other[1]
    across, along = gap(of, of_side, from_, from_side)
    if across or along:
        dx, dy = _sign(dx) * across, _sign(dy) * along
    if dx == 0 and dy == 0:
        return (1, 0)
    x = _sign(dx) if 2 * abs(dx) >= abs(dy) else 0
    y = _sign(dy) if 2 * abs(dy) >= abs(dx) else 0
    return (x, y)


def centre(at: Cell, side: int) -> Cell:
    """Return the centre of a space in half cells, counted from the centre of cell (0, 0)."""
    return 2 * at[0] + side - 1, 2 * at[1] + side - 1


def heights_apart(height: int, side: int, other: int, other_side: int) -> int:
    """Return the feet between two spaces' heights: 0 where they overlap, 5 for one on top of the other.

    A space is as high as it is wide; *height* and *other* are the feet under it.
    """
    low, low_side, high = (height, side, other) if height <= other else (other, other_side, height)
    return max(0, high - (low + FEET * (low_side - 1)))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def line(start: Cell, step: Cell, count: int) -> Iterator[Cell]:
    """Yield the *count* cells that follow *start* in direction *step*."""
    x, y = start
    for _ in range(count):
        x, y = x + step[0], y + step[1]
        yield (x, y)


def reachable(  # noqa: C901, PLR0912 - one loop: what it called would be called for each of eight sides
    start: Cell,
    budget: int,
    entering: Callable[[Cell], int | None],
    step: Callable[[Cell, Cell, int, int], int | None] | None = None,
    *,
    until: Callable[[Cell], bool] | None = None,
    least: Callable[[Cell], int] | None = None,
    alternating: bool = True,
) -> Reach:
    """Return each cell within *budget* feet of walking: the feet spent and the way there, nearest first.

    *entering* gives the feet of a straight step onto a cell, or None; it is asked once a cell. With
    *alternating* every second diagonal costs twice that, and a way that comes as far with a cheap diagonal to
    come is another way. Where a step costs something else, *step* says what: it gets the cell left, the cell
    entered, the diagonals walked so far and the feet of *entering*. The search is over with the first cell of
    which *until* holds. *least* gives feet that are left at least from a cell to where the search is to lead:
    what cannot get there is left out, and what is found there is the same.
    """
    found: dict[Cell, tuple[int, Way]] = {}
    prices: dict[Cell, int | None] = {}
    settled: tuple[set[Cell], set[Cell]] = (set(), set())
    offered: tuple[dict[Cell, tuple[int, int]], dict[Cell, tuple[int, int]]] = ({}, {})
    heap: list[tuple[int, int, int, Cell, Way | None]] = [(0, 0, 0, start, None)]
    order = 0
    while heap:
        spent, diagonals, _, cell, before = heappop(heap)
        odd = diagonals & alternating
        if cell in settled[odd]:
            continue
        settled[odd].add(cell)
        way = (cell, before)
        if cell not in found:
            found[cell] = (spent, way)
            if until is not None and until(cell):
                break
        x, y = cell
        for dx, dy, slanted in _STEPS:
            following = (x + dx, y + dy)
            walked = diagonals + slanted
            parity = walked & alternating
            if following in settled[parity]:
                continue
            feet = prices.get(following, _UNKNOWN)
            if feet == _UNKNOWN:
                feet = prices[following] = entering(following)
            if feet is None:
                continue
            if step is not None:
                feet = step(cell, following, diagonals, feet)
                if feet is None:
                    continue
            elif odd and slanted:
                feet *= 2
            reached = spent + feet
            if reached + (0 if least is None else least(following)) > budget:
                continue
            better = offered[parity].get(following)
            if better is not None and better <= (reached, walked):
                continue  # it comes first, so this would find the cell settled
            offered[parity][following] = (reached, walked)
            order += 1
            heappush(heap, (reached, walked, order, following, way))
    return found


def way_to(
    start: Cell,
    goal: Cell,
    budget: int,
    entering: Callable[[Cell], int | None],
    step: Callable[[Cell, Cell, int, int], int | None] | None = None,
    *,
    alternating: bool = True,
) -> tuple[Cell, ...] | None:
    """Return the way to *goal* that `reachable` finds within *budget* feet, None if there is none.

    A step costs a cell's side at least. First only what may be as short as the straight way is searched,
    then more and more: each search finds the way of the one without bounds, or none.
    """
    metric = "alternating" if alternating else "chebyshev"

    def least(cell: Cell) -> int:
        return feet_between(goal[0] - cell[0], goal[1] - cell[1], metric)

    most, more = least(start), FEET
    while True:
        most = min(most, budget)
        found = reachable(
            start, most, entering, step, until=goal.__eq__, least=least, alternating=alternating
        )
        if goal in found:
            return path_to(found, goal)
        if most == budget:
            return None
        most, more = most + more, 2 * more


def path_to(found: Reach, goal: Cell) -> tuple[Cell, ...]:
    """Return the steps from the start of a search to *goal*, the start itself left out."""
    path: list[Cell] = []
    cell, before = found[goal][1]
    while before is not None:
        path.append(cell)
        cell, before = before
    return tuple(reversed(path))
