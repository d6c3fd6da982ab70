"""How far a push goes in its parts: to a trip, to somebody hidden, to what stops it."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from tests.rules.heartrush.kit import Fight, begun, sheet

SMALL: Any = {"wolf": {"size": "small"}}
"""A small wolf is pushed 15 ft."""


def pushed(*faces: int, steady: bool = True, gob: tuple[int, int] | None = None, **changes: Any) -> Fight:
    """Return a fight in which Pia pushes the small wolf 15 ft along a row; Ash stands beside its way."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "ash": (4, 1)}, sheets=SMALL, **changes)
    if gob is not None:
        fight.do("hide_creature", entry={"sheet": sheet("gob", like="wolf"), "position": list(gob)})
    if not steady:
        fight.given("wolf", conditions={"off_balanced": Condition()})
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    return fight.answer("choose_push", "pia", *faces, distance=15)


def parts(fight: Fight) -> list[tuple[tuple[tuple[int, int], ...], int]]:
    """Return the parts of a push: the cells, and the feet that are left."""
    return [(event.path, event.left_ft) for event in fight.logged("pushed")]


def test_HR_FORCE_4_a_free_way_is_one_part() -> None:
    fight = pushed()
    assert parts(fight) == [(((2, 0), (3, 0), (4, 0)), 0)]
    assert not fight.logged("push_stopped")


def test_HR_FORCE_4_a_push_stands_still_where_somebody_may_trip_and_goes_on() -> None:
    """HR-ACT-13: Ash is beside the second cell first."""
    fight = pushed(steady=False)
    assert parts(fight) == [(((2, 0), (3, 0)), 5)]
    assert fight["wolf"].position == (3, 0)
    fight.answer("pass_window", "ash")
    assert parts(fight)[1:] == [(((4, 0),), 0)]


@pytest.mark.parametrize(
    ("x", "path", "left_ft", "faces"),
    [(2, (), 15, (1, 2, 3)), (3, ((2, 0),), 10, (1, 2)), (4, ((2, 0), (3, 0)), 5, (4,))],
)
def test_HR_FORCE_4_and_HR_FORCE_1_a_wall_stops_it_with_what_is_left(
    x: int, path: tuple[tuple[int, int], ...], left_ft: int, faces: tuple[int, ...]
) -> None:
    """Each five feet left are a die with six sides."""
    fight = pushed(*faces, terrain={f"{x},0": "wall"})
    assert parts(fight) == ([(path, left_ft)] if path else [])
    assert [event.blocker for event in fight.logged("push_stopped")] == [None]
    assert [event.mover_damage for event in fight.logged("collision")] == [sum(faces)]
    dice = [die for roll in fight.rolls for die in roll.dice if die.role == "collision"]
    assert [die.sides for die in dice] == [6] * (left_ft // 5)


@pytest.mark.parametrize("x", [2, 3, 4])
def test_HR_FORCE_4_who_was_hidden_on_the_way_is_found_and_stops_it(x: int) -> None:
    fight = pushed(*[3] * (5 - x), gob=(x, 0))
    assert [event.found_by for event in fight.logged("hidden_creature_revealed")] == ["wolf"]
    assert (fight["wolf"].position, fight["gob"].position) == ((x - 1, 0), (x, 0))
    assert parts(fight) == [(tuple((i, 0) for i in range(2, x)), 5 * (5 - x))][: x - 2]
    assert [event.blocker for event in fight.logged("push_stopped")] == ["gob"]
