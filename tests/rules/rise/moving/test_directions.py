"""Pushes, shoves and withdrawals lead straight away from a whole space, whatever its size (RI-MOVE-7)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.space.grid import Cell
from tests.rules.rise.kit import Fight, begun, entry

SIDES = {"large": 2, "huge": 3, "gargantuan": 4}
SIZE = pytest.mark.parametrize("size", SIDES)
GUST = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 15}]}
BLAST = {"id": "gust", "range_ft": 60, "effects": [{"does": "knockback", "amount": 20}]}


def rim(size: str) -> list[tuple[Cell, Cell]]:
    """Return each cell that touches the space of *size* at (0, 0), with the step that leads away from it."""
    side = SIDES[size]
    around = [(x, y) for x in range(-1, side + 1) for y in range(-1, side + 1)]
    steps = [(at, ((at[0] == side) - (at[0] == -1), (at[1] == side) - (at[1] == -1))) for at in around]
    return [(at, step) for at, step in steps if step != (0, 0)]


def faced(size: str) -> list[tuple[Cell, Cell]]:
    """Return the cells that face *size* along one axis and do not touch its least corner."""
    return [(at, step) for at, step in rim(size) if SIDES[size] - 1 in at and 0 in step]


EACH = pytest.mark.parametrize(("size", "at", "step"), [(s, *found) for s in SIDES for found in rim(s)])
FACED = pytest.mark.parametrize(("size", "at", "step"), [(s, *found) for s in SIDES for found in faced(s)])
LARGE = pytest.mark.parametrize(("at", "step"), faced("large"))


def after(at: Cell, step: Cell, cells: int) -> Cell:
    return at[0] + step[0] * cells, at[1] + step[1] * cells


def straight(step: Cell) -> int:
    """Return how many cells of *step* 15 feet are: every second diagonal counts double."""
    return 2 if all(step) else 3


def pair(size: str, at: Cell, *, changes: dict[str, Any] | None = None, **options: Any) -> Fight:
    """Return a fight of p, of this size at (0, 0), and e at *at*."""
    return begun(entry("mon@p/p", (0, 0), size=size, **(changes or {})), entry("mon@m/e", at), **options)


@EACH
def test_RI_MOVE_7_a_push_leads_straight_away_from_the_whole_space(size: str, at: Cell, step: Cell) -> None:
    fight = pair(size, at, changes={"abilities": [GUST]})
    fight.do("use_ability", "p", ability="gust", targets=["e"]).end("p").rest()
    assert fight["e"].position == after(at, step, straight(step))


@EACH
def test_RI_MOVE_7_a_large_target_is_pushed_straight_away_too(size: str, at: Cell, step: Cell) -> None:
    """The pusher stands beside the space of e, which goes the other way."""
    fight = begun(entry("mon@p/p", at, abilities=[GUST]), entry("mon@m/e", (0, 0), size=size))
    fight.do("use_ability", "p", ability="gust", targets=["e"]).end("p").rest()
    assert fight["e"].position == after((0, 0), step, -straight(step))


@SIZE
def test_RI_MOVE_7_two_large_spaces_that_face_each_other_part_in_a_straight_line(size: str) -> None:
    side = SIDES[size]
    for shift in range(-side + 1, side):
        fight = begun(
            entry("mon@p/p", (0, 0), size=size, abilities=[GUST]), entry("mon@m/e", (side, shift), size=size)
        )
        fight.do("use_ability", "p", ability="gust", targets=["e"]).end("p").rest()
        assert fight["e"].position == (side + 3, shift)


@LARGE
def test_RI_MOVE_7_a_knockback_hits_what_stands_straight_behind(at: Cell, step: Cell) -> None:
    fight = begun(
        entry("mon@p/p", (0, 0), size="large", abilities=[BLAST]),
        entry("mon@m/e", at),
        entry("mon@n/post", after(at, step, 2)),
    )
    fight.do("use_ability", "p", 4, ability="gust", targets=["e"]).end("p").rest()
    assert fight["e"].position == after(at, step, 1)
    assert (fight["e"].hp, fight["post"].hp) == (16, 16)


@LARGE
def test_RI_MOVE_7_a_push_ends_at_the_wall_straight_behind_and_passes_one_beside(
    at: Cell, step: Cell
) -> None:
    aside = step[1], step[0]
    behind, beside = after(at, step, 2), after(after(at, step, 1), aside, 1)
    for wall, cells in ((behind, 1), (beside, 3)):
        fight = pair("large", at, changes={"abilities": [GUST]}, terrain={f"{wall[0]},{wall[1]}": "wall"})
        fight.do("use_ability", "p", ability="gust", targets=["e"]).end("p").rest()
        assert fight["e"].position == after(at, step, cells)


@FACED
def test_RI_UNIV_SHOVE_a_large_creature_shoves_straight_on(size: str, at: Cell, step: Cell) -> None:
    fight = pair(size, at).do("shove", "p", 9, target="e", distance_ft=10).end("p").rest()
    assert fight["e"].position == after(at, step, 2)
    assert fight["p"].position == after((0, 0), step, 2)


@LARGE
def test_RI_UNIV_SHOVE_as_a_movement_goes_straight_on(at: Cell, step: Cell) -> None:
    fight = pair("large", at).do("grapple", "p", 9, target="e").end("p").rest()
    fight.do("plan_movement", "p", ability="shove", targets=["e"]).do("pass_movement", "e").throw(9)
    went = fight["p"].position
    assert went == after((0, 0), step, max(map(abs, went)))
    assert went != (0, 0)
    assert fight["e"].position == after(at, step, max(map(abs, went)))


@FACED
def test_RI_REAC_3_whoever_withdraws_goes_straight_away_from_a_large_space(
    size: str, at: Cell, step: Cell
) -> None:
    fight = pair(size, at, phase="movement").do("pass_movement", "p")
    fight.do("plan_movement", "e", ability="withdraw", targets=["p"], distance_ft=20)
    assert fight["e"].position == after(at, step, 3)


def test_RI_MOVE1_4_whoever_shoves_stops_before_the_space_of_one_that_has_moved() -> None:
    """C-18: the pushed stays, and a large pusher comes no further than to its space."""
    fight = begun(entry("pc@p/c", (0, 1)), entry("pc@p/ally", (-2, 1), size="large"))
    fight.do("move", "c", path=[[0, 2]]).end("c")
    fight.do("shove", "ally", 9, target="c", willing=True, direction=[1, 0]).end("ally").rest()
    assert fight.logged("location_effect_ignored")
    assert (fight["c"].position, fight["ally"].position) == ((0, 2), (-2, 1))
