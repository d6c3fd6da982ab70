"""Find what fills a shape from one cell on and goes around walls: by runs of cells, not cell by cell.

A run is cells side by side with no wall among them; a cell beside a closed edge is a run of its own. So a
large shape with few walls takes about as many steps of work as it has rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, TypeAlias

from service.rules.kernel.meter import spend
from service.rules.space.grid import FEET, Cell, Row

Span: TypeAlias = tuple[int, int]
"""Cells side by side: the least x and the greatest x."""
Spans: TypeAlias = Mapping[int, Sequence[Span]]
"""Cells by rows: for each y its spans, in order."""

_SPANS_OF_A_STEP: Final = 8
"""The spans that are cut out of a row in about the time of a step of work."""


def half_width(away: int, feet: int) -> int:
    """Return how many cells a row *away* from a cell reaches to either side within *feet* by 5-10-5.

    It is below zero where the whole row is too far.
    """
    reach = feet // FEET
    wide = reach - away // 2
    return wide if wide >= away else 2 * (reach - away) + 1 if away <= reach else -1


def disc_around(at: Cell, side: int, feet: int) -> Iterator[Row]:
    """Yield the cells within *feet* of the space at *at*, *side* cells wide, by rows from the top."""
    (x, y), reach = at, feet // FEET
    for row in range(y - reach, y + side + reach):
        wide = half_width(max(0, y - row, row - y - side + 1), feet)
        yield row, x - wide, x + side - 1 + wide


def with_span(spans: Sequence[Span], first: int, last: int) -> list[Span]:
    """Return *spans* with these cells added, in order."""
    touching = [span for span in spans if span[0] <= last + 1 and span[1] >= first - 1]
    joined = (min([first, *(a for a, _ in touching)]), max([last, *(b for _, b in touching)]))
    return sorted((*(span for span in spans if span not in touching), joined))


def without_span(spans: Sequence[Span], first: int, last: int) -> list[Span]:
    """Return *spans* without these cells, in order."""
    parts = [part for a, b in spans for part in ((a, min(b, first - 1)), (max(a, last + 1), b))]
    return [(a, b) for a, b in dict.fromkeys(parts) if a <= b]


def spans_of(cells: Iterable[Cell]) -> Spans:
    """Return *cells* by rows, as the longest spans."""
    found: dict[int, list[Span]] = {}
    for y, x in sorted((y, x) for x, y in cells):
        row = found.setdefault(y, [])
        if row and row[-1][1] >= x - 1:
            row[-1] = (row[-1][0], x)
        else:
            row.append((x, x))
    return found


def is_within(spans: Spans, cell: Cell) -> bool:
    """Return whether *cell* is one of the cells of *spans*."""
    x, y = cell
    return any(first <= x <= last for first, last in spans.get(y, ()))


def spread(
    start: Cell,
    shape: Iterable[Row],
    solid: Callable[[int], Sequence[Span]],
    beside: Callable[[int], Sequence[int]],
    bars: Callable[[Cell, Cell], bool] | None,
) -> Spans:
    """Return the cells of *shape* that a walk inside it reaches from *start*, which may be a wall itself.

    A walk takes any of the eight steps. *shape* has one span in each row; *solid* gives the cells of wall of
    a row, in order, and *beside* the x of those that touch a closed edge. *bars* says whether an edge keeps
    apart two cells that touch; None if no edge is closed.
    """
    rows: dict[int, list[Span]] = {}
    lone: set[Cell] = {start}
    for y, first, last in shape:
        walls, edges = solid(y), beside(y)
        spend(1 + (len(walls) + len(edges)) // _SPANS_OF_A_STEP)
        if y == start[1]:
            walls, edges = without_span(walls, start[0], start[0]), (*edges, start[0])
        rows[y] = list(_runs((first, last), walls, edges))
        lone.update((x, y) for x in edges)
    reached, edge = {(start[1], start[0], start[0])}, [(start[1], start[0], start[0])]
    while edge:
        run = edge.pop()
        spend()
        for other in _touching(run, rows):
            if other not in reached and _leads(run, other, lone, bars):
                reached.add(other)
                edge.append(other)
    found: dict[int, list[Span]] = {}
    for y, a, b in sorted(reached):
        found.setdefault(y, []).append((a, b))
    return found


def _runs(row: Span, walls: Sequence[Span], edges: Sequence[int]) -> Iterator[Span]:
    """Yield what *walls* leave of *row*, in order, each cell of *edges* by itself."""
    x, end = row
    cuts = (*((first, 0, last) for first, last in walls), *((at, 1, at) for at in dict.fromkeys(edges)))
    for first, is_free, last in sorted(cuts):
        if first > end or last < x:
            continue
        if first > x:
            yield x, first - 1
        if is_free:
            yield first, last
        x = last + 1
    if x <= end:
        yield x, end


def _touching(run: Row, rows: Spans) -> Iterator[Row]:
    """Yield the runs with a cell that touches one of *run*."""
    y, a, b = run
    for row in (y - 1, y, y + 1):
        runs = rows.get(row, ())
        for first, last in runs[max(0, bisect_left(runs, (a - 1, a - 1)) - 1) :]:
            if first > b + 1:
                break
            if last >= a - 1:
                yield row, first, last


def _leads(run: Row, other: Row, lone: set[Cell], bars: Callable[[Cell, Cell], bool] | None) -> bool:
    """Return whether a step leads from *run* to *other*, which touches it."""
    (y, a, b), (row, c, d) = run, other
    if bars is None or ((a, y) not in lone and (c, row) not in lone):
        return True
    ends = product(range(max(a, c - 1), min(b, d + 1) + 1), range(max(c, a - 1), min(d, b + 1) + 1))
    return any(abs(x - i) <= 1 and not bars((x, y), (i, row)) for x, i in ends)
