"""Search the grid: the feet of a way are the least there are, and the way has just these feet."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from service.rules.grid import FEET, STEPS, Cell, feet_between, path_to, reachable

FAR = 60
NEAR = range(-4, 5)


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
    found = reachable((0, 0), 40, slant)
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

    def cost(before: Cell, cell: Cell, diagonals: int) -> int | None:
        closed = cell in walls or cell[0] not in NEAR or cell[1] not in NEAR
        return None if closed else slant(before, cell, diagonals)

    found = reachable((0, 0), FAR, cost)
    assert {cell: feet for cell, (feet, _) in found.items()} == wanted
    assert all(walked(path_to(found, cell)) == feet for cell, feet in wanted.items())
