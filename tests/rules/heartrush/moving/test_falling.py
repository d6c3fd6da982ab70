"""Ledges: who is pushed, dragged or walks over one falls by itself; only a climb leads up.

The book: a fall of 5 feet or more is an agility save against the feet fallen; what the roll lacks is damage.
"""

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.kernel.codec import Malformed
from tests.rules.heartrush.kit import Fight, begun, opened

CLIFF = {"heights": {f"{x},{y}": 20 for x in range(-6, 1) for y in range(-6, 7)}}
"""High ground up to column 0; what is east of it lies 20 ft lower."""
EDGES = {"ledges": [f"0,{y}|1,{y}" for y in range(-6, 7)]}
SHEER: dict[str, Any] = {"scenery": {**CLIFF, **EDGES}}
SLOPE: dict[str, Any] = {"scenery": CLIFF}


def ruled(fight: Fight, *effects: dict[str, Any]) -> Fight:
    """Let the GM rule *effects*; dice are thrown by the caller."""
    fight.do("gm_ruling", kind="effect", decision="so it is", effects=list(effects))
    return fight


def shove(creature: str, feet: int, direction: tuple[int, int]) -> dict[str, Any]:
    """Return the effect of a push in a direction."""
    return {"kind": "push", "creature": creature, "feet": feet, "direction": list(direction)}


# --- going over ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("faces", "damage"), [((5, 4), 11), ((8, 6), 6)])
def test_HR_FALL_2_who_walks_over_a_ledge_falls(faces: tuple[int, ...], damage: int) -> None:
    """20 ft: 5 and 4 lack 11, 8 and 6 lack 6. HR-FALL-1."""
    fight = begun({"pia": (-2, 0), "orc": (9, 9)}, **SHEER)
    fight.do("dash", *faces, creature="pia", path=[[-1, 0], [0, 0], [1, 0]])
    assert (fight.logged("fell")[-1].feet, fight["pia"].position) == (20, (1, 0))
    assert fight.logged("landed")[-1].damage == damage
    assert fight.logged("fell")[-1].because == ("HR-FALL-2", "HR-FALL-1")


def test_HR_FALL_2_a_slope_is_walked_down_and_nobody_falls() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **SLOPE)
    fight.do("dash", creature="pia", path=[[1, 0], [2, 0]])
    assert not fight.logged("fell")


def test_HR_FALL_2_a_path_ends_where_it_leads_over_a_ledge() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **SHEER)
    assert fight.refused("dash", creature="pia", path=[[1, 0], [2, 0]]) == "blocked"
    assert fight.refusal is not None
    assert fight.refusal.rule == "HR-FALL-2"


def test_HR_FALL_2_a_dash_takes_the_slope_where_there_is_one() -> None:
    """The ledge is three cells long, so the way around it is short enough."""
    short: dict[str, Any] = {"scenery": {**CLIFF, "ledges": ["0,-1|1,-1", "0,0|1,0", "0,1|1,1"]}}
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **short)
    fight.do("dash", creature="pia", to=[1, 0])
    assert not fight.logged("fell")
    assert len(fight.logged("moved")[-1].path) > 1


def test_HR_FALL_2_a_dash_leaps_where_no_other_way_leads() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **SHEER)
    goals = next(offer.choices["to"] for offer in fight.offers("zoe", "pia") if offer.type == "dash")
    assert (1, 0) in goals
    assert (2, 0) not in goals, "beyond the ledge the movement is over"
    fight.do("dash", 8, 6, creature="pia", to=[1, 0])
    assert fight.logged("fell")


def test_HR_FALL_2_a_sidestep_over_a_ledge_falls_and_drags_nobody_along() -> None:
    fight = begun({"pia": (0, 0), "orc": (-1, 0)}, **SHEER)
    fight.given("pia", conditions={"grappling": Condition(source="orc")})
    fight.given("orc", conditions={"grappled": Condition(source="pia")})
    fight.do("sidestep", 8, 6, creature="pia", to=[1, 0])
    assert [event.creature for event in fight.logged("fell")] == ["pia"]
    assert fight["orc"].position == (0, 0)
    assert not fight["orc"].has("grappled"), "20 ft apart nobody holds it any more: HR-GRAP-8"


