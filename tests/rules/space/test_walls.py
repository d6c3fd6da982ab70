"""Walls and doors on edges: how an edge is written, and what it closes to a step, a space and a line."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from service.rules.space.grid import STEPS, Cell
from service.rules.space.walls import (
    UNIT,
    closed_edges,
    edge_at,
    inner_corners,
    is_line_closed,
    is_split,
    is_step_closed,
    key_of,
    wall_faults,
)

NORTH, SOUTH, WEST, EAST = (0, -1), (0, 1), (-1, 0), (1, 0)


def never_solid(_: Cell) -> bool:
    return False


@pytest.mark.parametrize("key", ["0,0|1,0", "0,0|0,1", "-3,-2|-2,-2", "-1,9|-1,10"])
def test_an_edge_is_written_with_its_left_or_upper_cell_first(key: str) -> None:
    edge = edge_at(key)
    assert edge is not None
    assert key_of(*edge) == key_of(*edge[::-1]) == key
    assert list(wall_faults([key])) == []


@pytest.mark.parametrize(
    "key",
    ["1,0|0,0", "0,1|0,0", "0,0|1,1", "0,0|2,0", "0,0|0,0", "0,0", "0,0|01,0", "0,0 |1,0", "12345,0|12346,0"],
)
def test_what_is_no_edge_is_a_fault_at_its_key(key: str) -> None:
    assert edge_at(key) is None
    ((at, detail),) = wall_faults([key])
    assert at == f"/walls/{key}"
    assert "x,y|x,y" in detail


def test_walls_and_closed_doors_are_closed_in_both_directions_and_open_doors_are_not() -> None:
    closed = closed_edges({"0,0|1,0": "wall", "0,1|1,1": "closed_door", "0,2|1,2": "open_door"})
    assert ((0, 0), (1, 0)) in closed
    assert ((1, 1), (0, 1)) in closed
    assert ((0, 2), (1, 2)) not in closed


@pytest.mark.parametrize(
    ("walls", "is_closed"),
    [
        ([], False),
        (["0,0|1,0"], False),  # the end of a wall
        (["0,0|1,0", "0,0|0,1"], True),  # an inner corner of walls
        (["0,0|1,0", "0,1|1,1"], True),  # a straight wall
        (["0,0|1,0", "1,0|1,1"], False),  # around an outer corner, by 0,1
        (["0,0|0,1", "0,1|1,1"], False),  # around an outer corner, by 1,0
        (["0,1|1,1", "1,0|1,1"], True),  # the inner corner at its other end
        (["0,0|0,1", "1,0|1,1"], True),
        (["0,0|1,0", "0,1|1,1", "0,0|0,1", "1,0|1,1"], True),
    ],
)
def test_TABLE_WALL_1_a_diagonal_passes_a_corner_if_one_way_around_it_is_open(
    walls: list[str],
    is_closed: bool,  # noqa: FBT001 - a column of the table
) -> None:
    closed = closed_edges(dict.fromkeys(walls, "wall"))
    assert is_step_closed(closed, never_solid, (0, 0), (1, 1)) == is_closed
    assert is_step_closed(closed, never_solid, (1, 1), (0, 0)) == is_closed, "both ways alike"


def test_TABLE_WALL_1_a_wall_that_ends_at_a_solid_cell_leaves_no_gap() -> None:
    closed = closed_edges({"0,0|0,1": "wall"})
    assert not is_step_closed(closed, never_solid, (0, 0), (1, 1))
    assert is_step_closed(closed, (1, 0).__eq__, (0, 0), (1, 1))
    assert not is_step_closed(frozenset(), lambda _: True, (0, 0), (1, 1)), "cells alone are for the books"


def test_TABLE_WALL_1_a_large_space_fits_between_no_two_cells_that_an_edge_divides() -> None:
    closed = closed_edges({"2,0|2,1": "wall"})
    assert is_split(closed, (2, 0), 2)
    assert is_split(closed, (1, 0), 2)
    assert not is_split(closed, (0, 0), 2)
    assert is_step_closed(closed, never_solid, (0, 0), (1, 0), 2)
    assert not is_step_closed(closed, never_solid, (0, 0), (0, 1), 2)
    inside = closed_edges({"1,0|1,1": "wall"})
    assert not is_step_closed(inside, never_solid, (1, 0), (1, 1), 2), "who is on both sides may leave"


@pytest.mark.parametrize("seed", range(10))
def test_steps_are_closed_alike_under_every_turn_of_the_map(seed: int) -> None:
    chance = random.Random(seed)
    every = [((x, y), b) for x in range(4) for y in range(4) for b in ((x + 1, y), (x, y + 1))]
    edges = chance.sample(every, 10)

    def turned(cell: Cell) -> Cell:
        return -cell[1], cell[0]

    closed = closed_edges({key_of(*edge): "wall" for edge in edges})
    after = closed_edges({key_of(turned(a), turned(b)): "wall" for a, b in edges})
    for x in range(4):
        for y in range(4):
            for dx, dy in STEPS:
                step = ((x, y), (x + dx, y + dy))
                expected = is_step_closed(after, never_solid, turned(step[0]), turned(step[1]))
                assert is_step_closed(closed, never_solid, *step) == expected


def _is_cut(start: Cell, goal: Cell, walls: list[tuple[Cell, Cell]]) -> bool:
    """Return whether a line meets the inside of an edge, or a corner with edges on both its sides."""
    (px, py), (qx, qy) = ((Fraction(a, UNIT), Fraction(b, UNIT)) for a, b in (start, goal))
    corners: dict[Cell, set[int]] = {}
    for (x, _), (i, j) in walls:
        ends = ((i, j), (i, j + 1)) if i > x else ((i, j), (i + 1, j))
        sides = [(qx - px) * (cy - py) - (qy - py) * (cx - px) for cx, cy in ends]
        crossed = [
            (bx - ax) * (ty - ay) - (by - ay) * (tx - ax)
            for (ax, ay), (bx, by) in [ends]
            for tx, ty in ((px, py), (qx, qy))
        ]
        if crossed[0] * crossed[1] >= 0:
            continue
        if sides[0] * sides[1] < 0:
            return True
        for end, own, other in ((ends[0], sides[0], sides[1]), (ends[1], sides[1], sides[0])):
            if own == 0 and other != 0:
                corners.setdefault(end, set()).add(1 if other > 0 else -1)
    return any(len(found) == 2 for found in corners.values())


@pytest.mark.parametrize("seed", range(20))
def test_whole_numbers_cut_the_lines_that_fractions_cut(seed: int) -> None:
    chance = random.Random(seed)
    every = [((x, y), b) for x in range(-1, 5) for y in range(-1, 5) for b in ((x + 1, y), (x, y + 1))]
    seen = set()
    for _ in range(150):
        walls = chance.sample(every, chance.randint(1, 14))
        closed = closed_edges({key_of(*edge): "wall" for edge in walls})
        places = [(chance.randint(0, 4), chance.randint(0, 4)) for _ in range(2)]
        start, goal = (chance.choice(inner_corners(at, chance.randint(1, 2))) for at in places)
        found = is_line_closed(closed, never_solid, start, goal)
        seen.add(found)
        assert found == is_line_closed(closed, never_solid, goal, start)
        assert found == _is_cut(start, goal, walls), (seed, start, goal, walls)
    assert seen == {True, False}
