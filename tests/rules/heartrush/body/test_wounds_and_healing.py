"""Wounds are described, treated once and invoked; healing stops at them and wakes (B.15, B.16)."""

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Wound
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "ash": (3, 0), "orc": (1, 0), "wolf": (9, 9)}


def wounds(*ranks: int, treated: tuple[int, ...] = ()) -> tuple[Wound, ...]:
    """Return wounds of these ranks, named by them."""
    return tuple(
        Wound(id=f"w{rank}", rank=rank, initial_rank=rank, treated=rank in treated) for rank in ranks
    )


def ranks(fight: Fight, creature: str) -> dict[int, bool]:
    """Return each wound's rank, and whether it was treated."""
    return {wound.rank: wound.treated for wound in fight[creature].wounds}


def ruled(fight: Fight, *effects: dict[str, Any], **data: object) -> Fight:
    """Let the GM rule, with these effects."""
    return fight.do("gm_ruling", kind="effect", decision="so be it", effects=list(effects), **data)


def test_HR_V_61_one_check_treats_every_untreated_wound() -> None:
    """HR-WND-4/5/7."""
    fight = opened(PLACES).given("ash", wounds=wounds(15, 4, 12, treated=(12,)))
    fight.do("treat_wounds", 5, 4, creature="pia", patient="ash")
    assert ranks(fight, "ash") == {6: True, 12: True}
    assert fight.logged("wound_treated")[-1].total == 9

    assert fight.refused("treat_wounds", creature="pia", patient="ash") == "already_treated"


def test_HR_WND_5_a_wound_brought_to_zero_is_gone() -> None:
    fight = opened(PLACES).given("ash", wounds=wounds(9))
    fight.do("treat_wounds", 5, 4, creature="pia", patient="ash")
    assert fight["ash"].wounds == ()
    assert fight.refused("treat_wounds", creature="pia", patient="ash") == "wound_none"


def test_HR_WND_5_the_house_may_keep_a_wound_of_rank_zero() -> None:
    """A-25: exactly zero stays listed, below zero is gone."""
    fight = opened(PLACES, options={"keep_rank0_wounds": True}).given("ash", wounds=wounds(9, 4))
    fight.do("treat_wounds", 5, 4, creature="pia", patient="ash")
    assert ranks(fight, "ash") == {0: True}


def test_HR_V_62_treating_oneself_has_disadvantage() -> None:
    """HR-WND-6, HR-AD-2."""
    fight = opened(PLACES).given("pia", wounds=wounds(20))
    fight.do("treat_wounds", 5, 6, 7, creature="pia", patient="pia")
    assert ranks(fight, "pia") == {9: True}


def test_HR_WND_4_wounds_are_treated_outside_combat() -> None:
    fight = begun(PLACES).given("pia", wounds=wounds(20))
    assert fight.refused("treat_wounds", creature="pia", patient="pia") == "in_combat"


def test_HR_WND_4_the_house_may_treat_in_combat_as_a_full_action() -> None:
    """A-26."""
    fight = begun(PLACES, options={"treat_in_combat": True})
    fight.given("pia", wounds=wounds(20)).given("ash", wounds=wounds(12))
    assert fight.refused("treat_wounds", creature="pia", patient="ash") == "not_adjacent"
    fight.do("treat_wounds", 5, 6, 7, creature="pia", patient="pia")
    assert ranks(fight, "pia") == {9: True}
    assert fight["pia"].action == 0
    assert fight.state.priority_side == "enemies"


@pytest.mark.parametrize("ability", ["might", "agility", "presence"])
def test_HR_WND_4_medicine_goes_by_cunning_unless_the_house_says_any(ability: str) -> None:
    """A-26."""
    fight = opened(PLACES).given("ash", wounds=wounds(12))
    assert fight.refused("treat_wounds", creature="pia", patient="ash", ability=ability) == "params_missing"
    fight = opened(PLACES, options={"medicine_ability": "any"}).given("ash", wounds=wounds(12))
    fight.do("treat_wounds", 5, 4, creature="pia", patient="ash", ability=ability)
    assert fight.rolls[-1].dice[1].role == ability