def test_HR_FALL_2_a_captive_that_is_dragged_over_falls_too() -> None:
    fight = begun({"pia": (1, 1), "orc": (0, 0)}, **SHEER)
    fight.given("pia", conditions={"grappling": Condition(source="orc")})
    fight.given("orc", conditions={"grappled": Condition(source="pia")})
    fight.do("sidestep", 8, 6, creature="pia", to=[2, 1])
    assert [event.creature for event in fight.logged("fell")] == ["orc"]


@pytest.mark.parametrize(("feet", "falls"), [(0, 0), (5, 1)])
def test_HR_FALL_2_five_feet_are_a_fall(feet: int, falls: int) -> None:
    """Plain ground beside it, which a ruling has levelled or not."""
    step: dict[str, Any] = {"scenery": {"heights": {"0,0": 5}, "ledges": ["0,0|1,0"]}}
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **step)
    ruled(fight, {"kind": "scenery", "cells": [[0, 0]], "height_ft": feet})
    fight.do("sidestep", *(3, 3) * falls, creature="pia", to=[1, 0])
    assert len(fight.logged("fell")) == falls


@pytest.mark.parametrize(("feet", "at", "falls"), [(5, (0, 0), 0), (10, (1, 0), 1), (20, (1, 0), 1)])
def test_HR_FALL_2_who_is_pushed_over_a_ledge_falls_and_goes_no_further(
    feet: int, at: tuple[int, int], falls: int
) -> None:
    """What is left of the push is lost, and costs nothing: no wall and nobody stopped it."""
    fight = ruled(begun({"pia": (5, 5), "orc": (-1, 0)}, **SHEER), shove("orc", feet, (1, 0)))
    if falls:
        fight.throw(8, 6)
    assert (fight["orc"].position, len(fight.logged("fell"))) == (at, falls)
    assert not fight.logged("collision")


def test_HR_FALL_2_a_push_slantwise_over_a_straight_ledge_falls() -> None:
    fight = ruled(begun({"pia": (5, 5), "orc": (0, 0)}, **SHEER), shove("orc", 5, (1, 1)))
    assert fight.throw(8, 6).logged("fell")


def test_HR_FALL_2_past_the_end_of_a_ledge_a_slope_leads_down() -> None:
    """The slant from 0,0 to 1,1 passes 0,1 and its slope: nothing falls there."""
    end: dict[str, Any] = {"scenery": {**CLIFF, "ledges": ["0,0|1,0"]}}
    fight = ruled(begun({"pia": (5, 5), "orc": (0, 0)}, **end), shove("orc", 5, (1, 1)))
    assert not fight.logged("fell")


def test_HR_FALL_2_a_large_space_falls_when_its_last_cell_leaves_the_upper_ground() -> None:
    big = {"orc": {"size": "l2"}}
    fight = ruled(begun({"pia": (5, 5), "orc": (-1, 0)}, sheets=big, **SHEER), shove("orc", 5, (1, 0)))
    assert (fight["orc"].position, fight.logged("fell")) == ((0, 0), [])
    ruled(fight, shove("orc", 5, (1, 0))).throw(8, 6)
    assert [event.feet for event in fight.logged("fell")] == [20]


def test_HR_FALL_2_who_climbs_on_it_falls_with_it() -> None:
    big: dict[str, dict[str, Any]] = {"orc": {"size": "l2"}, "pia": {"size": "small", "weapons": []}}
    fight = begun({"pia": (0, 0), "orc": (0, 0)}, sheets=big, **SHEER)
    fight.given("pia", conditions={"creature_climber": Condition(source="orc")})
    fight.given("orc", conditions={"climbed_on": Condition(source="pia")})
    ruled(fight, shove("orc", 5, (1, 0))).throw(8, 6).answer("accept_damage", "orc").throw(8, 6)
    assert sorted(event.creature for event in fight.logged("fell")) == ["orc", "pia"]


def test_HR_FALL_2_outside_combat_too() -> None:
    fight = opened({"pia": (0, 0), "orc": (9, 9)}, **SHEER)
    fight.do("sidestep", 5, 4, creature="pia", to=[1, 0])
    assert fight.logged("landed")[-1].damage == 11


def test_HR_FALL_2_who_is_put_somewhere_crosses_no_ledge() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **SHEER)
    ruled(fight, {"kind": "move", "creature": "pia", "to": [1, 0]})
    assert not fight.logged("fell")


# --- going up ------------------------------------------------------------------------------------------


