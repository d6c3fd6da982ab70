"""Compact choices are the cells and paths that they are made of, in few numbers."""

from __future__ import annotations

from random import Random

import pytest

from service.rules.kernel.codec import to_data
from service.rules.space.compact import Cells, StraightPaths
from service.rules.space.grid import STEPS, Cell, line

BOARD = [(x, y) for x in range(-4, 5) for y in range(-3, 4)]


@pytest.mark.parametrize("seed", range(8))
def test_cells_are_those_that_they_are_made_of_and_rows_are_as_long_as_can_be(seed: int) -> None:
    random = Random(seed)
    some = random.sample(BOARD, random.randint(0, len(BOARD)))
    made = Cells.of(some)
    assert list(made) == sorted(some, key=lambda cell: (cell[1], cell[0]))
    assert len(made) == len(some)
    assert all(cell in made for cell in some)
    ends = {(last + 1, y) for y, _, last in made.cells}
    assert not ends & set(some), "a row goes on"


@pytest.mark.parametrize("seed", range(8))
def test_straight_paths_are_those_that_they_are_made_of_in_their_order(seed: int) -> None:
    random, start = Random(seed), (2, -3)
    every = [(step, length) for step in STEPS for length in range(1, 7)]
    some = [each for each in every if random.random() < 0.6]
    wanted = [tuple(line(start, step, length)) for step, length in some]
    made = StraightPaths.of(start, some)
    assert list(made) == wanted
    assert [path for _, path in made.lines()] == wanted
    assert [step_and_length for step_and_length, _ in made.lines()] == some
    assert list(made.or_none()) == [(), *wanted]
    assert len(made.or_none()) == len(wanted) + 1


def test_one_who_may_go_nowhere_may_stay() -> None:
    nowhere = StraightPaths(start=(0, 0), paths=())
    assert (len(nowhere), list(nowhere), bool(nowhere)) == (0, [], False)
    assert list(nowhere.or_none()) == [()]


def test_values_are_read_by_place_as_from_any_sequence() -> None:
    cells = Cells(cells=((0, 1, 3), (2, -1, -1)))
    assert (cells[0], cells[3], cells[-1], cells[1:3]) == ((1, 0), (-1, 2), (-1, 2), ((2, 0), (3, 0)))
    with pytest.raises(IndexError):
        cells[4]


def test_data_has_the_numbers_alone() -> None:
    start: Cell = (2, 6)
    assert to_data(Cells(cells=((0, 1, 12),))) == {"cells": [[0, 1, 12]]}
    assert to_data(StraightPaths(start=start, paths=((1, 0, 1, 6), (0, -1, 3, 4)))) == {
        "start": [2, 6],
        "paths": [[1, 0, 1, 6], [0, -1, 3, 4]],
    }
