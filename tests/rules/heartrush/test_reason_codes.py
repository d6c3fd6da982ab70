"""Reason codes of the ledger that other tests do not come to, and the order of precedence (F.3)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.engaging.offensive_actions import why_not
from service.rules.heartrush.timing.engagement import Earned, Offensive
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun

DUEL = {"pia": (0, 0), "orc": (1, 0)}
TRIO = {**DUEL, "ash": (0, 4)}


def engaged(places: Any = None, **stances: str) -> Fight:
    fight = begun(places or DUEL).do("engage", creature="pia", target="orc").joined_by()
    return fight.stances(**stances)


def test_F_3_already_in_engagement() -> None:
    fight = begun(TRIO).do("engage", creature="pia", target="orc")
    prompt = waiting(fight.state)[0].prompt
    assert fight.refused("join_engagement", creature="pia", prompt=prompt) == "already_in_engagement"


def test_F_3_not_in_engagement() -> None:
    fight = begun({**DUEL, "ash": (30, 30)}).do("engage", creature="pia", target="orc")
    assert fight.refused("choose_stance", creature="ash", stance="might", prompt="x") == "not_in_engagement"
    nowhere = begun(DUEL)
    assert nowhere.refused("choose_stance", creature="pia", stance="might", prompt="x") == "not_in_engagement"


def test_F_3_stances_not_complete() -> None:
    """No stance is taken while others may still join."""
    fight = begun(TRIO).do("engage", creature="pia", target="orc")
    code = fight.refused("choose_stance", creature="pia", stance="might", prompt="r1/e1/stance/pia")
    assert code == "stances_not_complete"


def test_F_3_not_your_step() -> None:
    fight = engaged(pia="might", orc="agility")
    code = fight.refused("declare_attack", creature="pia", target="orc", prompt="r1/e1/might/pia")
    assert code == "not_your_step"


def test_F_3_not_agility_stance() -> None:
    fight = engaged(pia="cunning", orc="defensive")
    order = {"order": "no_move", "target": "orc", "prompt": fight.prompt("pia")}
    assert fight.refused("declare_agility", creature="pia", **order) == "not_agility_stance"


def test_F_3_already_shrugged() -> None:
    fight = begun(DUEL, options={"shrug_per_round": 1})
    harm = [{"kind": "damage", "creature": "pia", "amount": amount} for amount in (4, 6)]
    fight.do("gm_ruling", kind="effect", decision="stones fall", effects=harm)
    fight.answer("shrug", "pia")
    assert fight["pia"].heart_die == 6
    assert fight.logged("damage_applied")[-1].note == "already_shrugged"
    assert fight["pia"].hp == 40 - 2 - 6


@pytest.mark.parametrize("verb", ["stow"])
def test_F_3_weapon_not_wielded(verb: str) -> None:
    fight = begun(DUEL).do("object", creature="pia", verb=verb).do("pass_side", side="enemies")
    assert fight.refused("object", creature="pia", verb=verb) == "weapon_not_wielded"


def test_F_3_blocked() -> None:
    fight = begun(DUEL, terrain={"-1,0": "wall"})
    assert fight.refused("dash", creature="pia", path=[[-1, 0]]) == "blocked"
    assert fight.refused("sidestep", creature="pia", to=[-1, 0]) == "blocked"
    assert fight.refused("dash", creature="pia", path=[[5, 5]]) == "blocked"


PRECEDENCE = [
    ({"status": "dead", "conditions": {"stunned": Condition(level=1)}, "surprised": True}, "dead"),
    ({"status": "unconscious", "conditions": {"stunned": Condition(level=1)}}, "unconscious"),
    (
        {"conditions": {"stunned": Condition(level=1), "incapacitated": Condition(level=1)}, "action": 0},
        "stunned",
    ),
    ({"conditions": {"incapacitated": Condition(level=1)}, "surprised": True, "action": 0}, "incapacitated"),
    ({"surprised": True, "action": 0}, "surprised"),
    ({"action": 0}, "no_priority"),
]


@pytest.mark.parametrize(("changes", "code"), PRECEDENCE, ids=[code for _, code in PRECEDENCE])
def test_F_3_precedence_state_of_the_actor_then_timing(changes: dict[str, Any], code: str) -> None:
    """The other side holds priority, the target is far away, and nothing is left to pay with."""
    fight = begun({"pia": (0, 0), "orc": (20, 0), "ash": (9, 9)}, first="enemies").given("pia", **changes)
    assert fight.refused("engage", creature="pia", target="orc") == code


def test_F_3_precedence_then_cost_then_target() -> None:
    fight = begun({"pia": (0, 0), "orc": (20, 0), "ash": (9, 9)}).given("pia", action=0)
    assert fight.refused("engage", creature="pia", target="orc") == "action_spent"
    fight.given("pia", action=1)
    assert fight.refused("engage", creature="pia", target="orc") == "not_in_range"
    fight.do("end_combat", reason="enough")
    fight.given("pia", status="dead")
    assert fight.refused("engage", creature="pia", target="orc") == "encounter_over"


def test_HR_OA_1_whoever_is_hidden_may_strike_while_an_engagement_waits() -> None:
    """Seed 000: at instant speed, even while another creature is doing something; it ends no engagement."""
    places = {"pia": (0, 0), "orc": (1, 0), "ash": (4, 0)}
    fight = begun(places).given("ash", hidden_from=("orc",), action=1)
    fight.do("engage", creature="pia", target="orc").joined_by()
    offers = [offer for offer in fight.offers("zoe", "ash") if offer.type == "opportunity_attack"]
    assert offers
    fight.do("opportunity_attack", creature="ash", target="orc", stance="agility")
    fight.throw(1, 1, 1).throw(*[6] * 7)
    assert fight["ash"].action == 0
    assert not fight["ash"].hidden_from
    assert fight.stances(pia="defensive", orc="defensive").logged("engagement_ended")


def test_HR_OA_1_a_strike_needs_its_opening_in_an_engagement_too() -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0), "ash": (0, 1)}).do("engage", creature="pia", target="orc")
    fight.joined_by()
    code = fight.refused("opportunity_attack", creature="ash", target="orc", stance="agility")
    assert code == "no_oa_trigger"


def test_HR_COND_24_a_sidestep_that_was_interrupted_still_drags_the_captive() -> None:
    """A Sentinel may strike before the careful step; then the pair moves."""
    places = {"pia": (0, 0), "orc": (0, 1), "wolf": (1, 0)}
    fight = begun(places, sheets={"wolf": {"abilities": ["sentinel"]}})
    fight.given("pia", conditions={"grappling": Condition(level=1, source="orc")})
    fight.given("orc", conditions={"grappled": Condition(level=1, source="pia")})
    fight.do("sidestep", creature="pia", to=[-1, 0])
    fight.answer("pass_window", "wolf")
    assert fight["pia"].position == (-1, 0)
    assert fight["orc"].position == (0, 0)


def test_HR_GRAP_5_a_grapple_that_was_won_needs_a_hand_when_it_lands() -> None:
    fight = begun({"bru": (0, 0), "wolf": (1, 0)})
    won = Earned(creature="bru", target="wolf", offensive=Offensive(what="grapple"))
    assert why_not(fight.state, won) == "no_free_hand", "a maul takes both hands"
    assert why_not(fight.given("bru", wielded=None).state, won) is None


def test_a_free_opportunity_attack_is_paid_with_nothing() -> None:
    """What it is to be paid with would have no effect: it is offered without, and refused with it."""
    sheets = {"pia": {"abilities": ["sentinel"]}}
    fight = begun(DUEL, sheets=sheets).given("orc", surprised=True)
    strike = {"creature": "pia", "target": "orc", "stance": "might"}
    offered = [offer for offer in fight.offers("zoe", "pia") if offer.type == "opportunity_attack"]

    assert [set(offer.choices) for offer in offered] == [{"target", "stance"}]
    assert fight.refused("opportunity_attack", **strike, pay="action") == "cannot_pay"
    fight.do("opportunity_attack", **strike)
