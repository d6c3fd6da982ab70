"""What changes while a movement waits for answers changes the movement, and the answers too."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.ruleset import waiting
from tests.rules.heartrush.casts import ability, declare, do, let_go
from tests.rules.heartrush.kit import Fight, begun, sheet

PLACES = {"pia": (0, 0), "bru": (0, 1), "wolf": (1, 0), "ash": (9, 0)}
WAY = [[2, 0], [3, 0], [4, 0]]


def leaving(**changes: Any) -> Fight:
    """Return a fight in which the wolf leaves Pia's reach and Bru's, who are asked whether they strike."""
    fight = begun(PLACES, first="enemies", **changes).do("dash", creature="wolf", path=WAY)
    assert fight.waits_for() == ["pia", "bru"]
    return fight


def ruled(fight: Fight, **effect: Any) -> Fight:
    return fight.do("gm_ruling", kind="effect", decision="so it is", effects=[effect])


def passed(fight: Fight) -> Fight:
    """Let pass whatever window is open."""
    while windows := [found for found in waiting(fight.state) if "pass_window" in found.accepts]:
        fight.answer("pass_window", str(windows[0].creature))
    return fight


def laid(condition: str, **effect: Any) -> dict[str, Any]:
    return {"kind": "condition", "creature": "wolf", "condition": condition, **effect}


@pytest.mark.parametrize(
    ("effect", "end", "rule"),
    [
        (laid("stunned"), (1, 0), "HR-COND-5"),
        (laid("incapacitated"), (1, 0), "HR-COND-5"),
        (laid("restrained"), (1, 0), "HR-COND-5"),
        (laid("grappled", by="pia"), (1, 0), "HR-COND-5"),
        (
            {"kind": "condition", "creature": "pia", "condition": "grappled", "by": "wolf"},
            (1, 0),
            "HR-COND-24",
        ),
        (laid("frightened", by="ash"), (1, 0), None),
        (laid("frightened", by="pia"), (4, 0), None),
        (laid("crippled"), (2, 0), None),
        (laid("slowed"), (4, 0), None),
        ({"kind": "walls", "edges": ["1,0|2,0"], "becomes": "wall"}, (1, 0), None),
        ({"kind": "walls", "edges": ["2,0|3,0"], "becomes": "closed_door"}, (2, 0), None),
        ({"kind": "terrain", "cells": [[3, 0]], "terrain": "wall"}, (2, 0), None),
        ({"kind": "move", "creature": "ash", "to": [4, 0]}, (3, 0), None),
    ],
)
def test_HR_MOVE_6_an_interrupted_dash_goes_as_far_as_what_has_changed_lets_it(
    effect: dict[str, Any], end: tuple[int, int], rule: str | None
) -> None:
    fight = passed(ruled(leaving(), **effect))
    assert fight["wolf"].position == end
    assert fight.state.phase == "priority"
    if rule is not None:
        assert fight.logged("movement_ended")[-1].because == (rule,)


def test_HR_COND_5_an_instant_that_restrains_a_runner_stops_it_there() -> None:
    freeze = ability(
        "freeze",
        "heart",
        "instant",
        trigger=["step_taken"],
        params=[{"name": "who", "kind": "creature"}],
        effects=[do("condition", creature="$who", condition="restrained")],
    )
    places = {"pia": (9, 9), "wolf": (1, 0)}
    fight = begun(places, first="enemies", sheets={"pia": {"abilities": ["freeze"]}}, abilities=[freeze])
    fight.do("dash", creature="wolf", path=WAY)
    let_go(declare(fight, "pia", "freeze", who="wolf"))
    assert fight["wolf"].position == (2, 0)


def test_HR_MOVE_6_nobody_walks_into_the_space_of_one_that_has_arrived_meanwhile() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, first="enemies").do("dash", creature="wolf", path=WAY)
    fight.do("add_creature", entry={"sheet": sheet("ash"), "position": [3, 0]}, seat="zoe")
    assert passed(fight)["wolf"].position == (2, 0)


def test_HR_MOVE_5_who_is_stunned_as_it_stands_up_stays_down() -> None:
    fight = begun(PLACES, first="enemies")
    ruled(fight, kind="knock_down", creature="wolf")
    fight.do("dash", creature="wolf", stand=True)
    assert "pia" in fight.waits_for()
    passed(ruled(fight, **laid("stunned")))
    assert fight["wolf"].has("prone")


# --- answers to it -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["pia", "wolf"])
def test_HR_OA_1_nobody_strikes_at_a_mover_that_is_out_of_reach_by_now(who: str) -> None:
    fight = ruled(leaving(), kind="move", creature=who, to=[12, 12])
    assert "pia" not in [found.creature for found in waiting(fight.state) if "pass_window" in found.accepts]
    asked = {"target": "wolf", "stance": "might", "prompt": "r1/m1/moves-2/pia"}
    assert fight.refused("opportunity_attack", creature="pia", **asked) == "window_closed"


def test_HR_OA_1_a_wall_that_goes_up_between_parts_them() -> None:
    edges = ["0,0|1,0", "0,1|1,1", "0,-1|1,-1", "0,2|1,2"]
    fight = ruled(leaving(), kind="walls", edges=edges, becomes="wall")
    assert not any("opportunity_attack" in found.accepts for found in waiting(fight.state))


def test_HR_ABIL_11_a_strike_that_was_declared_comes_to_nothing_out_of_reach() -> None:
    fight = leaving()
    fight.answer("opportunity_attack", "pia", target="wolf", stance="might", pay="action")
    ruled(fight, kind="move", creature="wolf", to=[12, 12])
    assert [event.creature for event in fight.logged("instant_fizzled")] == ["pia"]
    assert not fight.logged("exchange_begun")
    assert fight["pia"].action == 0


def stumbling() -> Fight:
    """Return a fight in which the wolf, off-balance, walks by Pia and Bru, who may trip it."""
    fight = begun({"pia": (1, 1), "bru": (-1, 1), "wolf": (0, 0)}, first="enemies")
    ruled(fight, **laid("off_balanced", levels=2))
    fight.do("dash", creature="wolf", path=[[0, 1], [0, 2]])
    assert fight.waits_for() == ["pia", "bru"]
    return fight


@pytest.mark.parametrize(
    "effect",
    [
        {"kind": "move", "creature": "wolf", "to": [12, 12]},
        {"kind": "knock_down", "creature": "wolf"},
        {"kind": "lose_condition", "creature": "wolf", "condition": "off_balanced"},
    ],
)
@pytest.mark.parametrize("declared", [False, True])
def test_HR_ACT_13_nobody_trips_what_is_away_or_down_or_steady_by_now(
    effect: dict[str, Any], *, declared: bool
) -> None:
    fight = stumbling()
    if declared:
        fight.answer("trip", "pia", target="wolf")
    ruled(fight, **effect)
    assert not any("trip" in found.accepts for found in waiting(fight.state))
    assert len(fight.logged("instant_fizzled")) == declared
    assert fight["wolf"].has("prone") == (effect["kind"] == "knock_down")


# --- the feet of an interrupted dash ---------------------------------------------------------------------
# What a step has cost counts, and not how many cells there were.

SLOW = ability(
    "slow",
    "minor",
    "instant",
    trigger=["step_taken"],
    params=[{"name": "who", "kind": "creature"}],
    effects=[do("condition", creature="$who", condition="slowed")],
)


def slowed_after(cells: int, path: list[list[int]], *, stand: bool = False, **changes: Any) -> Fight:
    """Let Pia dash along *path*, and Ash slow her after so many *cells*: 55 ft become 27."""
    own: Any = {"sheets": {"ash": {"abilities": ["slow"]}}, "abilities": [SLOW]}
    fight = begun({"pia": (0, 0), "ash": (0, 9), "orc": (20, 20)}, **own, **changes)
    if stand:
        fight.given("pia", conditions={"prone": Condition()})
    fight.do("dash", creature="pia", path=path, stand=stand)
    for _ in range(cells - 1):
        fight.answer("pass_window", "ash")
    return let_go(declare(fight, "ash", "slow", who="pia"))


NOTHING = do("rush", creature="self", points=1)
EAST = [[x, 0] for x in range(1, 8)]


@pytest.mark.parametrize(
    ("cells", "mud", "end"),
    [(2, 0, 5), (5, 0, 5), (6, 0, 6), (2, 1, 4), (2, 2, 3), (3, 2, 3), (4, 4, 4)],
)
def test_HR_MOVE_2_a_speed_that_drops_in_a_dash_leaves_what_its_feet_have_not_used(
    cells: int, mud: int, end: int
) -> None:
    terrain = {f"{x},0": "difficult" for x in range(1, mud + 1)}
    assert slowed_after(cells, EAST[:-1] if mud < 4 else EAST[:5], terrain=terrain)["pia"].position == (
        end,
        0,
    )


def test_HR_MOVE_5_standing_up_first_has_taken_half_of_what_is_left_too() -> None:
    assert slowed_after(1, EAST[:5], stand=True)["pia"].position == (2, 0)


def test_HR_MOVE_1_every_second_diagonal_counts_twice_across_an_interruption() -> None:
    slant = [[n, n] for n in range(1, 6)]
    fight = slowed_after(1, slant, options={"metric": "alternating"})
    assert fight["pia"].position == (3, 3), "5, 10 and 5 feet of 27, and another 10 are too many"


def test_HR_CAST_1_a_spell_on_the_way_leaves_half_the_speed_after_it() -> None:
    peek = ability("peek", "minor", "instant", trigger=["step_taken"], effects=[NOTHING])
    growth = {"spells": ["force-strike"], "attunements": ["force"]}
    fight = begun(
        {"pia": (0, 0), "orc": (20, 20)},
        sheets={"pia": {"growth": growth, "abilities": ["peek"]}},
        abilities=[peek],
    )
    fight.do("dash", creature="pia", path=[[x, 0] for x in range(1, 11)])
    while fight["pia"].moved_ft < 15:
        fight.answer("pass_window", "pia")
    fight.answer("cast", "pia", ability="force-strike")
    let_go(fight)
    assert fight["pia"].position == (8, 0), "15 ft, and 25 of the 28 that are half of 55"


def test_HR_CAST_1_a_spell_in_answer_to_ones_own_dash_makes_too_long_a_one_vain() -> None:
    watch = ability("watch", "minor", "instant", trigger=["ability_declared"], effects=[NOTHING])
    growth = {"spells": ["force-strike"], "attunements": ["force"]}
    fight = begun(
        {"pia": (0, 0), "orc": (20, 20)},
        sheets={"pia": {"growth": growth, "abilities": ["watch"]}},
        abilities=[watch],
    )
    fight.do("dash", creature="pia", path=[[x, 0] for x in range(1, 11)])
    fight.answer("cast", "pia", ability="force-strike")
    let_go(fight)
    assert fight["pia"].position == (0, 0)