def test_HR_WND_4_a_check_that_fails_outright_treats_for_nothing() -> None:
    """A-26, HR-GEN-7."""
    fight = opened(PLACES).given("ash", wounds=wounds(12))
    fight.do("treat_wounds", 1, 5, creature="pia", patient="ash")
    fight.answer("choose_check", "pia", choice="fail")
    assert ranks(fight, "ash") == {12: True}


def test_HR_WND_2_a_wound_is_just_a_wound_until_it_is_described() -> None:
    fight = opened(PLACES).given("ash", wounds=wounds(12))
    assert fight["ash"].wounds[0].description == "wound"
    fight.send("describe_wound", "gm", creature="ash", wound="w12", description="a gash over the eye")
    assert fight["ash"].wounds[0].description == "a gash over the eye"
    decision = fight.send("describe_wound", "zoe", creature="ash", wound="w12", description="nothing at all")
    assert decision.refusal is not None
    assert decision.refusal.code == "not_gm"


def test_HR_WND_3_an_invoked_wound_lowers_one_check_for_destiny_points() -> None:
    """A-54, TT-9: the GM says whether it fits; the whole rank off the check, at most five points for it."""
    fight = opened(PLACES).given("pia", wounds=wounds(7), destiny_points=2)
    fight.do("invoke_wound", creature="pia", wound="w7", text="my leg")
    prompt = waiting(fight.state)[0].prompt
    assert fight.waits_for() == ["gm"]
    fight.do("adjudicate", prompt=prompt, accept=True, reason="it fits")
    assert (fight["pia"].penalty, fight["pia"].destiny_points) == (7, 7)

    decision = fight.send("roll_check", "gm", creature="pia", ability="might", what="lift the gate", cn=8)
    assert decision.refusal is None
    fight.throw(8, 6)
    assert fight.logged("check_resolved")[-1].total == 7
    assert not fight.logged("check_resolved")[-1].success
    assert fight["pia"].penalty == 0


def test_HR_WND_3_the_pool_holds_ten_points_and_a_rejected_wound_gives_none() -> None:
    fight = opened(PLACES).given("pia", wounds=wounds(7), destiny_points=9)
    fight.do("invoke_wound", creature="pia", wound="w7")
    fight.do("adjudicate", prompt=waiting(fight.state)[0].prompt, accept=False, reason="not for a song")
    assert (fight["pia"].penalty, fight["pia"].destiny_points) == (0, 9)
    assert fight.logged("gm_ruling_recorded")[-1].decision == "rejected"

    decision = fight.send("invoke_wound", "gm", creature="pia", wound="w7")
    assert decision.refusal is None
    assert (fight["pia"].penalty, fight["pia"].destiny_points) == (7, 10)


def test_HR_WND_3_wounds_are_not_invoked_in_combat() -> None:
    fight = begun(PLACES).given("pia", wounds=wounds(7))
    assert fight.refused("invoke_wound", creature="pia", wound="w7") == "in_combat"


def test_HR_V_59_healing_wakes_who_comes_above_zero() -> None:
    """HR-ZERO-5, HR-WND-1."""
    fight = opened(PLACES).given("pia", hp=-3, status="unconscious", down_since_s=0)
    ruled(fight, {"kind": "heal", "creature": "pia", "amount": 10})
    assert (fight["pia"].hp, fight["pia"].status, fight["pia"].down_since_s) == (7, "active", None)

    fight.given("ash", hp=-8, status="unconscious", wounds=wounds(20, 25))
    assert fight["ash"].hp_cap == -5
    ruled(fight, {"kind": "heal", "creature": "ash", "amount": 10})
    assert (fight["ash"].hp, fight["ash"].status) == (-5, "unconscious")


