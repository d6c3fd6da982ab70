"""Across a ledge: who reaches whom, who is in the way of a push, where one lands, who comes along."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.adjacency import feet_apart, is_adjacent
from service.rules.heartrush.creatures.character import Condition
from tests.rules.heartrush.kit import Fight, begun


def cliff(feet: int, **changes: Any) -> dict[str, Any]:
    """Return a map whose ground is *feet* higher up to column 0."""
    heights = {f"{x},{y}": feet for x in range(-6, 1) for y in range(-6, 7)}
    ledges = [f"0,{y}|1,{y}" for y in range(-6, 7)]
    return {"scenery": {"heights": heights, "ledges": ledges}, **changes}


def shove(fight: Fight, creature: str, feet: int) -> Fight:
    effect = {"kind": "push", "creature": creature, "feet": feet, "direction": [1, 0]}
    return fight.do("gm_ruling", kind="effect", decision="so it is", effects=[effect])


# --- who reaches whom ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drop", "size", "apart"),
    [(5, "medium", 5), (10, "medium", 10), (20, "medium", 20), (10, "l2", 5), (15, "l2", 10)],
)
def test_HR_FALL_4_the_drop_counts_as_distance_less_the_height_of_who_stands_below(
    drop: int, size: str, apart: int
) -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0)}, sheets={"orc": {"size": size}}, **cliff(drop))
    assert feet_apart(fight.state, fight["pia"], fight["orc"]) == apart
    assert is_adjacent(fight.state, fight["orc"], fight["pia"]) is (apart == 5)


@pytest.mark.parametrize(
    ("drop", "weapon", "house", "code"),
    [
        (5, {}, {}, None),
        (20, {}, {}, "not_in_range"),
        (20, {}, {"ledge_reach": "flat"}, None),
        (10, {}, {}, "not_in_range"),
        (10, {"tags": ["reach"]}, {}, None),
        (20, {"attack_type": "ranged"}, {}, None),
        (20, {"attack_type": "thrown"}, {}, None),
        (20, {"attack_type": "whip"}, {}, None),
    ],
)
def test_HR_FALL_4_melee_reaches_over_a_ledge_as_far_as_the_weapon_and_shots_fly_flat(
    drop: int, weapon: dict[str, Any], house: dict[str, Any], code: str | None
) -> None:
    arm = {"id": "arm", "size_class": "light", "damage_type": "piercing", **weapon}
    fight = begun(
        {"pia": (0, 0), "orc": (1, 0)}, sheets={"pia": {"weapons": [arm]}}, options=house, **cliff(drop)
    )
    if code is None:
        fight.do("engage", creature="pia", target="orc")
    else:
        assert fight.refused("engage", creature="pia", target="orc") == code


@pytest.mark.parametrize(("drop", "near"), [(5, True), (20, False)])
def test_HR_FALL_4_help_trips_and_strikes_at_movers_ask_the_same_question(drop: int, *, near: bool) -> None:
    """HR-ACT-10, HR-ACT-13, HR-MOVE-3."""
    places = {"pia": (0, 0), "ash": (1, 0), "orc": (1, 1), "wolf": (20, 20)}
    fight = begun(places, **cliff(drop))
    helped = fight.send("help", "zoe", creature="pia", target="ash")
    assert (helped.refusal is None) is near
    fight = begun({"pia": (0, 0), "orc": (1, 1), "ash": (20, 20)}, first="enemies", **cliff(drop))
    fight.given("orc", conditions={"off_balanced": Condition()})
    fight.do("dash", creature="orc", path=[[1, 2], [1, 1]])
    triggers = {event.trigger for event in fight.logged("window_opened")}
    assert ("moves" in triggers) is near
    while any("pass_window" in found.accepts for found in _waiting(fight)):
        fight.answer("pass_window", "pia")
    assert ("trip" in {event.trigger for event in fight.logged("window_opened")}) is near


def _waiting(fight: Fight) -> Any:
    from service.rules.ruleset import waiting  # noqa: PLC0415 - beside its one use

    return waiting(fight.state)


def test_HR_FALL_4_past_the_end_of_a_ledge_there_is_no_drop_between() -> None:
    short = {"heights": {"0,0": 20}, "ledges": ["0,0|1,0"]}
    fight = begun({"pia": (0, 0), "orc": (0, 1)}, scenery=short)
    assert is_adjacent(fight.state, fight["pia"], fight["orc"]), "a slope"


# --- going over somebody -------------------------------------------------------------------------------


def test_HR_FALL_2_who_stands_at_the_foot_stops_nobody_and_one_lands_beside_it() -> None:
    fight = begun({"pia": (0, 0), "ash": (1, 0), "orc": (20, 20)}, **cliff(20))
    shove(fight, "pia", 10).throw(8, 6)
    assert not fight.logged("collision")
    assert [event.creature for event in fight.logged("fell")] == ["pia"]
    assert fight["pia"].position == (2, 0)
    assert fight["ash"].position == (1, 0)


def test_HR_FALL_2_one_that_is_as_tall_as_the_drop_stops_it() -> None:
    """An L2 is ten feet tall: at a drop of five it stands in the way, at one of ten it does not."""
    for drop, stops in ((5, True), (10, False)):
        fight = begun(
            {"pia": (0, 0), "orc": (1, 0), "ash": (20, 20)}, sheets={"orc": {"size": "l2"}}, **cliff(drop)
        )
        shove(fight, "pia", 5)
        assert bool(fight.logged("push_stopped")) is stops
        assert fight["pia"].position == ((0, 0) if stops else (1, 0)), "two sizes smaller, it has room there"


def test_HR_FALL_2_where_the_foot_is_walled_in_and_full_the_push_is_stopped() -> None:
    walls = {f"{x},{y}": "wall" for x in (1, 2) for y in (-1, 0, 1) if (x, y) != (1, 0)}
    fight = begun({"pia": (0, 0), "ash": (1, 0), "orc": (20, 20)}, terrain=walls, **cliff(20))
    shove(fight, "pia", 5).throw(3)
    assert [event.blocker for event in fight.logged("push_stopped")] == ["ash"]
    assert not fight.logged("fell")


def test_HR_FALL_2_a_climber_that_loses_hold_at_the_foot_is_not_put_on_top() -> None:
    """An L2 and its climber are pushed over fifteen feet; the climber is hurt and falls off. HR-COND-23."""
    fight = begun(
        {"pia": (-3, 3), "orc": (-1, 0), "ash": (20, 20)}, sheets={"orc": {"size": "l2"}}, **cliff(15)
    )
    fight.given("pia", position=(0, 0), conditions={"creature_climber": Condition(source="orc")})
    fight.given("orc", conditions={"climbed_on": Condition(source="pia")})
    shove(fight, "orc", 10)
    assert sorted(event.creature for event in fight.logged("fell")) == ["orc", "pia"]
    assert fight["pia"].position == (2, 0)
    effect = {"kind": "lose_condition", "creature": "pia", "condition": "creature_climber"}
    off = begun({"pia": (-3, 3), "orc": (1, 0), "ash": (20, 20)}, sheets={"orc": {"size": "l2"}}, **cliff(15))
    off.given("pia", position=(1, 0), conditions={"creature_climber": Condition(source="orc")})
    off.given("orc", conditions={"climbed_on": Condition(source="pia")})
    off.do("gm_ruling", kind="effect", decision="off", effects=[effect])
    assert off["pia"].position[0] >= 1


# --- coming along ------------------------------------------------------------------------------------------


def test_HR_FALL_3_a_captive_is_not_dragged_up_a_ledge_and_comes_free() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "orc": (20, 20)}, **cliff(5))
    fight.given("pia", conditions={"grappling": Condition(source="wolf")})
    fight.given("wolf", conditions={"grappled": Condition(source="pia")})
    fight.do("sidestep", creature="pia", to=[-1, 0])
    assert fight["wolf"].position == (1, 0)
    assert not fight["wolf"].has("grappled")
    assert fight.logged("freed")[-1].because == ("HR-GRAP-8",)


@pytest.mark.parametrize("size", ["medium", "large", "l2", "l3"])
def test_HR_COND_24_a_captive_of_any_size_comes_along_into_room_of_its_own(size: str) -> None:
    """It never comes to lie in its grappler, or in anybody else."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "orc": (20, 20)}, sheets={"wolf": {"size": size}})
    fight.given("pia", conditions={"grappling": Condition(source="wolf")})
    fight.given("wolf", conditions={"grappled": Condition(source="pia")})
    fight.do("sidestep", creature="pia", to=[-1, 0])
    assert fight["wolf"].position == (0, 0)
    assert fight["wolf"].has("grappled")


def test_HR_COND_24_a_large_grappler_drags_its_captive_into_a_cell_that_it_has_left() -> None:
    """West: the cell by which it is named is one that it still fills."""
    fight = begun({"pia": (0, 0), "wolf": (2, 0), "orc": (20, 20)}, sheets={"pia": {"size": "l2"}})
    fight.given("pia", conditions={"grappling": Condition(source="wolf")})
    fight.given("wolf", conditions={"grappled": Condition(source="pia")})
    fight.do("sidestep", creature="pia", to=[-1, 0])
    assert fight["pia"].position == (-1, 0)
    assert fight["wolf"].position == (1, 0)
