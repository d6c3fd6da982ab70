"""Measure and walk the square grid: distances, steps, spaces, reachable cells, straight pushes.

A cell is (x, y) and 5 feet wide. A space is the square of cells that a creature fills, named by the cell with
the least x and y. Every order in this file is fixed, so a search finds the same path on every machine. What
walks or lists cells spends a step for each (`kernel/meter.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import chain, count, pairwise
from math import isqrt
from typing import Final, TypeAlias, TypeVar

from service.rules.kernel import values
from service.rules.kernel.meter import spend

T = TypeVar("T", bound=Hashable)

Cell: TypeAlias = values.Cell
Row: TypeAlias = tuple[int, int, int]
"""Cells side by side: their y, the least x and the greatest x."""
Way: TypeAlias = "tuple[Cell, Way | None]"
"""A walk: its last cell, and the walk before that cell, None at the start."""
Reach: TypeAlias = Mapping[Cell, tuple[int, Way]]
"""The result of a search: for each cell the feet spent and the way to it."""
Feet: TypeAlias = values.Feet
"""A distance that a client sends."""

FEET: Final = 5
"""Feet along one side of a cell."""

STEPS: Final[tuple[Cell, ...]] = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""The eight steps, straight ones first, so that a search finds the straighter of two equally short paths."""


_STEPS: Final = tuple((dx, dy, int(dx != 0 and dy != 0)) for dx, dy in STEPS)
"""The steps, each with the diagonals it adds."""

_UNKNOWN: Final = -1
"""The price of a cell for which `entering` was not called yet."""

_PLAIN_STEPS: Final = 1
"""The steps of work that a search spends for a cell."""

_OF_A_CREATURE: Final = 8
"""The cells along a side of a space that a creature may fill; they are listed for nothing."""

_FARTHEST: Final = 200
"""The cells of the longest movement: 1,000 feet."""

_SPANS_OF_A_STEP: Final = 32
"""The parts of rows that are compared in about the time of a step of work."""

_BITS_OF_A_STEP: Final = 16_384
"""The cells of a set, each a bit, that are shifted in about the time of a step of work."""

_PRICED_STEPS: Final = 3
"""The same where each of the eight steps from the cell has a price of its own."""


def is_height(feet: int) -> bool:
    """Return whether a creature can be *feet* high: in steps of 5 feet from the ground."""
    return feet >= 0 and not feet % FEET


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
    """Return the cells between two spaces along x and y; neighbours are 1 apart, overlapping spaces 0."""
    (ax, ay), (bx, by) = a, b
    wide, other = a_side - 1, b_side - 1
    return max(0, bx - ax - wide, ax - bx - other), max(0, by - ay - wide, ay - by - other)


def distance(a: Cell, a_side: int, b: Cell, b_side: int, metric: str) -> int:
    """Return the feet between the nearest cells of two spaces; 5 for neighbours, 0 where they overlap."""
    if a_side == b_side == 1:
        return feet_between(b[0] - a[0], b[1] - a[1], metric)
    dx, dy = gap(a, a_side, b, b_side)
    return feet_between(dx, dy, metric)


def cells(at: Cell, side: int) -> tuple[Cell, ...]:
    """Return the cells of the square space at *at* that is *side* cells wide."""
    if side == 1:
        return (at,)
    if side > _OF_A_CREATURE:
        spend(side * side)
    return tuple((at[0] + i, at[1] + j) for j in range(side) for i in range(side))


def is_beyond(at: Cell, side: int) -> bool:
    """Return whether any of the space at *at* that is *side* cells wide is beyond the edge of the map."""
    x, y = at
    return not (-values.EDGE <= x <= values.EDGE + 1 - side and -values.EDGE <= y <= values.EDGE + 1 - side)


def is_near_edge(at: Cell) -> bool:
    """Return whether a movement from *at* may come to the edge of the map."""
    return is_beyond((at[0] - _FARTHEST, at[1] - _FARTHEST), 2 * _FARTHEST)


def nearest(at: Cell) -> Iterator[Cell]:
    """Yield every cell from *at* outward, without end: by ring, then by distance, then by coordinates."""
    yield at
    for ring in count(1):
        spend(8 * ring)
        beside = range(-ring, ring + 1)
        edges = ((x, y) for i in beside for x, y in ((i, -ring), (i, ring), (-ring, i), (ring, i)))
        steps = sorted({(x * x + y * y, x, y) for x, y in edges})
        yield from ((at[0] + x, at[1] + y) for _, x, y in steps)