def test_HR_WND_1_healing_stops_at_what_wounds_leave() -> None:
    fight = opened(PLACES).given("pia", hp=10, wounds=wounds(23))
    ruled(fight, {"kind": "heal", "creature": "pia", "amount": 30})
    assert fight["pia"].hp == 17


def test_HR_REST_6_healing_never_takes_hit_points_away() -> None:
    """A-22: a wound from elsewhere leaves hit points above the cap where they are."""
    fight = opened(PLACES).given("pia", hp=30)
    ruled(fight, {"kind": "wound", "creature": "pia", "rank": 20})
    assert (fight["pia"].hp, fight["pia"].hp_cap) == (30, 20)
    ruled(fight, {"kind": "heal", "creature": "pia", "amount": 5})
    assert fight["pia"].hp == 30


def test_A_22_the_house_may_lower_hit_points_to_the_cap() -> None:
    fight = opened(PLACES, options={"clamp_hp_to_cap": True}).given("pia", hp=30)
    ruled(fight, {"kind": "wound", "creature": "pia", "rank": 20})
    assert fight["pia"].hp == 20


def test_HR_REST_6_a_potion_eases_wounds_and_heals() -> None:
    fight = opened(PLACES).given("pia", hp=5, wounds=wounds(12, 1))
    ruled(
        fight,
        {"kind": "ease_wounds", "creature": "pia", "amount": 1},
        {"kind": "heal", "creature": "pia", "amount": 20},
    )
    assert ranks(fight, "pia") == {11: False}
    assert fight["pia"].hp == 25


def test_HR_V_58_at_zero_one_acts_on_for_ten_minutes() -> None:
    """HR-ZERO-1/2/3/6, HR-RES-7."""
    fight = begun(PLACES).given("pia", hp=6)
    assert fight.refused("go_unconscious", creature="pia") == "hp_positive"
    ruled(fight, {"kind": "damage", "creature": "pia", "amount": 8})
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, fight["pia"].status, fight["pia"].down_since_s) == (-2, "active", 0)

    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="defensive", orc="defensive")
    ruled(fight, {"kind": "damage", "creature": "pia", "amount": 12})
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, [wound.rank for wound in fight["pia"].wounds]) == (-14, [12])

    fight.send("advance_clock", "gm", seconds=599)
    assert fight.logged("unconscious") == []
    fight.send("advance_clock", "gm", seconds=1)
    assert fight["pia"].status == "unconscious"
    assert fight.refused("dash", creature="pia", to=[0, 1]) == "unconscious"


def test_HR_ZERO_2_the_clock_is_cancelled_above_zero() -> None:
    fight = opened(PLACES).given("pia", hp=1)
    ruled(fight, {"kind": "hp", "creature": "pia", "hp": -1})
    assert fight["pia"].down_since_s == 0
    ruled(fight, {"kind": "heal", "creature": "pia", "amount": 5})
    fight.send("advance_clock", "gm", hours=1)
    assert fight["pia"].status == "active"


def test_A_24_zero_may_knock_out_at_once() -> None:
    fight = opened(PLACES, options={"zero_hp": "immediate"}).given("pia", hp=3)
    ruled(fight, {"kind": "hp", "creature": "pia", "hp": 0})
    assert fight["pia"].status == "unconscious"


@pytest.mark.parametrize(("seconds", "rounds"), [(6, 100), (60, 10)])
def test_A_68_rounds_move_the_clock(seconds: int, rounds: int) -> None:
    fight = begun(PLACES, options={"round_seconds": seconds}).given("pia", hp=-1, down_since_s=0)
    for _ in range(rounds):
        assert fight["pia"].status == "active"
        number = fight.state.round
        while fight.state.round == number:
            fight.do("pass_side", side=fight.state.priority_side)
    assert fight.state.clock_s == 600
    assert fight["pia"].status == "unconscious"
