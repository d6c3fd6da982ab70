"""What spreads around walls: the same cells as a walk from cell to cell finds, in far fewer steps."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from service.rules.kernel.meter import Meter
from service.rules.space.grid import FEET, Cell, disc, distance, reachable
from service.rules.space.spread import (
    Spans,
    disc_around,
    half_width,
    is_within,
    spans_of,
    spread,
    with_span,
    without_span,
)
from service.rules.space.walls import Closed, is_crossing_closed


def cells_of(spans: Spans) -> set[Cell]:
    return {(x, y) for y, row in spans.items() for first, last in row for x in range(first, last + 1)}


def edges_of(closed: Closed) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for x, y in {cell for cell, _ in closed}:
        found.setdefault(y, []).append(x)
    return found


def spreading(start: Cell, side: int, feet: int, walls: set[Cell], closed: Closed) -> set[Cell]:
    solid, edges = spans_of(walls), edges_of(closed)

    def bars(a: Cell, b: Cell) -> bool:
        return is_crossing_closed(closed, walls.__contains__, a, b)

    found = spread(
        start,
        disc_around(start, side, feet),
        lambda y: solid.get(y, ()),
        lambda y: edges.get(y, ()),
        bars if closed else None,
    )
    cells = cells_of(found)
    assert all(is_within(found, (x, y)) == ((x, y) in cells) for x in range(-9, 10) for y in range(-9, 10))
    return cells


def walked(start: Cell, side: int, feet: int, walls: set[Cell], closed: Closed) -> set[Cell]:
    """Return the same by a search from cell to cell."""

    def entering(cell: Cell) -> int | None:
        is_in = distance(start, side, cell, 1, "alternating") <= feet
        return 0 if is_in and cell not in walls else None

    def step(before: Cell, cell: Cell, _diagonals: int, feet: int) -> int | None:
        return None if is_crossing_closed(closed, walls.__contains__, before, cell) else feet

    return set(reachable(start, 0, entering, step, alternating=False))


def both(pairs: Iterable[tuple[Cell, Cell]]) -> Closed:
    return frozenset(edge for a, b in pairs for edge in ((a, b), (b, a)))


@pytest.mark.parametrize("seed", range(200))
def test_it_fills_what_a_walk_reaches(seed: int) -> None:
    random = Random(seed)
    every = [(x, y) for x in range(-8, 9) for y in range(-8, 9)]
    walls = set(random.sample(every, random.choice((0, 5, 60, 150))))
    sides = [(cell, (cell[0] + dx, cell[1] + dy)) for cell in every for dx, dy in ((1, 0), (0, 1))]
    closed = both(random.sample(sides, random.choice((0, 3, 100, 300))))
    start = (random.randint(-2, 2), random.randint(-2, 2))
    given = (start, random.randint(1, 3), FEET * random.randint(1, 9), walls, closed)
    assert spreading(*given) == walked(*given)


def test_a_wall_with_a_gap_is_gone_around_and_a_closed_one_is_not() -> None:
    ring = {(x, y) for x in range(-3, 4) for y in range(-3, 4) if max(abs(x), abs(y)) == 3}
    inside = {(x, y) for x in range(-2, 3) for y in range(-2, 3)}
    assert spreading((0, 0), 1, 480, ring, frozenset()) == inside
    assert (90, 0) in spreading((0, 0), 1, 480, ring - {(3, 1)}, frozenset())


def test_a_large_one_takes_few_steps_of_work() -> None:
    walls = {(x, y) for x in range(-40, 41, 8) for y in range(-40, 41, 8)}
    with Meter() as meter:
        assert len(spreading((0, 0), 1, 480, walls, both([((5, 5), (6, 5))]))) > 20_000
    assert meter.spent < 1_000


@pytest.mark.parametrize("feet", range(0, 105, FEET))
def test_a_disc_has_the_cells_within_its_radius(feet: int) -> None:
    assert list(disc_around((3, -4), 1, feet)) == list(disc((3, -4), feet, "alternating"))
    around = {(x, y) for y, first, last in disc_around((0, 0), 2, feet) for x in range(first, last + 1)}
    wide = range(-25, 27)
    assert around == {
        (x, y) for x in wide for y in wide if distance((0, 0), 2, (x, y), 1, "alternating") <= feet
    }
    assert half_width(feet // FEET + 1, feet) < 0


def test_spans_are_joined_and_cut() -> None:
    assert spans_of([(2, 0), (0, 0), (1, 0), (5, 0), (0, 1)]) == {0: [(0, 2), (5, 5)], 1: [(0, 0)]}
    assert with_span([(0, 2), (5, 5), (9, 9)], 3, 4) == [(0, 5), (9, 9)]
    assert with_span([(4, 5)], 0, 2) == [(0, 2), (4, 5)]
    assert without_span([(0, 5), (9, 9)], 3, 3) == [(0, 2), (4, 5), (9, 9)]
    assert without_span([(0, 5), (9, 9)], 5, 12) == [(0, 4)]
    assert without_span([(0, 5)], 7, 8) == [(0, 5)]