def disc(at: Cell, feet: int, metric: str) -> tuple[Row, ...]:
    """Return the cells within *feet* of *at*, by rows."""
    (x, y), reach = at, feet // FEET
    spend(max(0, 2 * reach + 1))
    rows: list[Row] = []
    wide = 0
    for away in range(reach, -1, -1):  # from the narrowest row to the widest
        while feet_between(wide + 1, away, metric) <= feet:
            wide += 1
        rows.append((away, x - wide, x + wide))
    below = [(y + away, first, last) for away, first, last in reversed(rows)]
    return (*[(y - away, first, last) for away, first, last in rows[:-1]], *below)


def overlaid(layers: Iterable[tuple[Row, T]]) -> Iterator[tuple[Row, tuple[T, ...]]]:
    """Yield the cells that *layers* cover, as the longest rows of cells that the same layers cover.

    Each row comes with the values of its layers, in their order and each once; rows come in order.
    """
    lines: dict[int, list[tuple[int, int, T]]] = {}
    for (y, first, last), value in layers:
        lines.setdefault(y, []).append((first, last, value))
    for y in sorted(lines):
        spans = lines[y]
        ends = sorted({x for first, last, _ in spans for x in (first, last + 1)})
        spend(1 + len(ends) * len(spans) // _SPANS_OF_A_STEP)
        found: list[tuple[int, int, tuple[T, ...]]] = []
        for x, end in pairwise(ends):
            on = tuple(dict.fromkeys([value for first, last, value in spans if first <= x <= last]))
            if on and found and found[-1][1] == x - 1 and found[-1][2] == on:
                found[-1] = (found[-1][0], end - 1, on)
            elif on:
                found.append((x, end - 1, on))
        yield from (((y, first, last), on) for first, last, on in found)


def free_place(
    at: Cell, side: int, is_free: Callable[[Cell], bool], is_divided: Callable[[Cell, int], bool]
) -> Cell:
    """Return the place nearest to *at* for a space *side* cells wide: all cells free, and not divided."""
    fitting = (place for place in nearest(at) if all(map(is_free, cells(place, side))))
    return next(place for place in fitting if not is_divided(place, side))


def is_step(a: Cell, b: Cell) -> bool:
    """Return whether *b* is one of the eight neighbours of *a*."""
    return a != b and abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1


def away_from(of: Cell, of_side: int, from_: Cell, from_side: int) -> Cell:
    """Return the step that leads space *of* straight away from space *from_*.

    The direction is that of the gap between the spaces: straight if they face each other along an axis. An
    axis counts if its gap is at least half as long as the other. For spaces that overlap it is the direction
    between their centres, and (1, 0) if the centres coincide.
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
    """Return the vertical feet between two spaces: 0 if they overlap, 5 if one is on top of the other.

    A space is as high as it is wide; *height* and *other* are the feet from the ground to the space.
    """
    low, low_side, high = (height, side, other) if height <= other else (other, other_side, height)
    return max(0, high - (low + FEET * (low_side - 1)))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def line(start: Cell, step: Cell, count: int) -> Iterator[Cell]:
    """Yield the *count* cells that follow *start* in direction *step*."""
    x, y = start
    for _ in range(count):
        spend()
        x, y = x + step[0], y + step[1]
        yield (x, y)


class _Search:
    """What a search walks on: the price of each cell, and of each step if it may differ.

    *entering* and *step* are those of `reachable`.
    """

    def __init__(
        self,
        entering: Callable[[Cell], int | None],
        step: Callable[[Cell, Cell, int, int], int | None] | None,
        *,
        alternating: bool,
    ) -> None:
        self.entering = entering
        self.step = step
        self.alternating = alternating
        self.prices: dict[Cell, int | None] = {}
        self.settled = 0
        """The cells that were settled, each at most once for each parity of the diagonals before it."""
        self.patience: int | None = None
        """The cells that may be settled before the search is given up; null for any number."""
        self.is_cut = False
        """Whether the last flood left out a cell for its budget alone."""

    def price(self, cell: Cell) -> int | None:
        """Return the feet of a straight step onto *cell*, None if it cannot be entered."""
        feet = self.prices.get(cell, _UNKNOWN)
        if feet == _UNKNOWN:
            feet = self.prices[cell] = self.entering(cell)
        return feet

    def flood(  # noqa: C901, PLR0912, PLR0915 - one loop, for speed: functions would be called for each of eight sides
        self,
        start: Cell,
        budget: int,
        until: Callable[[Cell], bool] | None = None,
        least: Callable[[Cell, int], int] | None = None,
    ) -> dict[Cell, tuple[int, Way]]:
        """Return what `reachable` does, up to the first cell for which *until* is true.

        *least* returns a lower bound of the feet to there from a cell, by the parity of the diagonals before
        it. Cells too far from there are left out; the way is the same.
        """
        found: dict[Cell, tuple[int, Way]] = {}
        settled: tuple[set[Cell], set[Cell]] = (set(), set())
        offered: tuple[dict[Cell, tuple[int, int]], dict[Cell, tuple[int, int]]] = ({}, {})
        heap: list[tuple[int, int, int, Cell, Way | None]] = [(0, 0, 0, start, None)]
        prices, step, alternating = self.prices, self.step, self.alternating
        cost = _PLAIN_STEPS if step is None else _PRICED_STEPS
        self.is_cut = False
        order = 0
        while heap:
            spent, diagonals, _, cell, before = heappop(heap)
            odd = diagonals & alternating
            if cell in settled[odd]:
                continue
            if self.settled == self.patience:
                break
            settled[odd].add(cell)
            self.settled += 1
            spend(cost)
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
                    feet = self.price(following)
                if feet is None:
                    continue
                if step is not None:
                    feet = step(cell, following, diagonals, feet)
                    if feet is None:
                        continue
                elif odd and slanted:
                    feet *= 2
                reached = spent + feet
                if reached + (0 if least is None else least(following, parity)) > budget:
                    self.is_cut = True
                    continue
                better = offered[parity].get(following)
                if better is not None and better <= (reached, walked):
                    continue  # the better one is popped first, so this one would find the cell settled
                offered[parity][following] = (reached, walked)
                order += 1
                heappush(heap, (reached, walked, order, following, way))
        return found

    def plain_way(self, start: Cell, by: Cell) -> tuple[Cell, ...] | None:
        """Return the way *by* so many cells, first straight and then slanted; None if it is not all open."""
        dx, dy = by
        slanted = min(abs(dx), abs(dy))
        diagonal = (_sign(dx), _sign(dy))
        straight = (diagonal[0], 0) if abs(dx) > abs(dy) else (0, diagonal[1])
        ahead = max(abs(dx), abs(dy)) - slanted
        corner = (start[0] + ahead * straight[0], start[1] + ahead * straight[1])
        cells_ahead = chain(line(start, straight, ahead), line(corner, diagonal, slanted))
        way: list[Cell] = []
        before = start
        for walked, cell in enumerate(cells_ahead, -ahead):
            feet = self.price(cell)
            if feet is not None and self.step is not None:
                feet = self.step(before, cell, max(0, walked), feet)
            if feet != FEET * (1 + (walked > 0 and walked % 2)):
                return None
            way.append(cell)
            before = cell
        return tuple(way)

    def is_shut(self, goals: Iterable[Cell], start: Cell, most: int) -> bool:
        """Return whether no walk from *start* leads to *goals*, as far as *most* cells around them show."""
        edge = [goal for goal in goals if self.price(goal) is not None]
        known, most = set(edge), most + len(edge)
        while edge:
            cell = edge.pop()
            spend(_PLAIN_STEPS if self.step is None else _PRICED_STEPS)
            for dx, dy in STEPS:
                before = (cell[0] + dx, cell[1] + dy)
                if before in known or not self._leads(before, cell):
                    continue
                if before == start or len(known) == most:
                    return False
                if self.price(before) is not None:
                    known.add(before)
                    edge.append(before)
        return True

    def _leads(self, before: Cell, cell: Cell) -> bool:
        """Return whether a step from *before* enters *cell*, after some number of diagonals."""
        feet = self.price(cell)
        if feet is None or self.step is None:
            return feet is not None
        return any(self.step(before, cell, diagonals, feet) is not None for diagonals in (0, 1))


def reachable(
    start: Cell,
    budget: int,
    entering: Callable[[Cell], int | None],
    step: Callable[[Cell, Cell, int, int], int | None] | None = None,
    *,
    alternating: bool = True,
) -> Reach:
    """Return each cell within *budget* feet of walking, nearest first, with the feet spent and the way to it.

    *entering* returns the feet of a straight step onto a cell, or None if it cannot be entered; it is called
    once for a cell. With *alternating* every second diagonal costs twice that, so two ways to a cell differ
    if the next diagonal is cheap for one of them only. *step*, if given, returns the price of a step; its
    arguments are the cell left, the cell entered, the diagonals walked so far and the feet of *entering*.
    """
    return _Search(entering, step, alternating=alternating).flood(start, budget)


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

    A step costs at least 5 feet, and whether it may be made depends on the parity of the diagonals before it
    at most.
    """
    if start == goal:
        return ()

    def least(cell: Cell, odd: int) -> int:
        dx, dy = abs(goal[0] - cell[0]), abs(goal[1] - cell[1])
        return _open_feet(dx, dy, odd) if alternating else FEET * max(dx, dy)

    search = _Search(entering, step, alternating=alternating)
    if search.price(goal) is None:
        return None
    return _widening(search, start, budget, goal.__eq__, least, lambda: [goal])


def way_near(
    mover: tuple[Cell, int],
    goal: tuple[Cell, int, int],
    budget: int,
    entering: Callable[[Cell], int | None],
    step: Callable[[Cell, Cell, int, int], int | None],
    may_end: Callable[[Cell], bool],
    patience: int | None = None,
) -> tuple[Cell, ...] | None:
    """Return the way of a mover to near a goal within *budget* feet, None if none is found.

    *mover* is its space and the side of it; *goal* is another, its side, and the feet within which the way
    ends, every second diagonal counting double; *may_end* says whether it may end on a cell. What `way_to`
    asks of a step holds here too. It is given up once as many cells are settled as its *patience*, if any.
    """
    (start, side), (at, wide, near) = mover, goal
    far = near // FEET
    # how many cells from the goal a way may end across, by how many it ends along
    columns = [far - dy // 2 if far - dy // 2 >= dy else 2 * (far - dy) + 1 for dy in range(far + 1)]
    known: dict[tuple[int, int, int], int] = {}

    def is_there(cell: Cell) -> bool:
        return distance(cell, side, at, wide, "alternating") <= near and may_end(cell)

    def least(cell: Cell, odd: int) -> int:
        dx, dy = gap(cell, side, at, wide)
        feet = known.get((dx, dy, odd))
        if feet is None:
            feet = known[dx, dy, odd] = min([_open_feet(*each, odd) for each in lacks(dx, dy)])
        return feet

    def lacks(dx: int, dy: int) -> Iterator[tuple[int, int]]:
        return ((max(0, dx - most), dy - rest) for rest, most in enumerate(columns[: dy + 1]))

    low, high = far + side - 1, far + wide

    def ends() -> Iterator[Cell]:
        for x in range(at[0] - low, at[0] + high):
            spend(low + high)
            yield from filter(is_there, ((x, y) for y in range(at[1] - low, at[1] + high)))

    search = _Search(entering, step, alternating=True)
    lacking = lacks(*gap(start, side, at, wide))
    dx, dy = min(lacking, key=lambda each: (_open_feet(each[0], each[1], 0), min(each)))
    towards = (_sign(at[0] - start[0]), _sign(at[1] - start[1]))
    if _open_feet(dx, dy, 0) <= budget:
        plain = search.plain_way(start, (dx * towards[0], dy * towards[1]))
        if plain is not None and is_there(plain[-1] if plain else start):
            return plain
    search.patience = patience
    are_few = patience is None or (low + high) ** 2 <= patience
    return _widening(search, start, budget, is_there, least, ends if are_few else None)


def _open_feet(dx: int, dy: int, odd: int) -> int:
    """Return the feet to a cell *dx*, *dy* away on open ground, after diagonals of the parity *odd*."""
    return FEET * (max(dx, dy) + (min(dx, dy) + odd) // 2)


def _widening(
    search: _Search,
    start: Cell,
    budget: int,
    is_there: Callable[[Cell], bool],
    least: Callable[[Cell, int], int],
    ends: Callable[[], Iterable[Cell]] | None,
) -> tuple[Cell, ...] | None:
    """Return the way to the first of *ends* that an unbounded search finds, None if there is none.

    The first search is bounded by the length of the way on open ground, and each further one has a wider
    bound: each finds either that way or none. Before each, about as many cells as the last one settled are
    looked at around the ends: so ends that are shut in cost little. No *ends*: they are too many to look at.
    """
    most, more = least(start, 0), FEET
    looked = most // FEET
    while most <= budget and search.settled != search.patience:
        if ends is not None and search.is_shut(ends(), start, looked):
            break
        found = search.flood(start, most, is_there, least)
        last = next(reversed(found))
        if is_there(last):  # which ends the search
            return path_to(found, last)
        if most == budget or not search.is_cut:
            break
        looked = search.settled
        most, more = min(most + more, budget), 2 * more
    return None


def ends_within(
    start: Cell,
    budget: int,
    prices: Mapping[Cell, int | None],
    barred: Collection[Cell] = (),
    *,
    alternating: bool = True,
) -> tuple[Row, ...]:
    """Return the cells where a walk of at most *budget* feet may end: by rows, and in each row by x.

    *prices* gives the feet of a straight step onto a cell, at least a cell's side, or None where nobody
    enters; every other cell costs its side. A walk may lead through *barred* cells, and not end there. These
    are the cells that `reachable` finds: here a set of cells is one integer, a bit for each, so a step from
    all of them takes a few shifts.
    """
    reach = max(0, budget) // FEET
    width = 2 * reach + 3  # a cell at each end that nobody enters: no shift leads into the next row
    spend((reach + 1) * (2 + width * width // _BITS_OF_A_STEP))
    corner = (start[0] - reach - 1, start[1] - reach - 1)
    row = ((1 << (2 * reach + 1)) - 1) << 1
    plain = _repeated(row, width, 2 * reach + 1) << width
    priced: dict[int, int] = {}
    for cell, feet in prices.items():
        bit = _bit(cell, corner, width)
        plain &= ~bit
        if feet is not None:
            priced[feet] = priced.get(feet, 0) | bit
    priced[FEET] = priced.get(FEET, 0) | plain
    first = 1 << ((reach + 1) * width + reach + 1)
    excluded = first
    for cell in barred:
        excluded |= _bit(cell, corner, width)
    settled = [0, 0]
    ahead: dict[int, list[int]] = {0: [first, 0]}
    for spent in range(budget + 1):
        if spent not in ahead:
            continue
        for odd, here in enumerate(ahead.pop(spent)):
            now = here & ~settled[odd]
            settled[odd] |= now
            if not now:
                continue
            upright = now << width | now >> width
            straight = upright | now << 1 | now >> 1
            slanted = upright << 1 | upright >> 1
            other = 1 - odd if alternating else odd
            for feet, bits in priced.items():
                _add(ahead, spent + feet, odd, straight & bits)
                _add(ahead, spent + (2 * feet if odd else feet), other, slanted & bits)
    return tuple(_rows((settled[0] | settled[1]) & ~excluded, corner, width))


def _repeated(row: int, width: int, times: int) -> int:
    """Return *row* in each of *times* rows of *width* cells."""
    found, rows = 0, 0
    for digit in f"{times:b}":  # doubled for each binary digit: adding row after row would be cubic
        found, rows = found << (width * rows) | found, 2 * rows
        if digit == "1":
            found, rows = found << width | row, rows + 1
    return found


def _bit(cell: Cell, corner: Cell, width: int) -> int:
    """Return the bit of *cell* in the square of *width* cells from *corner* on; 0 outside or on its edge."""
    x, y = cell[0] - corner[0], cell[1] - corner[1]
    return 1 << (y * width + x) if 0 < x < width - 1 and 0 < y < width - 1 else 0


def _rows(bits: int, corner: Cell, width: int) -> Iterator[Row]:
    """Yield the cells of *bits*, none of which is on the edge of the square, as the longest rows."""
    x, y = corner
    row_of = (1 << width) - 1
    while bits:
        row = bits & row_of
        while row:
            first = row & -row
            after = (row + first) & ~row  # the carry of the sum ends behind the run of ones
            after &= -after
            yield (y, x + first.bit_length() - 1, x + after.bit_length() - 2)
            row &= ~(after - first)
        bits >>= width
        y += 1


def _add(ahead: dict[int, list[int]], feet: int, parity: int, bits: int) -> None:
    """Note that the cells of *bits* are reached after *feet*, by as many diagonals as *parity* says."""
    if bits:
        ahead.setdefault(feet, [0, 0])[parity] |= bits


def path_to(found: Reach, goal: Cell) -> tuple[Cell, ...]:
    """Return the cells from the start of a search to *goal*, without the start."""
    path: list[Cell] = []
    cell, before = found[goal][1]
    while before is not None:
        path.append(cell)
        cell, before = before
    return tuple(reversed(path))
