"""Walls and doors on edges in Rise: steps, pushes, lines, areas, and doors that groups move apart."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.codec import from_data
from service.rules.rise import RISE
from service.rules.rise.moving.movement_solver import is_narrow
from service.rules.rise.sight.vision_and_lines import has_line, is_clear
from service.rules.rise.table.opening import Opening, faults
from service.usecases.openings import opening_faults
from tests.rules.rise.kit import Fight, begun, entry, opened, opening

BETWEEN = "0,0|1,0"
EAST = ((1, 0), (2, 0))


def pair(*at: tuple[int, int], phase: str = "action", **changes: Any) -> Fight:
    """Return a fight of Pia against an enemy, at these places."""
    mine, theirs = at
    return begun(entry("pc@p/p", mine), entry("mon@m/e", theirs), phase=phase, **changes)


def offers_path(fight: Fight, path: tuple[tuple[int, int], ...]) -> bool:
    """Return whether this path is offered to Pia."""
    offers = [offer for offer in fight.offers(fight.state.controller("p")) if offer.type == "move"]
    assert offers
    return any(path in offer.choices["path"] for offer in offers)


def ruled(fight: Fight, *edges: str, becomes: str, **more: Any) -> str | None:
    """Let the GM rule on edges; return the code of a refusal."""
    effect = {"does": "walls", "edges": list(edges), "becomes": becomes, **more}
    data: dict[str, Any] = {"kind": "environment", "decision": "so be it", "effects": [effect]}
    refusal = fight.send("gm_ruling", "gm", **data).refusal
    return None if refusal is None else refusal.code


@pytest.mark.parametrize("wall", ["wall", "closed_door"])
def test_TABLE_WALL_1_no_path_leads_through_a_wall_or_a_closed_door(wall: str) -> None:
    fight = pair((0, 0), (9, 9), walls={BETWEEN: wall, "0,1|1,1": wall})
    assert fight.refused("move", "p", path=EAST) == "path_blocked"
    assert fight.refused("move", "p", path=[[1, 1]]) == "path_blocked"
    assert not offers_path(fight, EAST)
    fight.do("move", "p", path=[[0, 1], [1, 2]])


def test_TABLE_WALL_1_an_open_door_is_passed() -> None:
    fight = pair((0, 0), (9, 9), walls={BETWEEN: "open_door"})
    assert offers_path(fight, EAST)
    fight.do("move", "p", path=EAST)


def test_TABLE_WALL_1_a_large_creature_does_not_end_on_both_sides_of_a_wall() -> None:
    large = entry("mon@p/p", (0, 0), size="huge")
    fight = begun(large, entry("mon@m/e", (9, 9)), walls={"4,0|4,1": "wall"})
    assert fight["p"].space == 3
    assert fight.refused("move", "p", path=EAST) == "path_blocked"
    fight.do("move", "p", path=[[1, 0]])


def test_RI_ATK_1_a_wall_on_an_edge_ends_lines() -> None:
    fight = pair((0, 0), (1, 0), walls={BETWEEN: "closed_door"})
    assert fight.refused("strike", "p", target="e") == "no_line_of_effect"
    assert not has_line(fight.state, fight["p"], fight["e"])
    around = pair((0, 1), (1, 0), walls={BETWEEN: "closed_door"})
    assert has_line(around.state, around["p"], around["e"])
    far = pair((0, 0), (6, 0), walls={"3,0|4,0": "wall"}).state
    assert not is_clear(far, (0, 0), (6, 0))
    assert is_clear(far, (0, 0), (3, 0))
    assert is_clear(far, (0, 1), (6, 1))


@pytest.mark.parametrize(("shape", "names"), [("sphere", {"a"}), ("cylinder", {"a", "e"})])
def test_RI_ATK_1_areas_stop_at_walls_on_edges_and_cylinders_go_around(shape: str, names: set[str]) -> None:
    area = {"shape": shape, "size_ft": 15, "whom": "everyone"}
    quake = {"id": "quake", "area": area, "effects": [{"does": "damage", "amount": 3}]}
    fight = begun(
        entry("mon@u/u", (0, 0), abilities=[quake]),
        entry("mon@m/a", (-1, 0)),
        entry("mon@m/e", (1, 0)),
        walls={BETWEEN: "wall", "0,-1|1,-1": "wall"},
    )
    fight.do("use_ability", "u", ability="quake").end("u").rest()
    assert {name for name in "ae" if fight[name].hp + fight[name].dr < fight["u"].hp + fight["u"].dr} == names


def test_RI_UNIV_SHOVE_goes_no_farther_than_a_wall() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), walls={"2,0|3,0": "wall"})
    fight.do("shove", "p", 8, target="e").end("p").rest()
    assert fight["e"].position == (2, 0)


def test_RI_UNIV_THROW_a_thing_falls_before_a_wall() -> None:
    fight = begun(entry("mon@p/p", (0, 0), strength=2), phase="movement", walls={"0,2|0,3": "wall"})
    fight.do("manipulate_object", "p", what="draw", item="torch").to_actions()
    fight.do("throw", "p", item="torch", direction=[0, 1]).end("p").rest()
    assert fight.state.lying == {"torch": (0, 2)}


def test_RI_CONF_1_a_corridor_between_walls_on_edges_is_narrow() -> None:
    walls = {f"{x},{y}|{x},{y + 1}": "wall" for x in range(3) for y in (-1, 0)}
    assert is_narrow(pair((0, 0), (9, 9), walls=walls).state, (0, 0), (1, 0))
    del walls["1,0|1,1"]
    assert not is_narrow(pair((0, 0), (9, 9), walls=walls).state, (0, 0), (1, 0))


# --- doors -------------------------------------------------------------------------------------------


def test_TABLE_WALL_2_a_door_is_an_object_that_is_handled() -> None:
    fight = pair((0, 0), (9, 9), walls={BETWEEN: "closed_door", "4,0|5,0": "closed_door"})
    assert fight.allows("manipulate_object", "p", what="open", item=BETWEEN)
    assert not fight.allows("manipulate_object", "p", what="close", item=BETWEEN)
    assert fight.refused("manipulate_object", "p", what="open", item="4,0|5,0") == "invalid_target"
    fight.do("manipulate_object", "p", what="open", item=BETWEEN)
    assert fight.logged("door_opened")[-1].door == BETWEEN
    assert fight.state.walls[BETWEEN] == "closed_door", "only its own group knows"
    assert fight.state.at("p").walls[BETWEEN] == "open_door"
    assert fight.refused("manipulate_object", "p", what="close", item=BETWEEN) == "free_manipulation_spent"
    fight.do("move", "p", path=EAST).end("p").rest()
    assert fight.state.walls == {BETWEEN: "open_door", "4,0|5,0": "closed_door"}
    assert fight["p"].position == (2, 0)


def test_TABLE_WALL_2_a_door_that_is_opened_while_movements_are_planned_is_open_for_them() -> None:
    fight = pair((0, 0), (9, 9), phase="movement", walls={BETWEEN: "closed_door"})
    assert fight.refused("plan_movement", "p", path=EAST) == "path_blocked"
    fight.do("manipulate_object", "p", what="open", item=BETWEEN).do(
        "plan_movement", "p", path=EAST
    ).to_actions()
    assert fight["p"].position == (2, 0)
    assert fight.state.walls == {BETWEEN: "open_door"}


def test_TABLE_WALL_2_a_door_that_another_group_closes_stops_who_meant_to_pass() -> None:
    fight = pair((0, 0), (1, 1), phase="movement", walls={"1,0|2,0": "open_door", "1,1|2,1": "wall"})
    fight.do("plan_movement", "p", path=EAST)
    fight.send("manipulate_object", "gm", creature="e", what="close", item="1,0|2,0")
    fight.to_actions()
    assert fight["p"].position == (2, 0), "the door is not at its space, so it stays open"
    fight = pair((0, 0), (2, 0), phase="movement", walls={"1,0|2,0": "open_door"})
    fight.do("plan_movement", "p", path=[[1, 0], [2, 1]])
    fight.do("manipulate_object", "e", what="close", item="1,0|2,0").do("pass_movement", "e").to_actions()
    assert fight["p"].position == (2, 1), "past the end of the door"


def test_TABLE_WALL_2_two_groups_that_open_one_door_open_it() -> None:
    fight = pair((0, 0), (1, 0), walls={BETWEEN: "closed_door"})
    for name in "pe":
        fight.do("manipulate_object", name, what="open", item=BETWEEN).end(name)
    assert fight.state.walls == {BETWEEN: "open_door"}


def test_TABLE_WALL_2_a_group_that_opens_and_closes_a_door_leaves_it_to_the_others() -> None:
    fight = pair((0, 0), (1, 0), walls={BETWEEN: "closed_door"})
    fight.do("manipulate_object", "p", what="open", item=BETWEEN)
    fight.do("manipulate_object", "p", what="close", item=BETWEEN, pay="minor").end("p")
    fight.do("manipulate_object", "e", what="open", item=BETWEEN).end("e")
    assert fight.state.walls == {BETWEEN: "open_door"}


def test_TABLE_WALL_2_no_door_closes_on_a_creature() -> None:
    fight = begun(entry("mon@p/p", (0, 0), size="huge"), walls={BETWEEN: "open_door"}, phase="movement")
    assert not fight.allows("manipulate_object", "p", what="close", item=BETWEEN)


# --- rulings and openings ------------------------------------------------------------------------------


def test_the_gm_sets_walls_and_doors() -> None:
    fight = opened(entry("mon@p/p", (0, 0), size="huge"), entry("mon@m/e", (9, 9)))
    assert ruled(fight, "5,5|6,5", "5,6|6,6", becomes="closed_door") is None
    assert fight.state.walls == {"5,5|6,5": "closed_door", "5,6|6,6": "closed_door"}
    assert ruled(fight, "5,5|6,5", becomes="none") is None
    assert fight.state.walls == {"5,6|6,6": "closed_door"}
    assert ruled(fight, BETWEEN, becomes="wall") == "effect_not_possible", "Pia is on both sides"
    assert ruled(fight, "1,0|0,0", becomes="none") == "effect_not_possible"
    assert ruled(fight, "5,5|6,5", becomes="wall", target="p") == "effect_not_possible"
    assert ruled(fight, becomes="wall") == "effect_not_possible"


@pytest.mark.parametrize(
    ("where", "changes"),
    [
        ("/walls/1,0|0,0", {"walls": {"1,0|0,0": "wall"}}),
        ("/walls/0,0", {"walls": {"0,0": "wall"}}),
        ("/creatures/0/position", {"walls": {BETWEEN: "closed_door"}}),
    ],
)
def test_an_opening_names_the_edge_and_the_creature_that_cannot_be(where: str, changes: Any) -> None:
    data = opening(entry("mon@p/p", (0, 0), size="huge"), **changes)
    assert where in dict(faults(from_data(Opening, data)))


def test_an_opening_names_a_way_of_moving_that_is_none() -> None:
    data = opening(entry("mon@p/p", (0, 0), speeds={"lan": 30}))
    ((where, detail),) = opening_faults(RISE, data)
    assert where.startswith("/creatures/0/sheet/speeds")
    assert "land" in detail


# --- touching through a wall ---------------------------------------------------------------------------


def _held(walls: dict[str, str]) -> Fight:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), walls=walls)
    return fight.do("grapple", "e", 6, target="p").end("e").rest()


@pytest.mark.parametrize(("edge", "holds"), [("0,0|1,0", False), ("0,0|0,1", True)])
def test_RI_UNIV_GRAPPLE_no_hold_goes_through_a_wall(edge: str, *, holds: bool) -> None:
    """Where the GM raises a wall between two that hold each other, both are free."""
    fight = _held({}).to_actions()
    fight.do("ask_pause").rest()
    wall = {"does": "walls", "edges": [edge], "becomes": "wall"}
    fight.do("gm_ruling", kind="effect", decision="it falls", effects=[wall])
    assert [fight[name].has("grappled") for name in "pe"] == [holds] * 2


def test_RI_UNIV_GRAPPLE_who_shuts_the_door_between_is_free() -> None:
    fight = _held({"0,0|1,0": "open_door"}).to_actions()
    fight.do("manipulate_object", "p", what="close", item="0,0|1,0").end("p").rest()
    assert [fight[name].has("grappled") for name in "pe"] == [False] * 2


@pytest.mark.parametrize(
    ("walls", "altitude", "code"),
    [({}, 0, None), ({"0,0|1,0": "wall"}, 0, "invalid_target"), ({}, 20, "invalid_target")],
)
def test_RI_MAN_1_nobody_picks_up_what_lies_beyond_a_wall_or_far_below(
    walls: dict[str, str], altitude: int, code: str | None
) -> None:
    flying: dict[str, Any] = {"speeds": {"land": 30, "fly": 30}, "altitude": altitude} if altitude else {}
    fight = begun(
        entry("mon@p/p", (0, 0), **flying), entry("mon@m/e", (9, 9)), walls=walls, items={"orb": [1, 0]}
    )
    found = fight.send("manipulate_object", "gm", creature="p", what="pick_up", item="orb").refusal
    assert (found and found.code) == code


def test_RI_CONF_11_nobody_is_beside_whom_a_wall_keeps_off() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), walls={"0,0|1,0": "wall"})
    assert fight.state.adjacent(fight["p"], fight["e"])
    assert not fight.state.touches(fight["p"], fight["e"])
