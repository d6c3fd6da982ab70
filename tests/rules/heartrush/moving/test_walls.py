"""Walls and doors on edges in Heart Rush: steps, pushes, lines, neighbours, and who opens a door."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.weapons import in_range, lines_blocked
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.moving.paths import ends_of, way_within, within
from service.rules.heartrush.table.opening import Opening, faults
from service.rules.kernel.codec import Malformed, from_data
from service.rules.registry import REGISTRY
from service.usecases.openings import opening_faults
from tests.rules.heartrush.kit import Fight, begun, opening, sheet

DUEL = {"pia": (0, 0), "orc": (1, 0)}
BETWEEN = "0,0|1,0"
ROOM = dict.fromkeys(("0,0|1,0", "0,0|0,1", "-1,0|0,0", "0,-1|0,0"), "wall")
"""One cell with walls all around."""


def _faults(**changes: Any) -> dict[str, str]:
    """Return the faults of an opening, by place."""
    data = opening({"pia": (0, 0), "orc": (5, 5)}, **changes)
    return dict(faults(from_data(Opening, data, families=REGISTRY["heartrush@1"].families)))


def ruled(fight: Fight, *edges: str, becomes: str) -> str | None:
    """Let the GM rule on edges; return the code of a refusal."""
    effect = {"kind": "walls", "edges": list(edges), "becomes": becomes}
    data: dict[str, Any] = {"kind": "environment", "decision": "so be it", "effects": [effect]}
    refusal = fight.send("gm_ruling", "gm", **data).refusal
    return None if refusal is None else refusal.code


def test_TABLE_WALL_1_no_step_leads_through_a_wall_or_a_closed_door() -> None:
    for wall in ("wall", "closed_door"):
        fight = begun({"pia": (0, 0), "orc": (9, 9)}, walls={BETWEEN: wall, "0,1|1,1": wall})
        assert fight.refused("dash", creature="pia", path=[[1, 0]]) == "blocked"
        assert fight.refused("dash", creature="pia", path=[[1, 1]]) == "blocked", "no gap in a straight wall"
        assert fight.refused("sidestep", creature="pia", to=[1, 0]) == "blocked"
        fight.do("dash", creature="pia", path=[[0, 1], [1, 2]])
    begun(DUEL | {"orc": (9, 9)}, walls={BETWEEN: "open_door"}).do("dash", creature="pia", path=[[1, 0]])


def test_TABLE_WALL_1_what_is_offered_goes_around_walls() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, walls={f"0,{y}|1,{y}": "wall" for y in range(-20, 2)})
    pia = fight["pia"]
    found = within(fight.state, pia, 20)
    assert found[1, 0][0] == 20, "down two, past the end of the wall, and up"
    assert way_within(fight.state, pia, (1, 0), 40) == ((0, 1), (0, 2), (1, 1), (1, 0))
    assert set(ends_of(fight.state, pia, 20)) == set(found) - {(0, 0)}
    assert (1, 0) not in set(ends_of(fight.state, pia, 15))
    shut = begun({"pia": (0, 0), "orc": (9, 9)}, walls=ROOM)
    assert tuple(ends_of(shut.state, shut["pia"], 60)) == ()


def test_TABLE_WALL_1_a_large_creature_stops_where_a_wall_would_divide_it() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, sheets={"pia": {"size": "l2"}}, walls={"2,0|2,1": "wall"})
    assert fight.refused("dash", creature="pia", path=[[1, 0]]) == "blocked"
    fight.do("dash", creature="pia", path=[[0, 1]])


def test_HR_FORCE_1_a_push_stops_at_a_wall_as_at_a_wall_of_stone() -> None:
    for walls, cells in (({"2,0|3,0": "wall"}, {}), ({}, {"3,0": "wall"})):
        fight = begun(
            {"pia": (0, 0), "wolf": (1, 0)}, sheets={"wolf": {"size": "small"}}, walls=walls, terrain=cells
        )
        push = {"kind": "push", "creature": "wolf", "feet": 15, "direction": [1, 0]}
        decision = fight.send("gm_ruling", "gm", kind="effect", decision="shoved", effects=[push])
        assert decision.refusal is None
        fight.throw(3, 5)
        assert fight["wolf"].position == (2, 0)


def test_TABLE_WALL_1_nobody_reaches_or_engages_through_a_wall() -> None:
    fight = begun(DUEL, walls={BETWEEN: "wall"})
    assert fight.refused("engage", creature="pia", target="orc") == "total_cover"
    assert not is_adjacent(fight.state, fight["pia"], fight["orc"])
    assert ruled(fight, BETWEEN, becomes="open_door") is None
    assert is_adjacent(fight.state, fight["pia"], fight["orc"])
    fight.do("engage", creature="pia", target="orc")


def test_TABLE_WALL_1_around_the_end_of_a_wall_one_reaches_with_cover() -> None:
    fight = begun({"pia": (0, 1), "orc": (1, 0)}, walls={BETWEEN: "wall"})
    assert in_range(fight.state, fight["pia"], fight["orc"])
    corner = begun({"pia": (0, 1), "orc": (1, 0)}, walls={BETWEEN: "wall", "0,0|0,1": "wall"})
    assert in_range(corner.state, corner["pia"], corner["orc"]), "by the other way around the corner"
    shut = begun({"pia": (0, 1), "orc": (1, 0)}, walls={BETWEEN: "wall", "0,1|1,1": "wall"})
    assert not in_range(shut.state, shut["pia"], shut["orc"])


@pytest.mark.parametrize(
    ("rows", "level"), [((), 0), ((1,), 0), ((0,), 2), ((0, 2), 2), ((0, 1), 4), ((-1, 0, 1), 4), ((5, 6), 0)]
)
def test_HR_COVER_1_walls_on_edges_cut_corner_lines(rows: tuple[int, ...], level: int) -> None:
    walls = {f"1,{y}|2,{y}": "closed_door" for y in rows}
    fight = begun({"ash": (0, 0), "orc": (4, 1)}, walls=walls)
    assert lines_blocked(fight.state, fight["ash"], fight["orc"]) == level


def test_HR_COVER_1_walls_of_both_kinds_add_up() -> None:
    fight = begun(
        {"ash": (0, 0), "orc": (4, 0)}, walls={"1,0|2,0": "wall"}, terrain={"2,1": "wall", "2,-1": "wall"}
    )
    assert lines_blocked(fight.state, fight["ash"], fight["orc"]) == 4
    assert fight.refused("engage", creature="ash", target="orc") == "total_cover"


def test_HR_OA_1_nobody_strikes_at_a_mover_through_a_wall() -> None:
    walls = {f"0,{y}|1,{y}": "wall" for y in range(-9, 9)}
    path = [[0, y] for y in range(1, 7)]
    passing = begun({"pia": (0, 0), "orc": (1, 3)}, walls=walls)
    passing.do("dash", creature="pia", path=path)
    assert passing["pia"].position == (0, 6)
    seen = begun({"pia": (0, 0), "orc": (1, 3)})
    seen.do("dash", creature="pia", path=path)
    assert seen["pia"].position != (0, 6), "without the wall the orc is asked first"


def test_HR_ACT_10_help_passes_no_wall() -> None:
    fight = begun({"pia": (0, 0), "ash": (1, 0), "orc": (9, 9)}, walls={BETWEEN: "closed_door"})
    assert fight.refused("help", creature="pia", target="ash") == "not_adjacent"


def test_TABLE_WALL_2_a_door_at_ones_space_is_opened_and_closed_as_an_object() -> None:
    fight = begun({"pia": (0, 0), "orc": (5, 0)}, walls={BETWEEN: "closed_door", "4,0|5,0": "closed_door"})
    assert fight.refused("object", creature="pia", verb="open", item="4,0|5,0") == "no_valid_target"
    assert fight.refused("object", creature="pia", verb="close", item=BETWEEN) == "no_valid_target"
    assert fight.refused("object", creature="pia", verb="open", item="a door") == "no_valid_target"
    fight.do("object", creature="pia", verb="open", item=BETWEEN)
    assert fight.state.walls == {"4,0|5,0": "closed_door", BETWEEN: "open_door"}
    (opened,) = fight.logged("door_opened")
    assert (opened.creature, opened.door) == ("pia", BETWEEN)
    assert opened.because[-1] == "TABLE-WALL-2"


@pytest.mark.parametrize(
    ("walls", "said"),
    [({BETWEEN: "closed_door"}, BETWEEN), ({}, "none"), ({BETWEEN: "open_door"}, "none")],
    ids=["closed", "no door", "open"],
)
def test_TABLE_WALL_2_a_refusal_names_the_doors_at_ones_space(walls: dict[str, str], said: str) -> None:
    fight = begun({"pia": (0, 0), "orc": (5, 0)}, walls=walls)
    assert fight.refused("object", creature="pia", verb="open", item="4,0|5,0") == "no_valid_target"
    assert fight.refusal is not None
    assert fight.refusal.detail == f"4,0|5,0 is no closed door at its space; there: {said}"


def test_TABLE_WALL_2_no_door_closes_on_a_creature() -> None:
    fight = begun(
        {"pia": (0, 0), "orc": (9, 9)}, sheets={"pia": {"size": "l2"}}, walls={BETWEEN: "open_door"}
    )
    assert fight.refused("object", creature="pia", verb="close", item=BETWEEN) == "no_valid_target"
    assert ruled(fight, BETWEEN, becomes="wall") == "effect_not_possible"
    assert ruled(fight, BETWEEN, becomes="none") is None
    assert fight.state.walls == {}


def test_TABLE_WALL_2_doors_are_offered_to_who_is_beside_them() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, walls={BETWEEN: "closed_door", "0,0|0,1": "open_door"})
    offers = {
        offer.given["verb"]: tuple(offer.choices["item"])
        for offer in fight.offers("zoe", "pia")
        if offer.type == "object" and offer.given["verb"] in ("open", "close")
    }
    assert offers == {"open": (BETWEEN,), "close": ("0,0|0,1",)}


@pytest.mark.parametrize("edge", ["1,0|0,0", "0,0|1,1"])
def test_a_ruling_on_what_is_no_edge_is_refused(edge: str) -> None:
    assert ruled(begun(DUEL), edge, becomes="wall") == "effect_not_possible"
    assert ruled(begun(DUEL), edge, becomes="none") == "effect_not_possible"


def test_a_ruling_on_what_is_not_written_as_an_edge_is_malformed() -> None:
    with pytest.raises(Malformed, match="/effects/0/edges/0: an edge is written"):
        ruled(begun(DUEL), "here", becomes="wall")


def test_an_opening_names_the_edge_and_the_creature_that_cannot_be() -> None:
    faults = _faults(walls={"1,0|0,0": "wall"})
    assert "left or upper" in faults["/walls/1,0|0,0"]
    divided = _faults(sheets={"pia": {"size": "l2"}}, walls={BETWEEN: "closed_door"})
    assert divided["/creatures/0/position"].startswith("on both sides")


def test_an_opening_names_the_wall_in_which_a_creature_would_be_and_how_a_cell_is_written() -> None:
    assert _faults(terrain={"0,0": "wall"})["/creatures/0/position"] == "there is a wall at 0,0"
    data = opening({"pia": (0, 0), "orc": (5, 5)}, terrain={"5;5": "wall"})
    faults_of_reading = opening_faults(REGISTRY["heartrush@1"], data)
    assert faults_of_reading == (("/terrain/5;5", "a cell is written x,y, such as 3,-2"),)


@pytest.mark.parametrize(
    ("changes", "size"), [({"terrain": {"3,3": "wall"}}, "medium"), ({"walls": {"3,3|4,3": "wall"}}, "l2")]
)
def test_HR_SVC_5_nobody_arrives_inside_a_wall_or_on_both_sides_of_one(
    changes: dict[str, Any], size: str
) -> None:
    fight = begun(DUEL, **changes)
    wolf = sheet("wolf", size=size)
    assert fight.refused("add_creature", entry={"sheet": wolf, "position": [3, 3]}) == "opening_not_possible"
    fight.do("add_creature", entry={"sheet": wolf, "position": [4, 4]})
