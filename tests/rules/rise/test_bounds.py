"""Tables and bounds of rules, one row for each entry: a changed number fails the row that has it."""

from __future__ import annotations

import pytest

from service.rules.rise.movement_and_positioning import leaving, step_feet
from service.rules.rise.vital_wounds import due
from tests.rules.rise.kit import begun, entry


@pytest.mark.parametrize(
    ("hp", "wounds", "by_halves"),
    [(1, 0, 0), (0, 0, 0), (-1, 1, 1), (-4, 1, 1), (-5, 1, 2), (-9, 1, 2), (-10, 2, 3), (-20, 3, 5)],
)
def test_RI_VITAL_1_a_wound_below_zero_and_one_for_each_maximum(hp: int, wounds: int, by_halves: int) -> None:
    for step, wanted in (("full", wounds), ("half", by_halves)):
        fight = begun(entry("pc@p/v", (0, 0), hp_max=10), options={"depth_step": step})
        fight.given("v", hp=hp)
        assert due(fight.state, fight["v"]) == wanted


def test_RI_VITAL_1_half_of_one_hit_point_counts_as_one() -> None:
    fight = begun(entry("pc@p/v", (0, 0), hp_max=1), options={"depth_step": "half"})
    fight.given("v", hp=-2)
    assert due(fight.state, fight["v"]) == 3


def test_RI_MOVE_3_one_difficult_cell_below_a_large_creature_is_enough() -> None:
    fight = begun(entry("mon@p/p", (0, 0), size="huge"), terrain={"4,1": "difficult"})
    assert fight["p"].space > 1
    assert [leaving(fight.state, fight["p"], (x, 0)) for x in (3, 4, 5)] == [5, 5, 0]


@pytest.mark.parametrize(("ground", "feet"), [("normal", 0), ("difficult", 5), ("obstacle", 5), ("wall", 0)])
def test_RI_MOVE_3_only_difficult_ground_and_obstacles_cost_more_to_leave(ground: str, feet: int) -> None:
    terrain = {} if ground == "normal" else {"3,0": ground}
    fight = begun(entry("mon@p/p", (0, 0)), terrain=terrain)
    assert leaving(fight.state, fight["p"], (3, 0)) == feet


@pytest.mark.parametrize(
    ("cell", "diagonals", "feet"),
    [((3, 5), 0, 5), ((3, 5), 1, 5), ((2, 6), 1, 5), ((3, 6), 0, 5), ((3, 6), 1, 10), ((3, 6), 2, 5)],
)
def test_RI_MOVE_2_every_second_diagonal_costs_ten(cell: tuple[int, int], diagonals: int, feet: int) -> None:
    assert step_feet((2, 5), cell, diagonals) == feet
