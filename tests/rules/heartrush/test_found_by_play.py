"""What random play has found, each as the few commands that showed it."""

from __future__ import annotations

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.ruleset import waiting
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import Fight, begun, opened, sheet

HOLD = {"grappling": Condition(level=1, source="wolf", since=1)}
HELD = {
    "grappled": Condition(level=1, source="pia", since=1),
}
CONFUSED = {"confused": Condition()}
PLACES = {"pia": (0, 0), "ash": (0, 2), "orc": (1, 0), "wolf": (5, 5)}


def push(fight: Fight, creature: str) -> None:
    """Let the GM push a creature."""
    effect = {"kind": "push", "creature": creature, "feet": 5, "direction": [0, -1]}
    fight.send("gm_ruling", "gm", kind="effect", decision="a gust", effects=[effect])


def refused(fight: Fight, type_: str, seat: str, **data: object) -> str:
    """Return the code with which a command is refused."""
    decision = fight.send(type_, seat, **data)
    assert decision.refusal is not None, f"{type_} was accepted"
    return decision.refusal.code


def offers(fight: Fight, seat: str, creature: str) -> set[str]:
    """Return the commands that are offered to a creature."""
    return {offer.type for offer in fight.offers(seat, creature)}


def test_HR_FORCE_3_a_push_goes_on_when_another_breaks_the_hold_it_asked_about() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)})
    fight.given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    push(fight, "wolf")
    push(fight, "wolf")
    fight.answer("follow_captive", "pia", follow=False)
    assert fight["wolf"].position == (1, -2)
    assert "follow_captive" not in {name for awaited in waiting(fight.state) for name in awaited.accepts}


def test_HR_PRIO_3_who_has_declined_does_not_act_until_priority_comes_back() -> None:
    fight = begun(PLACES).do("pass", creature="pia")
    assert refused(fight, "call_out", "zoe", creature="pia", words="Wait!") == "already_passed"
    assert refused(fight, "pass", "zoe", creature="pia") == "already_passed"
    assert "call_out" in offers(fight, "zoe", "ash")
    assert "call_out" not in offers(fight, "zoe", "pia")


def test_HR_TIME_9_no_turn_ends_while_something_of_it_is_unresolved() -> None:
    fight = begun(
        PLACES,
        options={"timing": "turns", "turn_order": "alternate_sides"},
    )
    mover = str(waiting(fight.state)[0].creature)
    fight.send(
        "gm_ruling",
        "gm",
        kind="effect",
        decision="a stone",
        effects=[{"kind": "damage", "creature": mover, "amount": 3}],
    )
    seat = fight.state.controller(mover)
    assert refused(fight, "end_turn", seat, creature=mover) == "not_your_turn"


@pytest.mark.parametrize("acted", [True, False])
def test_HR_COND_14_the_confused_are_offered_the_one_half_that_is_left(*, acted: bool) -> None:
    half = {"acted": True} if acted else {"moved_ft": 5}
    fight = begun(PLACES).given("pia", conditions=CONFUSED, **half)
    found = offers(fight, "zoe", "pia")
    assert ("dash" in found, "engage" in found) == (not acted, acted)


def test_HR_ACT_8_a_dash_to_where_one_is_moves_nobody_and_is_refused() -> None:
    fight = begun(PLACES)
    assert refused(fight, "dash", "zoe", creature="pia", to=[0, 0]) == "params_missing"


OWNERS = {"pia": {"abilities": ["oath"]}, "ash": {"abilities": ["oath"]}}


def test_HR_ABIL_9_an_ability_that_the_gm_rules_on_is_ruled_on_outside_combat_too() -> None:
    oath = ability("oath", "heart", effects=[{"kind": "adjudicate", "question": "Is it heard?"}])
    fight = opened(PLACES, abilities=[oath], sheets=OWNERS)
    assert "use_ability" in offers(fight, "zoe", "pia")
    fight.do("use_ability", creature="pia", ability="oath")
    assert refused(fight, "spend_xp", "zoe", creature="pia", purchase={"kind": "hit_points"}) == "no_priority"
    assert refused(fight, "begin_combat", "gm", unaware_side="enemies") == "no_priority"
    prompt = waiting(fight.state)[0].prompt
    assert fight.send("rule_ability", "gm", prompt=prompt, accept=True).refusal is None
    fight.do("begin_combat", unaware_side="enemies")


def test_HR_SVC_3_a_prompt_that_is_not_ones_own_is_refused_outside_combat_too() -> None:
    oath = ability("oath", "heart", effects=[do("rush", creature="self", points=1)])
    fight = opened(PLACES, abilities=[oath], sheets=OWNERS)
    given = {"creature": "pia", "ability": "oath"}
    assert refused(fight, "use_ability", "zoe", **given, prompt="r0/setup/ash") == "not_your_prompt"
    assert refused(fight, "use_ability", "zoe", **given, prompt="r9/setup/pia") == "window_closed"


def test_HR_TIME_4_outside_combat_no_window_asks_anybody() -> None:
    oath = ability("oath", "heart", effects=[do("rush", creature="self", points=1)])
    fight = opened(PLACES, abilities=[oath], sheets=OWNERS, options={"windows": "all"})
    fight.do("use_ability", creature="pia", ability="oath")
    assert "pass_window" not in {name for awaited in waiting(fight.state) for name in awaited.accepts}


