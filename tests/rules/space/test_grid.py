"""Search the grid: the feet of a way are the least there are, and the way has just these feet."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from service.rules.kernel.meter import Meter
from service.rules.space.compact import Cells
from service.rules.space.grid import (
    FEET,
    STEPS,
    Cell,
    disc,
    distance,
    ends_within,
    feet_between,
    overlaid,
    path_to,
    reachable,
    way_near,
    way_to,
)

FAR = 60
NEAR = range(-4, 5)
WIDE = range(-20, 21)


def slant(before: Cell, cell: Cell, diagonals: int) -> int:
    """Return the feet of a step where every second diagonal counts double."""
    is_diagonal = before[0] != cell[0] and before[1] != cell[1]
    return FEET * (2 if is_diagonal and diagonals % 2 else 1)


def walked(path: tuple[Cell, ...]) -> int:
    feet = diagonals = 0
    for before, cell in pairwise(((0, 0), *path)):
        feet += slant(before, cell, diagonals)
        diagonals += before[0] != cell[0] and before[1] != cell[1]
    return feet


def least(walls: list[Cell]) -> dict[tuple[Cell, int], int]:
    """Return the least feet to each cell and parity, found by asking again until nothing gets less."""
    found = {((0, 0), 0): 0}
    changed = True
    while changed:
        changed = False
        for (cell, parity), feet in list(found.items()):
            for dx, dy in STEPS:
                to = (cell[0] + dx, cell[1] + dy)
                if to in walls or to[0] not in NEAR or to[1] not in NEAR:
                    continue
                node, spent = (to, parity ^ (dx != 0 and dy != 0)), feet + slant(cell, to, parity)
                if spent < found.get(node, FAR + 1):
                    found[node], changed = spent, True
    return found


def test_in_the_open_a_walk_is_as_long_as_the_distance() -> None:
    found = reachable((0, 0), 40, lambda _: FEET)
    assert found[4, 4][0] == 30
    for cell, (feet, _) in found.items():
        assert feet == feet_between(*cell, "alternating") == walked(path_to(found, cell))


@pytest.mark.parametrize("seed", range(20))
def test_around_walls_no_way_is_shorter(seed: int) -> None:
    random = Random(seed)
    walls = [cell for x in NEAR for y in NEAR if (cell := (x, y)) != (0, 0) and random.random() < 0.35]
    wanted: dict[Cell, int] = {}
    for (cell, _), feet in least(walls).items():
        wanted[cell] = min(feet, wanted.get(cell, feet))

    def entering(cell: Cell) -> int | None:
        return None if cell in walls or cell[0] not in NEAR or cell[1] not in NEAR else FEET

    found = reachable((0, 0), FAR, entering)
    assert {cell: feet for cell, (feet, _) in found.items()} == wanted
    assert all(walked(path_to(found, cell)) == feet for cell, feet in wanted.items())


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_a_way_to_one_cell_is_that_of_the_whole_search(seed: int, *, alternating: bool) -> None:
    random = Random(seed)
    ground = {(x, y): random.choice((FEET, FEET, FEET, 2 * FEET, 15, None)) for x in NEAR for y in NEAR}

    def step(before: Cell, cell: Cell, diagonals: int, feet: int) -> int | None:
        return None if cell == (before[0] + 1, before[1]) and before[1] % 2 else feet + diagonals % 2 * FEET

    for steps in (None, step):
        found = reachable((0, 0), FAR, ground.get, steps, alternating=alternating)
        for goal in ground:
            wanted = path_to(found, goal) if goal in found else None
            assert way_to((0, 0), goal, FAR, ground.get, steps, alternating=alternating) == wanted


@pytest.mark.parametrize("near", [FEET, 2 * FEET, 6 * FEET])
@pytest.mark.parametrize("seed", range(40))
def test_a_way_to_near_a_goal_is_no_longer_than_any(seed: int, near: int) -> None:
    random = Random(seed)
    is_open, side, wide = seed % 3 == 0, 1 + seed % 2, 1 + seed % 4 // 2
    kinds = (FEET,) if is_open else (FEET, FEET, FEET, 2 * FEET, None)
    ground = {(x, y): random.choice(kinds) for x in range(-8, 9) for y in range(-8, 9)}
    taken = {cell for cell in ground if not is_open and random.random() < 0.1}
    at = (random.randint(-7, 7), random.randint(-7, 7))

    def step(before: Cell, cell: Cell, diagonals: int, feet: int) -> int:
        return slant(before, cell, diagonals) + feet - FEET

    def is_end(cell: Cell) -> bool:
        return distance(cell, side, at, wide, "alternating") <= near and cell not in taken

    def feet_of(path: tuple[Cell, ...]) -> int:
        diagonals = feet = 0
        for before, cell in pairwise(((0, 0), *path)):
            feet += step(before, cell, diagonals, ground[cell] or FAR)
            diagonals += before[0] != cell[0] and before[1] != cell[1]
        return feet

    every = reachable((0, 0), FAR, ground.get, step)
    ends = [feet for cell, (feet, _) in every.items() if is_end(cell)]
    found = way_near(((0, 0), side), (at, wide, near), FAR, ground.get, step, lambda cell: cell not in taken)
    if found is None:
        assert not ends
    else:
        assert is_end(((0, 0), *found)[-1])
        assert feet_of(found) == min(ends)


def test_a_way_to_near_a_goal_on_open_ground_is_as_long_as_the_whole_search_says() -> None:
    every = reachable((0, 0), FAR, lambda _: FEET)
    for goal in every:
        for near in (FEET, 3 * FEET):
            ends = [cell for cell in every if distance(cell, 1, goal, 1, "alternating") <= near]
            found = way_near(
                ((0, 0), 1), (goal, 1, near), FAR, lambda _: FEET, lambda a, b, n, _: slant(a, b, n), bool
            )
            assert found is not None
            last = ((0, 0), *found)[-1]
            assert last in ends
            assert walked(found) == every[last][0] == every[ends[0]][0]


def test_a_way_in_the_open_looks_at_few_cells() -> None:
    asked: list[Cell] = []

    def entering(cell: Cell) -> int:
        asked.append(cell)
        return FEET

    assert way_to((0, 0), (12, 0), FAR, entering, alternating=False) is not None

    assert len(asked) == len(set(asked)) < 250, "a flood asks of six hundred"


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("budget", [0, 4, 5, 18, 30, FAR])
def test_a_walk_ends_where_the_search_leads_but_for_the_barred_cells(
    budget: int, *, alternating: bool
) -> None:
    random = Random(budget)
    for start in ((0, 0), (-3, 2)):
        prices = {(x, y): random.choice((FEET, 8, 2 * FEET, 15, None)) for x in NEAR for y in NEAR}
        whole = prices | {(x, y): FEET for x in WIDE for y in WIDE if (x, y) not in prices}
        barred = [cell for cell in prices if random.random() < 0.2]
        found = reachable(start, budget, whole.get, alternating=alternating)
        wanted = {cell for cell in found if cell != start and cell not in barred}
        rows = ends_within(start, budget, prices, barred, alternating=alternating)
        assert list(Cells(cells=rows)) == sorted(wanted, key=lambda cell: (cell[1], cell[0]))


@pytest.mark.parametrize("metric", ["chebyshev", "alternating", "euclid"])
@pytest.mark.parametrize("feet", [0, 4, 5, 10, 35, 60])
def test_a_disc_is_every_cell_within_its_feet(feet: int, metric: str) -> None:
    wide = range(-15, 16)
    wanted = [(x, y) for y in wide for x in wide if feet_between(x - 2, y + 1, metric) <= feet]
    assert list(Cells(cells=disc((2, -1), feet, metric))) == wanted


def test_layers_laid_over_each_other_are_rows_of_cells_that_are_alike() -> None:
    layers = [
        ((0, 0, 5), "mud"),
        ((0, 2, 3), "fog"),
        ((0, 3, 8), "mud"),
        ((-1, 4, 4), "wall"),
        ((0, 9, 9), "mud"),
    ]
    assert list(overlaid(layers)) == [
        ((-1, 4, 4), ("wall",)),
        ((0, 0, 1), ("mud",)),
        ((0, 2, 3), ("mud", "fog")),
        ((0, 4, 9), ("mud",)),
    ]


def shut_in(goal: Cell, side: int) -> list[Cell]:
    x, y = goal
    ring = range(-side, side + 1)
    return [(x + i, y + j) for i in ring for j in ring if side in (abs(i), abs(j))]


@pytest.mark.parametrize(("side", "most"), [(1, 30), (3, 200)])
@pytest.mark.parametrize("is_walled", [True, False])
@pytest.mark.parametrize("alternating", [True, False])
def test_a_goal_that_is_shut_in_costs_what_is_shut_in(
    side: int, most: int, *, is_walled: bool, alternating: bool
) -> None:
    goal = (180, 20)
    closed = shut_in(goal, side)

    def entering(cell: Cell) -> int | None:
        return None if is_walled and cell in closed else FEET

    def step(_: Cell, cell: Cell, _diagonals: int, feet: int) -> int | None:
        return None if cell in closed else feet

    with Meter() as meter:
        found = way_to((0, 0), goal, 1000, entering, None if is_walled else step, alternating=alternating)
    assert found is None
    assert meter.spent <= most * (1 if is_walled else 3)


def test_a_walker_that_is_shut_in_looks_at_no_more_than_its_room() -> None:
    closed = shut_in((0, 0), 3)
    with Meter() as meter:
        assert way_to((0, 0), (90, 0), 1000, lambda cell: None if cell in closed else FEET) is None
    assert meter.spent <= 400


def test_what_nobody_can_pay_is_not_searched() -> None:
    with Meter() as meter:
        assert way_to((0, 0), (200, 0), 995, lambda _: FEET) is None
    assert meter.spent == 0


def test_the_ends_of_a_long_walk_cost_a_few_steps_for_each_row() -> None:
    with Meter() as meter:
        rows = ends_within((0, 0), 1000, {}, alternating=False)
    assert len(rows) == 402, "401 rows, one of them in two parts beside the start"
    assert meter.spent <= 3000