def test_HR_FALL_3_nobody_walks_or_sidesteps_up_a_ledge() -> None:
    fight = begun({"pia": (1, 0), "orc": (9, 9)}, **SHEER)
    assert fight.refused("dash", creature="pia", path=[[0, 0]]) == "blocked"
    assert fight.refusal is not None
    assert fight.refusal.rule == "HR-FALL-3"
    assert fight.refused("dash", creature="pia", to=[0, 0]) == "insufficient_movement"
    assert fight.refused("sidestep", creature="pia", to=[0, 0]) == "blocked"
    goals = [tuple(offer.choices.get("to", ())) for offer in fight.offers("zoe", "pia")]
    assert all((0, 0) not in cells for cells in goals)


def test_HR_FALL_3_from_below_a_ledge_stops_a_push_as_a_wall_does() -> None:
    """10 ft, 5 of them left at the foot of the ledge: 1d6. HR-FORCE-1."""
    fight = ruled(begun({"pia": (9, 9), "orc": (2, 0)}, **SHEER), shove("orc", 10, (-1, 0)))
    assert fight.throw(4).logged("collision")[-1].mover_damage == 4
    assert fight["orc"].position == (1, 0)


@pytest.mark.parametrize(("start", "goal"), [((1, 0), (0, 0)), ((0, 0), (1, 0))])
def test_HR_FALL_3_a_climb_leads_up_a_ledge_and_down_without_a_fall(
    start: tuple[int, int], goal: tuple[int, int]
) -> None:
    fight = begun({"pia": start, "orc": (9, 9)}, terrain={"1,0": "climb"}, **SHEER)
    fight.do("dash", creature="pia", to=list(goal))
    assert fight["pia"].position == goal
    assert not fight.logged("fell")


def test_HR_FALL_3_who_is_pushed_does_not_climb() -> None:
    climb = {"1,0": "climb"}
    fight = begun({"pia": (9, 9), "orc": (0, 0)}, terrain=climb, **SHEER)
    assert ruled(fight, shove("orc", 5, (1, 0))).throw(8, 6).logged("fell")


# --- the map -------------------------------------------------------------------------------------------


def test_HR_FALL_2_the_gm_makes_a_ledge_and_takes_it_away() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **SLOPE)
    ruled(fight, {"kind": "scenery", "edges": ["0,0|1,0"], "ledge": True})
    assert fight.state.scenery.ledges == ("0,0|1,0",)
    ruled(fight, {"kind": "scenery", "edges": ["0,0|1,0"], "ledge": False})
    assert not tuple(fight.state.scenery.ledges)


@pytest.mark.parametrize(
    "effect", [{"edges": ["0,0|1,0"]}, {"ledge": True}, {"edges": ["0,0|2,0"], "ledge": True}]
)
def test_a_ruling_about_ledges_names_edges_and_what_they_become(effect: dict[str, Any]) -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **SLOPE)
    effects = [{"kind": "scenery", **effect}]
    assert fight.refused("gm_ruling", kind="effect", decision="so it is", effects=effects)


@pytest.mark.parametrize("ledge", ["0,0|2,0", "5,0|6,0"])
def test_an_opening_with_a_ledge_that_is_none_is_refused(ledge: str) -> None:
    with pytest.raises(AssertionError, match="/scenery/ledges/0"):
        opened({"pia": (0, 0), "orc": (9, 9)}, scenery={**CLIFF, "ledges": [ledge]})


def test_an_opening_with_a_ledge_that_is_no_edge_is_malformed() -> None:
    with pytest.raises(Malformed, match="/opening/scenery/ledges/0: an edge is written"):
        opened({"pia": (0, 0), "orc": (9, 9)}, scenery={**CLIFF, "ledges": ["x"]})


def test_HR_CAST_1_a_dash_goes_over_a_ledge_where_a_spell_leaves_no_feet_for_the_way_around() -> None:
    short: dict[str, Any] = {"scenery": {**CLIFF, "ledges": ["0,-1|1,-1", "0,0|1,0", "0,1|1,1"]}}
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, **short).given("pia", spell_cast=True, moved_ft=20)
    assert (1, 0) in {cell for offer in fight.offers("zoe", "pia") for cell in offer.choices.get("to", ())}
    fight.do("dash", creature="pia", to=[1, 0])
    assert fight["pia"].position == (1, 0)
