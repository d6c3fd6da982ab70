"""Who is waited for, when a fight is over, a pause before the round ends, plans that change."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.sealed import view
from service.rules.ruleset import waiting
from tests.api.client import Api
from tests.rules.rise.kit import Fight, begun, entry, opened
from tests.rules.rise.test_http import Played


def seen_by(fight: Fight, seat: str) -> dict[str, str]:
    """Return whose answers *seat* sees owed, by their prompts."""
    return {awaited.prompt: awaited.seat for awaited in waiting(view(fight.state, seat))}


# --- who is waited for -------------------------------------------------------------------------------


TWO = [
    {"seat": "ann", "role": "player", "creatures": ["a"]},
    {"seat": "ben", "role": "player", "creatures": ["b"]},
]


def two_players(**changes: Any) -> Fight:
    """Return a fight of two players in one group against the gm, in its action phase."""
    return begun(
        entry("pc@x/a", (0, 0), **changes), entry("pc@x/b", (0, 1)), entry("mon@y/o", (5, 0)), seats=TWO
    )


def test_RI_INFO_6_no_seat_is_named_that_may_owe_nothing() -> None:
    """Two players in one group: the gm knows that the group is at it, they know which of them is."""
    fight = two_players()
    fight.do("pass_turn", "a")
    assert seen_by(fight, "gm") == {"r1/action/x": ""}
    assert seen_by(fight, "ann")["r1/action/x/b"] == "ben"
    assert "ann" not in seen_by(fight, "ann").values()


def test_RI_INFO_6_the_seat_of_the_dead_owes_nothing() -> None:
    fight = opened(
        entry("pc@x/a", (0, 0)), entry("pc@x/b", (0, 1)), entry("mon@y/o", (5, 0)), seats=TWO
    ).given("a", dead=True)
    fight.do("start_combat", start_phase="action").to_actions()
    assert seen_by(fight, "gm") == {"r1/action/x": "ben"}


def test_RI_INFO_6_where_one_seat_plays_all_of_a_group_it_is_named() -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (5, 0)))
    assert seen_by(fight, "gm") == {"r1/action/x": "seat-x"}


def test_RI_INFO_6_over_http_the_seat_is_null(owner: Api) -> None:
    seats = [{**seat, "creatures": [name]} for seat, name in zip(TWO, "ab", strict=True)]
    fight = Played(
        owner, entry("pc@x/a", (0, 0)), entry("pc@x/b", (0, 1)), entry("mon@y/o", (5, 0)), seats=seats
    )
    fight.send("gm", "start_combat", start_phase="action")
    fight.do("no_more_swift", "o")
    (prompt,) = owner.get(fight.at)["waiting"]
    assert (prompt["prompt"], prompt["seat"], prompt["accepts"]) == ("r1/action/x", None, [])
    assert owner.get(fight.at)["status"] == "open"


# --- the end -----------------------------------------------------------------------------------------


def felled(**options: Any) -> Fight:
    """Return a fight after the round in which its only monster fell."""
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=1), options=options)
    return fight.do("strike", "a", 9, 5, target="o").end("a").rest()


def test_RI_ROUND_6_a_fight_ends_when_one_side_stands() -> None:
    fight = felled()
    (ended,) = fight.logged("combat_ended")
    assert ended.reason == "x stands alone"
    assert fight.state.is_over
    assert [awaited.accepts for awaited in waiting(fight.state)] == [("continue_combat", "start_combat")]
    assert all(awaited.optional for awaited in waiting(fight.state))


def test_RI_ROUND_6_the_gm_may_go_on() -> None:
    """It ends no second time for the same reason, and for a new one it does."""
    fight = felled().do("continue_combat")
    assert fight.state.round == 2
    assert not fight.state.is_over
    fight.do("pass_movement", "a").to_actions().do("pass_turn", "a")
    assert fight.state.round == 3
    assert len(fight.logged("combat_ended")) == 1


def test_RI_ROUND_6_it_ends_when_nobody_is_alive() -> None:
    fight = begun(entry("mon@x/a", (0, 0), hp=1), entry("mon@y/o", (1, 0), hp=1))
    fight.do("strike", "a", 9, 5, target="o").end("a").do("strike", "o", 9, 5, target="a").end("o")
    assert fight.logged("combat_ended")[0].reason == "nobody stands"


def test_RI_ROUND_6_it_does_not_end_while_somebody_is_to_come_or_the_house_says_so() -> None:
    assert not felled(auto_end=False).state.is_over
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=1))
    late = {"sheet": {"id": "late", "name": "Late", "side": "y", "kind": "monster"}, "position": [9, 9]}
    fight.do("add_creature", entry=late)
    fight.do("strike", "a", 9, 5, target="o").end("a").rest()
    assert not fight.state.is_over


def test_RI_ROUND_6_over_http_the_status_is_over(owner: Api) -> None:
    fight = Played(owner, entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=1))
    fight.send("gm", "start_combat", start_phase="action")
    fight.do("no_more_swift", "o")
    fight.do("strike", "a", 9, 5, target="o")
    fight.do("end_turn", "a")
    fight.do("pass_turn", "o")
    told = owner.get(fight.at)
    assert (told["status"], told["closed"]) == ("over", False)
    fight.send("gm", "continue_combat")
    assert owner.get(fight.at)["status"] == "open"


# --- a pause -----------------------------------------------------------------------------------------


def test_RI_RES_15_the_gm_pauses_between_the_announcement_and_the_end_of_the_round() -> None:
    """What is below zero is seen there, and mended."""
    fight = begun(entry("pc@x/a", (0, 0), hp=1), entry("mon@y/o", (1, 0)))
    fight.do("ask_pause").do("pass_turn", "a")
    fight.do("strike", "o", 9, 5, target="a").end("o").throw(9)
    assert fight["a"].hp == -6
    assert fight.state.round == 1
    (asked,) = waiting(fight.state)
    assert (asked.seat, asked.accepts) == ("gm", ("go_on",))
    mended = {"does": "heal_hp", "target": "a", "amount": 3}
    fight.do("gm_ruling", kind="correction", decision="it was a scratch", effects=[mended])
    assert fight["a"].hp == 3
    fight.do("go_on")
    assert (fight.state.round, fight["a"].hp) == (2, 3)


def test_RI_RES_15_a_pause_is_asked_for_once_and_by_the_gm() -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0)))
    assert fight.refused("go_on") == "wrong_step"
    fight.do("ask_pause")
    assert fight.refused("ask_pause") == "wrong_step"
    refusal = fight.send("ask_pause", "seat-x").refusal
    assert refusal is not None
    assert refusal.code == "not_gm"


# --- plans -------------------------------------------------------------------------------------------


CHEER = {
    "id": "cheer",
    "usage": "free",
    "per_round_limit": 1,
    "effects": [{"does": "gain", "condition": "cheered", "until": "round"}],
}


def planning() -> Fight:
    """Return a fight of two groups that plan their movements."""
    return begun(
        entry("pc@x/a", (0, 0), abilities=[CHEER]),
        entry("pc@x/b", (2, 0)),
        entry("mon@y/o", (9, 0)),
        phase="movement",
    )


def test_RI_UNIV_HUSTLE_a_plan_may_be_changed_until_it_is_opened() -> None:
    """Also when its group is done; what it paid in the plan comes back."""
    fight = planning()
    cheer = [{"ability": "cheer", "targets": ["a"], "step": 0}]
    fight.do("plan_movement", "a", path=[[0, 1]], free_actions=cheer).do("pass_movement", "b")
    assert fight.refused("plan_movement", "a", path=[[1, 0]]) == "movement_already_used"
    fight.do("withdraw_plan", "a")
    assert fight.logged("group_resumed")
    fight.do("plan_movement", "a", path=[[1, 0]], free_actions=cheer)
    fight.do("pass_movement", "o")
    assert fight["a"].position == (1, 0)


def test_RI_UNIV_HUSTLE_there_is_nothing_to_withdraw_before_and_afterwards() -> None:
    fight = planning()
    assert fight.refused("withdraw_plan", "a") == "nothing_planned"
    for name in ("a", "b", "o"):
        fight.do("pass_movement", name)
    assert fight.refused("withdraw_plan", "a") == "wrong_phase"


def test_RI_CONF_9_allies_who_plan_one_space_are_warned() -> None:
    """C-26: a warning, then initiative."""
    fight = planning().do("plan_movement", "a", path=[[1, 0]])
    assert not fight.logged("plans_collide")
    fight.do("plan_movement", "b", path=[[1, 0]])
    (warned,) = fight.logged("plans_collide")
    assert warned.creatures == ("b", "a")


@pytest.mark.parametrize("sprint", ["ask", "auto"])
def test_RI_CONF_8_a_hustle_does_not_sprint(sprint: str) -> None:
    fight = planning()
    assert fight.refused("plan_movement", "a", path=[[1, 0]], sprint=sprint) == "sprint_not_reactive"
    fight.do("plan_movement", "a", path=[[1, 0]], sprint="never")
    fight.do("plan_movement", "b", ability="follow", targets=["o"], sprint=sprint)


def test_RI_ACT_8_no_turn_ends_before_it_begins() -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (5, 0)))
    assert fight.refused("end_turn", "a") == "turn_not_begun"
    fight.do("begin_turn", "a").do("end_turn", "a")