def test_HR_ABIL_9_outside_combat_too_nothing_is_used_while_a_nights_dice_are_owed() -> None:
    rouse = ability("rouse", "major", "instant", effects=[do("heal", creature="self", amount=1)])
    fight = opened(PLACES, sheets={"ash": {"abilities": ["rouse"]}}, abilities=[rouse])
    fight.do("rest", rest="long", creatures=["pia"], night={})
    assert [awaited.accepts for awaited in waiting(fight.state)] == [("throw_dice",)]
    assert refused(fight, "use_ability", "zoe", creature="ash", ability="rouse", params={}) == "no_priority"
    fight.throw(99)
    assert fight.send("use_ability", "zoe", creature="ash", ability="rouse", params={}).refusal is None


def test_HR_ZERO_1_one_falls_while_the_damage_of_an_opportunity_attack_is_asked_about() -> None:
    fight = begun(PLACES, first="enemies").given("ash", hp=0).do("dash", creature="orc", to=[5, 0])
    fight.answer("opportunity_attack", "pia", 6, 6, 6, 1, 1, target="orc", stance="agility", pay="action")
    assert "shrug" in offers(fight, "gm", "orc")
    assert "go_unconscious" in offers(fight, "zoe", "ash")
    assert fight.do("go_unconscious", creature="ash")["ash"].status == "unconscious"


def test_HR_ZERO_1_one_falls_while_damage_outside_combat_is_asked_about() -> None:
    fight = opened(PLACES).given("ash", hp=0)
    blow = {"kind": "damage", "creature": "orc", "amount": 6}
    fight.send("gm_ruling", "gm", kind="effect", decision="a rock", effects=[blow])
    assert "shrug" in offers(fight, "gm", "orc")
    assert "go_unconscious" in offers(fight, "zoe", "ash")
    assert fight.do("go_unconscious", creature="ash")["ash"].status == "unconscious"


def test_HR_WPN_12_who_moves_first_leaves_the_water_and_throws() -> None:
    knife = {"weapons": [{"id": "knife", "attack_type": "thrown", "damage_type": "piercing"}]}
    places, water = {"pia": (0, 0), "orc": (1, 0)}, {"0,0": "deep_water"}
    fight = begun(places, first="enemies", sheets={"pia": knife}, terrain=water)
    fight.do("engage", creature="orc", target="pia").joined_by().stances(pia="agility", orc="defensive")
    (offer,) = (o for o in fight.offers("zoe", "pia") if o.choices.get("order") == ("move_first",))
    assert "orc" in offer.choices["target"]
    fight.answer("declare_agility", "pia", order="move_first", target="orc")
    fight.answer("sidestep", "pia", to=[0, 1])
    assert [a.prompt for a in waiting(fight.state)] == ["r1/e1/agility/pia/orc/dice/pia/attack"]


def test_HR_WPN_12_who_moves_first_and_stays_in_the_water_throws_nothing() -> None:
    knife = {"weapons": [{"id": "knife", "attack_type": "thrown", "damage_type": "piercing"}]}
    places, water = {"pia": (0, 0), "orc": (1, 0)}, {"0,0": "deep_water"}
    fight = begun(places, first="enemies", sheets={"pia": knife}, terrain=water)
    fight.do("engage", creature="orc", target="pia").joined_by().stances(pia="agility", orc="defensive")
    fight.answer("declare_agility", "pia", order="move_first", target="orc")
    fight.answer("decline_sidestep", "pia")
    assert not fight.rolls
    assert fight.logged("engagement_ended")


def test_HR_MOVE_8_whom_a_hidden_creature_stops_in_a_friends_space_ends_beside_it() -> None:
    """Pia walks through Ash's place, behind which a wolf is hidden."""
    fight = begun({"pia": (0, 0), "ash": (1, 0), "orc": (9, 9)})
    fight.do("hide_creature", entry={"sheet": sheet("wolf"), "position": [2, 0]})
    fight.do("dash", creature="pia", path=[[1, 0], [2, 0], [3, 0]])
    assert fight["wolf"].position == (2, 0)
    assert fight["pia"].position not in ((1, 0), (2, 0))
    assert max(map(abs, (fight["pia"].position[0] - 1, fight["pia"].position[1]))) == 1
    assert fight.logged("moved")[-1].because == ("HR-MOVE-8",)


def test_HR_STUNT_1_a_stunt_against_one_that_has_died_is_offered_without_a_contest() -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0)}).do("engage", creature="pia", target="orc")
    fight.stances(pia="might", orc="cunning")
    fight.answer("declare_offensive", "pia", what="stunt", text="kick sand", target="orc")
    assert any("effects" in offer.choices for offer in fight.offers("gm") if offer.type == "adjudicate")
    gone = {"kind": "hp", "creature": "orc", "hp": -35}
    fight.do("gm_ruling", kind="effect", decision="it burns", effects=[gone])
    assert fight["orc"].status == "dead"
    assert not any("effects" in offer.choices for offer in fight.offers("gm") if offer.type == "adjudicate")
