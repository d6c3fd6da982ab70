"""Both sides of what Rise's planning asks and shows: plans, sprints, initiative, arrivals and doors."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, begun, entry
from tests.rules.rise.test_both_sides import QUIET, pair, refusal_of


def rivals(prompt: str) -> Fight:
    """Return a fight in which two player characters of two sides have planned to end in one space."""
    fight = begun(
        entry("pc@p/p", (0, 0)),
        entry("pc@m/e", (6, 0)),
        phase="movement",
        options={"exertion_prompt": prompt},
    )
    fight.do("plan_movement", "p", path=[[1, 0], [2, 0], [3, 0]])
    return fight.do("plan_movement", "e", path=[[5, 0], [4, 0], [3, 0]])


@pytest.mark.parametrize(
    ("faces", "prompt", "asked"),
    [
        ((9, 2), "misses", [("p",)]),
        ((2, 9), "misses", [("e",)]),
        ((9, 2), "always", [("e", "p")]),
        ((9, 2), "never", []),
    ],
)
def test_RI_INIT_4_who_comes_later_may_roll_again(
    faces: tuple[int, int], prompt: str, asked: list[tuple[str, ...]]
) -> None:
    """RI-INIT-4, RI-UNIV-DESPERATE: checks are rolled by name, first of `e` and then of `p`."""
    fight = rivals(prompt).throw(*faces)
    assert [event.creatures for event in fight.logged("initiative_shown")] == asked


def test_RI_INFO_4_and_RI_RES_1_all_plans_are_revealed_together() -> None:
    fight = pair("movement")
    assert [set(event.groups) for event in fight.logged("planning_began")] == [{"p", "m"}]
    fight.do("plan_movement", "p", path=[[0, -1]])
    assert not fight.logged("plans_revealed")
    fight.do("pass_movement", "q").do("plan_movement", "e", path=[[2, 0]])
    found = {event.group: sorted(event.plans) for event in fight.logged("plans_revealed")}
    assert found == {"p": ["p"], "m": ["e"]}


@pytest.mark.parametrize("by", ["seat-p", "gm"])
def test_RI_CONF_6_nobody_sprints_who_is_not_asked(by: str) -> None:
    for phase in ("movement", "action"):
        name = "p" if by == "seat-p" else "e"
        found = refusal_of(pair(phase), by, "consent_sprint", creature=name, accept=True)
        assert found == ("wrong_step", "RI-CONF-6")


def test_RI_CONF_6_who_falls_behind_is_asked_alone() -> None:
    fight = begun(
        entry("pc@p/p", (0, 0)),
        entry("pc@p/q", (0, 5)),
        entry("mon@m/e", (4, 0), speeds={"land": 60}),
        phase="movement",
        options=QUIET,
    )
    fight.do("plan_movement", "p", ability="follow", targets=["e"]).do("pass_movement", "q")
    fight.do("plan_movement", "e", path=[[x, 0] for x in range(5, 17)])
    found = refusal_of(fight, "seat-p", "consent_sprint", creature="q", accept=True)
    assert found == ("wrong_step", "RI-CONF-6")
    fight.do("consent_sprint", "p", accept=True)
    assert fight["p"].position == (12, 0)
    assert fight["p"].fatigue == 1


@pytest.mark.parametrize("is_over", [False, True])
def test_RI_ROUND_7_somebody_may_come_during_a_fight_and_after_it(*, is_over: bool) -> None:
    """Another fight may begin, with who came in between; nobody comes twice."""
    fight = pair()
    if is_over:
        fight.rest().do("end_combat")
    new = entry("mon@m/f", (9, 9))
    assert fight.state.has_creature("f") is False
    fight.do("add_creature", entry=new)
    assert fight.state.has_creature("f") is is_over, "in a fight it comes with a phase"
    assert fight.refused("add_creature", entry=new) == "creature_taken"


@pytest.mark.parametrize("set_", [False, True])
def test_RI_ROUND_2_attitudes_that_were_to_come_come_with_the_phase(*, set_: bool) -> None:
    fight = pair()
    if set_:
        fight.do("set_attitude", "p", toward="e", attitude="neutral", next_phase=True)
    fight.rest()
    assert len(fight.logged("attitudes_set")) == int(set_)


@pytest.mark.parametrize("carried", [False, True])
def test_RI_UNIV_HUSTLE_who_is_carried_plans_nothing_of_its_own(*, carried: bool) -> None:
    fight = begun(
        entry("pc@p/horse", (0, 0), size="large", carries_riders=True),
        entry("pc@p/r", (0, 0), mount="horse"),
        entry("mon@m/e", (9, 0)),
        phase="movement",
        options=QUIET,
    )
    fight.do("plan_movement", "horse", path=[[0, -1]], carry=["r"] if carried else [])
    found = refusal_of(fight, "seat-p", "plan_movement", creature="r", path=[[-1, 0]])
    assert (found is not None) is carried, found


@pytest.mark.parametrize(
    ("data", "feet"),
    [
        ({"ability": "follow", "targets": ["e"]}, 5),
        ({"ability": "follow", "targets": ["e"], "distance_ft": 15}, 15),
    ],
)
def test_RI_MOVE1_5_a_follower_keeps_5_feet_unless_it_says_otherwise(data: dict[str, Any], feet: int) -> None:
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (4, 0)), options=QUIET)
    fight.do("move", "p", **data)
    assert [event.plan.distance_ft for event in fight.logged("movement_declared")] == [feet]


EDGE = "0,-1|0,0"


@pytest.mark.parametrize(
    ("what", "item", "moves"), [("open", EDGE, True), ("open", "chest", False), ("other", "x", False)]
)
def test_RI_UNIV_MANIP_a_door_moves_where_an_edge_is_opened(what: str, item: str, *, moves: bool) -> None:
    fight = begun(
        entry("pc@p/p", (0, 0)), entry("mon@m/e", (4, 0)), options=QUIET, walls={EDGE: "closed_door"}
    )
    assert refusal_of(fight, "seat-p", "manipulate_object", creature="p", what=what, item=item) is None
    assert bool(fight.logged("door_opened")) is moves
    assert [event.what for event in fight.logged("object_manipulated")] == [what]
