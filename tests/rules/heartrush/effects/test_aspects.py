"""Aspects: destiny points spent on a check that fits one, and earned by letting one hinder (HR-ASP)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "orc": (9, 0)}
GROWTH = {
    "growth": {"aspects": [{"text": "leave no one behind", "rank": 2}, {"text": "kleptomaniac", "rank": 4}]}
}
LIFT = {"creature": "pia", "ability": "might", "what": "lift the gate", "cn": 9}


def known(points: int = 3) -> Fight:
    """Return Pia with two aspects, of rank 2 and 4, and *points*."""
    return opened(PLACES, sheets={"pia": GROWTH}).given("pia", destiny_points=points)


def invoked(fight: Fight, *, accept: bool = True, **data: Any) -> Fight:
    """Let Pia invoke an aspect, and the GM allow it or not."""
    fight.do("invoke_aspect", creature="pia", **data)
    [asked] = waiting(fight.state)
    assert (asked.seat, asked.accepts) == ("gm", ("adjudicate",))
    return fight.do("adjudicate", prompt=asked.prompt, accept=accept, reason="so it is")


def checked(fight: Fight, *faces: int, type_: str = "roll_check") -> tuple[int, bool]:
    """Return what a check of might against 9 comes to."""
    decision = fight.send(type_, "gm", **LIFT)
    assert decision.refusal is None, decision.refusal
    event = fight.throw(*faces).logged("check_resolved")[-1]
    return event.total, event.success


def test_HR_ASP_1_spent_points_add_to_one_check() -> None:
    """Two points on an aspect of rank 2: 4 and 3 are 9, which succeeds; without them 7 does not."""
    fight = invoked(known(), aspect=0)
    assert (fight["pia"].destiny_points, fight["pia"].bonus) == (1, 2)
    assert checked(fight, 4, 3) == (9, True)
    assert checked(fight, 4, 3) == (7, False)


def test_HR_ASP_1_fewer_points_than_the_rank_may_be_spent() -> None:
    fight = invoked(known(), aspect=1, points=3)
    assert (fight["pia"].destiny_points, fight["pia"].bonus) == (0, 3)


def test_HR_ASP_1_a_save_is_no_skill_check_and_leaves_the_bonus() -> None:
    fight = invoked(known(), aspect=0)
    assert checked(fight, 4, 3, type_="roll_save") == (7, False)
    assert checked(fight, 4, 3) == (9, True)


def test_HR_ASP_1_it_counts_in_a_contest() -> None:
    fight = invoked(known(), aspect=0)
    terms = {"creature": "pia", "ability": "might", "against": "orc", "answered_with": ["might"]}
    fight.send("roll_contest", "gm", **terms, what="hold the door")
    fight.throw(4, 3, 4, 4)
    decided = fight.logged("opposed_decided")[-1]
    assert (decided.mine, decided.theirs, decided.won) == (9, 8, True)


def test_HR_ASP_2_an_aspect_that_hinders_earns_its_rank() -> None:
    fight = invoked(known(), aspect=1, use="earn")
    assert (fight["pia"].destiny_points, fight["pia"].penalty) == (7, 4)
    assert checked(fight, 8, 4) == (8, False)
    assert fight["pia"].penalty == 0


def test_HR_ASP_2_nobody_has_more_than_ten() -> None:
    assert invoked(known(9), aspect=1, use="earn")["pia"].destiny_points == 10


def test_HR_ASP_1_one_check_may_have_both_and_the_last_points_may_be_those_just_earned() -> None:
    fight = invoked(invoked(known(0), aspect=1, use="earn"), aspect=0)
    assert (fight["pia"].destiny_points, fight["pia"].penalty, fight["pia"].bonus) == (2, 4, 2)
    assert checked(fight, 8, 3) == (9, True)


def test_TT_9_the_gm_says_whether_an_aspect_fits() -> None:
    fight = invoked(known(), aspect=0, accept=False)
    assert (fight["pia"].destiny_points, fight["pia"].bonus) == (3, 0)
    assert fight.logged("gm_ruling_recorded")[-1].decision == "rejected"
    fight.send("invoke_aspect", "gm", creature="pia", aspect=0)
    assert (fight["pia"].destiny_points, fight["pia"].bonus) == (1, 2)
    ruling = fight.logged("gm_ruling_recorded")[-1]
    assert (ruling.kind, ruling.because) == ("aspect", ("HR-ASP-1",))


@pytest.mark.parametrize(
    ("data", "points", "code"),
    [
        ({"aspect": 2}, 3, "params_missing"),
        ({"aspect": 0, "points": 3}, 9, "params_missing"),
        ({"aspect": 0, "points": 0}, 9, "params_missing"),
        ({"aspect": 0}, 1, "cannot_pay"),
        ({"aspect": 0, "points": 2}, 1, "cannot_pay"),
        ({"aspect": 0, "points": 2, "use": "earn"}, 3, "params_missing"),
    ],
)
def test_HR_ASP_1_what_cannot_be_invoked_is_refused(data: dict[str, Any], points: int, code: str) -> None:
    assert known(points).refused("invoke_aspect", creature="pia", **data) == code


def test_HR_ASP_1_an_aspect_below_the_first_is_malformed() -> None:
    assert known(3).refused("invoke_aspect", creature="pia", aspect=-1) == "malformed"


def test_HR_ASP_1_one_aspect_for_one_check_and_none_in_combat() -> None:
    fight = invoked(known(9), aspect=0)
    assert fight.refused("invoke_aspect", creature="pia", aspect=1) == "already_invoked"
    invoked(fight, aspect=1, use="earn")
    assert fight.refused("invoke_aspect", creature="pia", aspect=1, use="earn") == "already_invoked"
    fighting = begun(PLACES, sheets={"pia": GROWTH})
    assert fighting.refused("invoke_aspect", creature="pia", aspect=0) == "in_combat"
    decision = known().send("invoke_aspect", "zoe", creature="orc", aspect=0)
    assert decision.refusal is not None
    assert decision.refusal.code == "not_your_creature"


def test_HR_ASP_1_what_is_offered_is_what_is_accepted() -> None:
    offers = [each for each in known(1).offers("zoe", "pia") if each.type == "invoke_aspect"]
    assert [(dict(each.given), dict(each.choices)) for each in offers] == [
        ({"use": "earn"}, {"aspect": (0, 1)}),
        ({"use": "spend", "aspect": 0}, {"points": (1,)}),
        ({"use": "spend", "aspect": 1}, {"points": (1,)}),
    ]


@pytest.mark.parametrize(("penalty", "rounds"), [(0, 9), (4, 5), (9, 0), (12, 0)])
def test_HR_BREATH_1_a_penalty_leaves_no_fewer_than_no_rounds_of_air(penalty: int, rounds: int) -> None:
    """5 and 4 are 9; what an aspect takes off may be more, and then there is no air at once."""
    fight = opened(PLACES, terrain={"0,0": "deep_water"}).given("pia", penalty=penalty)
    fight.do("hold_breath", 5, 4, creature="pia")
    assert fight["pia"].breath == rounds
    assert fight["pia"].has("suffocating") is (rounds == 0)
