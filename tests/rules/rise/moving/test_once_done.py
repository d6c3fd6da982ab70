"""What was done is not done again: no wall, door or push that comes later takes a movement back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, begun, entry, opened

DOOR = "2,0|3,0"
WALLS = {f"2,{y}|3,{y}": "wall" for y in range(-3, 4) if y}
SHUT = {**WALLS, DOOR: "closed_door"}
OPEN = {**WALLS, DOOR: "open_door"}
FAR = entry("mon@m/e", (9, 9))
RAISE = {
    "id": "raise",
    "usage": "minor",
    "range_ft": 60,
    "zone": {"kind": "wall", "radius_ft": 5, "until": "brief"},
}


def east(end: int) -> list[list[int]]:
    return [[x, 0] for x in range(1, end + 1)]


def close(fight: Fight, who: str, **more: Any) -> None:
    fight.do("manipulate_object", who, what="close", item=DOOR, **more)


def test_RI_RES_16_who_shuts_the_door_behind_itself_is_beyond_it() -> None:
    fight = begun(entry("pc@p/a", (0, 0)), FAR, walls=OPEN).do("move", "a", path=east(3))
    close(fight, "a")
    fight.end("a").rest()
    assert fight["a"].position == (3, 0)
    assert fight.state.walls[DOOR] == "closed_door"
    assert not fight.logged("movement_stopped")


def test_RI_RES_16_who_opens_walks_through_and_shuts_is_beyond() -> None:
    fight = begun(entry("pc@p/a", (2, 0)), FAR, walls=SHUT)
    fight.do("manipulate_object", "a", what="open", item=DOOR).do("move", "a", path=[[3, 0]])
    close(fight, "a", pay="minor")
    fight.end("a").rest()
    assert fight["a"].position == (3, 0)


def test_RI_RES_16_a_pause_half_way_at_the_door() -> None:
    fight = begun(entry("pc@p/a", (0, 0)), FAR, walls=OPEN).do("move", "a", path=east(3), pause=True)
    close(fight, "a")
    fight.do("move", "a", path=[[4, 0], [5, 0]]).end("a").rest()
    assert fight["a"].position == (5, 0)


def test_RI_RES_16_an_ally_shuts_the_door_behind_it() -> None:
    fight = begun(entry("pc@p/a", (0, 0)), entry("pc@p/b", (1, 1)), FAR, walls=OPEN)
    fight.do("move", "a", path=east(5)).end("a").do("move", "b", path=[[2, 0]])
    close(fight, "b")
    fight.end("b").rest()
    assert (fight["a"].position, fight["b"].position) == ((5, 0), (2, 0))
    assert not fight.rolls, "within a group nothing is simultaneous"


@pytest.mark.parametrize("side", ["pc@p", "mon@m"])
def test_RI_RES_16_nobody_raises_a_wall_in_a_way_that_has_been_walked(side: str) -> None:
    fight = begun(entry("pc@p/a", (0, 0)), entry(f"{side}/b", (1, 3), abilities=[RAISE]), FAR)
    fight.do("move", "a", path=east(6)).end("a")
    fight.do("use_ability", "b", ability="raise", at=[3, 0]).end("b").rest()
    assert fight["a"].position == (6, 0)


def test_RI_RES_16_a_door_that_another_group_shuts_in_the_phase() -> None:
    fight = begun(entry("pc@p/a", (0, 0)), entry("mon@m/e", (3, 1)), walls=OPEN)
    fight.do("move", "a", path=east(6)).end("a").do("move", "e", path=[[4, 1], [3, 0]])
    close(fight, "e")
    fight.end("e").throw(9, 2)
    assert fight.state.walls[DOOR] == "closed_door"
    assert (fight["a"].position, fight["e"].position) == ((6, 0), (3, 0)), "a was quicker than e"


def test_RI_RES_16_a_charge_through_a_door_that_is_shut_in_the_phase() -> None:
    fight = begun(entry("pc@p/a", (0, 0)), entry("mon@m/e", (6, 0)), entry("mon@m/f", (3, 1)), walls=OPEN)
    fight.do("charge", "a", 9, 3, path=east(5), target="e").end("a")
    fight.do("move", "f", path=[[3, 2]])
    close_by = fight.send("manipulate_object", "gm", creature="f", what="close", item=DOOR).refusal
    assert close_by is not None, "too far away"
    fight.end("f").rest()
    assert fight["a"].position == (5, 0)


def test_RI_RES_16_an_ally_pushes_somebody_into_the_way_behind_it() -> None:
    walls = {f"{x},0|{x},1": "wall" for x in range(1, 6)}
    walls |= {f"{x},-1|{x},0": "wall" for x in range(1, 6) if x != 3}
    fight = begun(entry("pc@p/a", (0, 0)), entry("pc@p/b", (3, -3)), entry("mon@m/e", (3, -2)), walls=walls)
    fight.do("move", "a", path=east(6)).end("a").do("shove", "b", 9, target="e").end("b").rest()
    assert (fight["a"].position, fight["e"].position) == ((6, 0), (3, 0))
    assert not fight.state.initiative, "within a group nothing is simultaneous"


def test_RI_RES_16_a_portcullis_that_the_gm_grants_falls_behind() -> None:
    fight = begun(entry("pc@p/a", (0, 0)), FAR, options={"auto_default": True})
    fight.do("move", "a", path=east(5)).do("improvise", "a", deed="drop it", pay="minor").end("a").rest()
    wall = {"does": "walls", "edges": [DOOR], "becomes": "wall"}
    fight.do("judge_deed", prompt="r1/action/deeds/0/a", effects=[wall])
    assert fight["a"].position == (5, 0)


def test_RI_RES_16_a_plan_stands_on_the_ground_on_which_it_was_made() -> None:
    """A door that another group shuts while all plan does not stop who planned to pass it."""
    fight = begun(entry("pc@p/a", (0, 0)), entry("mon@m/e", (3, 0)), phase="movement", walls=OPEN)
    fight.do("plan_movement", "a", path=east(4))
    close(fight, "e")
    fight.do("plan_movement", "e", path=[[3, 1]]).to_actions()
    assert fight.state.walls[DOOR] == "closed_door"
    assert fight["a"].position == (4, 0)


# --- through is not into -------------------------------------------------------------------------------

MEND = {"id": "mend", "tags": ["swift"], "usage": "minor", "effects": [{"does": "heal_hp", "amount": 10}]}
WARD = {"id": "ward", "tags": ["swift"], "usage": "minor", "effects": [{"does": "heal_dr", "amount": 9}]}


@pytest.mark.parametrize("spell", [MEND, WARD], ids=["n38", "n73"])
@pytest.mark.parametrize(("path", "end"), [([[0, 0], [1, 0]], (0, 0)), ([[0, 0], [1, 0], [2, 0]], (0, 0))])
def test_RI_RES_16_who_looks_felled_and_stands_stops_who_meets_it(
    spell: dict[str, Any], path: list[list[int]], end: tuple[int, int]
) -> None:
    h = entry("mon@m/h", (1, 0), abilities=[spell], hp=3, dr_max=9, dr=0)
    fight = begun(entry("pc@p/x1", (0, 1)), entry("pc@p/x2", (-1, 0)), h, phase="movement")
    for name in ("x1", "x2", "h"):
        fight.do("pass_movement", name)
    fight.do("commit_swift", "h", ability=spell["id"]).do("no_more_swift", "h")
    fight.do("strike", "x1", 8, 5, target="h").end("x1")
    fight.do("move", "x2", path=path).end("x2").rest()
    assert not fight["h"].defeated
    assert (fight["x2"].position, fight["h"].position) == (end, (1, 0))
    (stopped,) = fight.logged("movement_stopped")
    assert (stopped.creature, stopped.by, stopped.lost[0]) == ("x2", "h", (1, 0))


def test_RI_RES_16_who_is_saved_late_stops_who_meets_it() -> None:
    """n75: a healing that is not Swift, in a house where it saves."""
    salve = {"id": "salve", "range_ft": 60, "effects": [{"does": "heal_hp", "amount": 10}]}
    fight = begun(
        entry("pc@p/x1", (0, 1)),
        entry("pc@p/x2", (-1, 0)),
        entry("mon@m/h", (1, 0), hp=3),
        entry("mon@m/k", (5, 5), abilities=[salve]),
        options={"late_healing": "saves"},
    )
    fight.do("strike", "x1", 8, 5, target="h").end("x1").do("move", "x2", path=[[0, 0], [1, 0]]).end("x2")
    fight.do("use_ability", "k", ability="salve", targets=["h"]).end("k").rest()
    assert not fight["h"].defeated
    assert (fight["x2"].position, fight["h"].position) == ((0, 0), (1, 0))
    assert [(event.creature, event.by) for event in fight.logged("movement_stopped")] == [("x2", "h")]


def test_RI_RES_16_who_lies_felled_is_walked_over() -> None:
    fight = begun(entry("pc@p/x1", (0, 1)), entry("pc@p/x2", (-1, 0)), entry("mon@m/h", (1, 0), hp=3))
    fight.do("strike", "x1", 8, 5, target="h").end("x1")
    fight.do("move", "x2", path=[[0, 0], [1, 0]]).end("x2").rest()
    assert fight["h"].defeated
    assert fight["x2"].position == (1, 0)


@pytest.mark.parametrize("accept", [True, False])
def test_RI_UNIV_OVERRUN_ends_before_whom_it_ran_over(*, accept: bool) -> None:
    fight = begun(entry("pc@p/x2", (0, 0)), entry("mon@m/y1", (2, 0)), phase="movement")
    fight.do("plan_movement", "x2", ability="overrun", path=[[1, 0], [2, 0]]).do("pass_movement", "y1")
    fight.do("step_aside", "y1", *(() if accept else (9,)), accept=accept).to_actions()
    assert (fight["x2"].position, fight["y1"].position) == ((1, 0), (2, 0))


def test_RI_UNIV_OVERRUN_leads_past_whom_it_ran_over() -> None:
    fight = begun(entry("pc@p/x2", (0, 0)), entry("mon@m/y1", (2, 0)), phase="movement")
    fight.do("plan_movement", "x2", ability="overrun", path=east(3)).do("pass_movement", "y1")
    fight.do("step_aside", "y1", accept=True).to_actions()
    assert fight["x2"].position == (3, 0)


def test_RI_MOVE_10_a_jump_onto_somebody_comes_down_beside_it() -> None:
    fight = begun(entry("pc@p/x2", (0, 0)), entry("mon@m/y1", (2, 0)), phase="movement")
    fight.do("plan_movement", "x2", ability="jump", path=[[1, 0], [2, 0]]).do("pass_movement", "y1")
    fight.to_actions().rest()
    assert (fight["x2"].altitude, fight["x2"].aloft) == (0, None)
    assert fight["x2"].position == (1, 0)
    assert not fight["x2"].has("squeezing")


@pytest.mark.parametrize("taken", ["creature", "wall"])
def test_RI_GM_4_nobody_is_put_where_somebody_is(taken: str) -> None:
    terrain = {"3,0": "wall"} if taken == "wall" else {}
    fight = opened(
        entry("pc@p/e", (0, 0)), entry("mon@m/y", (3, 0) if not terrain else (9, 9)), terrain=terrain
    )
    there = {"does": "locate", "target": "e", "to": [3, 0]}
    refusal = fight.send("gm_ruling", "gm", kind="effect", decision="so", effects=[there]).refusal
    assert refusal is not None
    assert refusal.code == "effect_not_possible"
    fight.do("gm_ruling", kind="effect", decision="so", effects=[{**there, "to": [2, 0]}])
    assert fight["e"].position == (2, 0)


# --- a push goes as far as its pusher ------------------------------------------------------------------


def test_RI_MOVE1_4_a_push_ends_where_the_pusher_cannot_go_on() -> None:
    """m53: an enemy stands where the pusher would walk along."""
    fight = begun(entry("pc@p/e", (0, 0)), entry("mon@m/t", (1, 1)), entry("mon@m/w", (1, 0)))
    fight.do("shove", "e", 9, target="t", direction=[1, 0]).end("e").rest()
    assert (fight["e"].position, fight["t"].position) == ((0, 0), (1, 1))


def test_RI_MOVE1_4_both_stop_where_one_of_them_would_be_in_a_friend() -> None:
    """The pusher could stand 15 feet on, and the pushed only 10 feet on."""
    cast = [entry("pc@p/e", (0, 0)), entry("mon@m/t", (1, 0)), entry("mon@m/w", (4, 0))]
    fight = begun(*cast).do("shove", "e", 9, target="t").end("e").rest()
    assert (fight["e"].position, fight["t"].position) == ((2, 0), (3, 0))


@pytest.mark.parametrize(
    ("faces", "ends"), [((9, 2), ((3, 0), (4, 0), (4, 1))), ((2, 9), ((2, 0), (3, 0), (4, 0)))]
)
def test_RI_REAC_6_pusher_and_pushed_never_roll_against_each_other(
    faces: tuple[int, int], ends: tuple[tuple[int, int], ...]
) -> None:
    """m07: a third one wants the space of the pushed; the pusher stays behind that, without a check."""
    cast = [entry("pc@p/e", (0, 0)), entry("mon@m/t", (1, 0)), entry("mon@z/z", (4, 2))]
    fight = begun(*cast).do("shove", "e", 9, target="t").end("e")
    fight.do("move", "z", path=[[4, 1], [4, 0]]).end("z").do("pass_turn", "t").throw(*faces)
    assert [event.creature for event in fight.logged("initiative_rolled")] == ["t", "z"]
    assert tuple(fight[name].position for name in "etz") == ends


def test_RI_MOVE1_4_a_rider_is_pushed_no_farther_than_its_pusher_goes() -> None:
    """m30: its horse stands in the pusher's way."""
    horse = entry("mon@m/h", (1, 0), carries_riders=True, combat_trained=True)
    fight = begun(entry("pc@p/e", (0, 0)), entry("mon@m/r", (1, 0), mount="h"), horse)
    fight.do("shove", "e", 9, target="r").end("e").rest()
    assert [fight[name].position for name in "erh"] == [(0, 0), (1, 0), (1, 0)]
    assert fight["r"].mount == "h"
