"""Conditions: levels, fading, what they do to rolls, to movement and to what may be done."""

from typing import Any

import pytest

from service.rules.heartrush.body.conditions import ConditionGained
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.table.presentation import tokens
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import view
from service.rules.ruleset import waiting
from service.rules.table.short_view import ShownCondition
from tests.rules.heartrush.kit import Fight, begun, opened

DUEL = {"pia": (0, 0), "orc": (1, 0)}


def laid(fight: Fight, creature: str, condition: str, levels: int = 1, *faces: int) -> Fight:
    """Let the GM lay levels of a condition on a creature."""
    effect = {"kind": "condition", "creature": creature, "condition": condition, "levels": levels}
    return fight.do("gm_ruling", *faces, kind="effect", decision="it is so", effects=[effect])


def having(creature: str, condition: str, level: int = 1, source: str | None = None, **changes: Any) -> Fight:
    """Return a duel in which a creature has a condition; the players hold priority."""
    places = changes.pop("places", DUEL)
    fight = begun(places, **changes)
    return fight.given(creature, conditions={condition: Condition(level=level, source=source)})


def checking(fight: Fight, *faces: int, **data: Any) -> Fight:
    """Have a creature make a check, by the GM's word."""
    decision = fight.send("roll_check", "gm", **data)
    assert decision.refusal is None, decision.refusal
    return fight.throw(*faces)


def attack_of(fight: Fight, creature: str = "pia", target: str = "orc", stance: str = "might") -> str:
    """Return the dice that an attack of *creature* asks for."""
    fight.given(creature, action=1).do("engage", creature=creature, target=target).joined_by()
    fight.stances(**{creature: stance, target: "defensive"})
    if stance == "agility":
        fight.answer("declare_agility", creature, order="attack_first", target=target)
    else:
        fight.answer("declare_attack", creature, target=target)
    return " ".join(waiting(fight.state)[0].wants)


def defense_of(fight: Fight, creature: str = "orc", attacker: str = "pia") -> str:
    """Return the dice that the defense of *creature* against *attacker* asks for."""
    attack = attack_of(fight, attacker, creature)
    fight.throw(*(1 for _ in attack.split()))
    return " ".join(waiting(fight.state)[0].wants)


def next_round(fight: Fight, *faces: int) -> Fight:
    """Let everybody decline until the next round begins, and throw what its end asks for."""
    while fight.state.phase == "priority":
        now = fight.state.round
        fight.do("pass_side", side=fight.state.priority_side)
        if fight.state.round != now or fight.state.phase != "priority":
            break
    return fight.throw(*faces)


def test_HR_COND_1_levels_add_up_and_stop_at_five() -> None:
    fight = laid(laid(begun(DUEL), "orc", "dazed", 3), "orc", "dazed", 4)
    assert fight["orc"].level("dazed") == 5
    assert fight.logged("condition_gained")[-1].wasted == 2
    assert laid(laid(fight, "orc", "prone"), "orc", "prone")["orc"].level("prone") == 1


def test_HR_COND_2_fading_ones_lose_a_level_each_round_HR_COND_3_ongoing_ones_do_not() -> None:
    fight = laid(laid(begun(DUEL), "orc", "dazed", 2), "orc", "poisoned", 2)
    next_round(fight)
    assert (fight["orc"].level("dazed"), fight["orc"].level("poisoned")) == (1, 2)
    next_round(fight)
    assert not fight["orc"].has("dazed")


@pytest.mark.parametrize(
    ("stance", "condition"), [("might", "weakened"), ("agility", "off_balanced"), ("cunning", "dazed")]
)
def test_HR_COND_4_each_ability_has_its_weakness(stance: str, condition: str) -> None:
    assert attack_of(having("pia", condition, 2), stance=stance).count("disadvantage") == 2
    other = "shaken" if condition != "shaken" else "dazed"
    assert "disadvantage" not in attack_of(having("pia", other, 2), stance=stance)


@pytest.mark.parametrize(("value", "dice"), [(True, 2), (False, 0)])
def test_A_35_the_house_may_spare_attacks_but_not_checks(*, value: bool, dice: int) -> None:
    options = {"ability_conditions_affect_ad": value}
    assert attack_of(having("pia", "weakened", 2, options=options)).count("disadvantage") == dice
    fight = having("pia", "weakened", 2, options=options)
    checking(fight, creature="pia", ability="might", what="lift", cn=9)
    assert sum("disadvantage" in want for want in waiting(fight.state)[0].wants) == 2


def test_HR_COND_5_the_restrained_have_no_speed_and_fight_worse() -> None:
    fight = having("pia", "restrained", 2)
    assert fight.refused("dash", creature="pia", to=[0, 1]) == "speed_zero"
    assert fight.refused("sidestep", creature="pia", to=[0, 1]) == "speed_zero"
    assert attack_of(fight).count("disadvantage") == 2
    assert defense_of(having("orc", "restrained", 1)).count("disadvantage") == 1


@pytest.mark.parametrize(("condition", "code"), [("stunned", "stunned"), ("incapacitated", "incapacitated")])
def test_HR_COND_6_and_7_neither_does_anything(condition: str, code: str) -> None:
    fight = having("pia", condition)
    for command, data in (
        ("dash", {"to": [0, 1]}),
        ("engage", {"target": "orc"}),
        ("call_out", {"words": "ah"}),
    ):
        assert fight.refused(command, creature="pia", **data) == code


def test_HR_V_94_a_stunned_orc_is_helpless_to_every_stance() -> None:
    """HR-STANCE-6, HR-COND-6."""
    for stance in ("cunning", "agility", "might"):
        fight = having("orc", "stunned")
        fight.do("engage", creature="pia", target="orc").joined_by().stances(pia=stance)
        assert fight.logged("stances_revealed")[-1].stances["orc"] == "helpless"
        assert "pia" in fight.waits_for()


def test_HR_V_94_what_strikes_the_helpless_is_not_halved() -> None:
    fight = having("orc", "stunned")
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="might")
    fight.answer("declare_attack", "pia", 4, 5, 4, 4, 3, 3, target="orc")
    assert fight.logged("attack_rolled")[-1].rolled.total == 17
    assert fight.logged("defense_rolled")[-1].rolled.total == 10
    assert fight.logged("damage_pending")[-1].amount == 7, "no halving"


def test_HR_COND_7_the_incapacitated_may_be_struck_at_any_time() -> None:
    fight = having("orc", "incapacitated")
    fight.do("opportunity_attack", creature="pia", target="orc", stance="might")
    assert fight.logged("exchange_begun")[-1].how == "opportunity"


def test_HR_COND_8_the_poisoned_roll_worse_whatever_they_roll() -> None:
    assert attack_of(having("pia", "poisoned", 2)).count("disadvantage") == 2
    fight = having("pia", "poisoned", 1)
    checking(fight, creature="pia", ability="cunning", what="think", cn=9)
    assert "disadvantage:d8" in waiting(fight.state)[0].wants


def test_HR_COND_9_the_blinded_see_nothing_at_five() -> None:
    assert attack_of(having("pia", "blinded", 2)).count("disadvantage") == 2
    assert attack_of(having("pia", "blinded", 5)).count("disadvantage") == 10, "blinded, and the orc unseen"
    fight = having("pia", "blinded", 2)
    checking(fight, creature="pia", ability="might", what="lift", cn=9)
    assert "disadvantage:d8" not in waiting(fight.state)[0].wants, "lifting needs no eyes"


def test_HR_COND_10_who_suffocates_is_hurt_by_every_move_and_each_rounds_end() -> None:
    fight = laid(begun(DUEL), "pia", "suffocating")
    fight.do("dash", 3, creature="pia", to=[0, 1])
    fight.answer("accept_damage", "pia")
    assert fight["pia"].hp == 37
    next_round(fight, 4)
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, fight.state.round) == (33, 2)


def test_HR_COND_11_slowed_halves_once_HR_COND_12_crippled_leaves_five() -> None:
    far = [0, 6]
    fight = having("pia", "slowed", 4)
    assert fight.refused("dash", creature="pia", to=far) == "insufficient_movement"
    fight.do("dash", creature="pia", to=[0, 5])
    lame = having("pia", "crippled")
    assert lame.refused("dash", creature="pia", to=[0, 2]) == "insufficient_movement"
    lame.do("dash", creature="pia", to=[0, 1])


def test_HR_COND_13_vulnerability_troubles_on_more_faces_and_kills_at_four() -> None:
    fight = laid(begun(DUEL), "pia", "vulnerable_physical", 2)
    checking(fight, 3, 5, creature="pia", ability="might", what="lift", cn=20)
    assert fight.logged("check_needs_choice"), "a 3 is trouble at two levels"
    fight.do("choose_check", creature="pia", prompt=fight.prompt("pia"), choice="fail")
    laid(fight, "pia", "vulnerable_physical", 2)
    assert fight["pia"].status == "dead"


def test_HR_COND_14_the_confused_move_or_act_until_helped() -> None:
    fight = having("pia", "confused", 1, places={"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)})
    fight.do("sidestep", creature="pia", to=[-1, 0], pay="rush").do("pass_side", side="enemies")
    assert fight.refused("engage", creature="pia", target="orc") == "confused_move_or_act"
    fight.do("help", creature="ash", target="pia")
    assert not fight["pia"].has("confused")

    acted = (
        having("pia", "confused", 1).do("object", creature="pia", verb="stow").do("pass_side", side="enemies")
    )
    assert acted.refused("dash", creature="pia", to=[0, 1]) == "confused_move_or_act"


def accepts(fight: Fight, creature: str) -> set[str]:
    """Return the types of everything that *creature* is offered."""
    return {offer.type for offer in fight.offers(fight.state.controller(creature), creature)}


MOVING = {"dash", "sidestep"}
ACTING = {"engage", "object", "help", "declare_instant", "use_ability", "cast", "opportunity_attack"}


@pytest.mark.parametrize("timing", ["priority", "turns"])
def test_HR_COND_14_the_confused_are_offered_what_is_left_to_them(timing: str) -> None:
    places = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}
    own = {
        "pia": {
            "abilities": ["cry-of-defiance"],
            "growth": {"spells": ["force-strike"], "attunements": ["force"]},
        }
    }
    order = ["pia", "ash", "orc"]
    options = {"timing": timing}
    fresh = having("pia", "confused", 1, places=places, sheets=own, options=options, turn_order=order).given(
        "pia", rush=2
    )
    assert accepts(fresh, "pia") >= MOVING | {"engage", "object"}
    assert "cast" not in accepts(fresh, "pia")
    moved = fresh.given("pia", moved_ft=5)
    assert accepts(moved, "pia") >= MOVING
    assert not accepts(moved, "pia") & ACTING
    acted = fresh.given("pia", moved_ft=0, acted=True)
    assert not accepts(acted, "pia") & MOVING
    assert "engage" in accepts(acted, "pia")


def test_HR_COND_14_whoever_is_confused_and_has_moved_is_not_asked_to_join_strike_or_trip() -> None:
    places = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}
    fight = having("pia", "confused", 1, places=places).given("pia", moved_ft=5)
    fight.do("engage", creature="ash", target="orc")
    assert fight.logged("engagement_declared")
    assert all(awaited.creature != "pia" for awaited in waiting(fight.state))

    walk = having("pia", "confused", 1, places=DUEL, first="enemies").given("pia", moved_ft=5)
    walk.given("orc", conditions={"off_balanced": Condition(level=1)})
    walk.do("dash", creature="orc", path=[[2, 0], [3, 0]])
    assert not walk.logged("window_opened")
    assert walk["orc"].position == (3, 0)


def test_HR_COND_14_the_confused_that_acted_have_no_free_sidestep() -> None:
    fight = having("pia", "confused", 1).do("engage", creature="pia", target="orc").joined_by()
    fight.stances(pia="agility", orc="defensive")
    fight.answer("declare_agility", "pia", *[1] * 6, order="attack_first", target="orc")
    assert fight.logged("engagement_ended"), "nobody is asked for a sidestep"


def test_HR_V_92_fear_keeps_away_until_it_is_mastered() -> None:
    """HR-GEN-8, HR-COND-15."""
    places = {"pia": (0, 0), "orc": (4, 0)}
    sheets = {"orc": {"presence": 8, "paragon_level": 1}}
    fight = having("pia", "frightened", 2, "orc", places=places, sheets=sheets)
    assert fight.refused("dash", creature="pia", path=[[1, 0]]) == "frightened_approach"
    assert fight.refused("dash", creature="pia", to=[1, 0]) == "frightened_approach", "nor by a goal"
    assert fight.refused("dash", creature="pia", to=[-99, 0]) == "insufficient_movement"
    fight.do("steady", 6, 4, creature="pia", condition="frightened")
    assert not fight["pia"].has("frightened")

    meek = having("pia", "frightened", 2, "orc", places=places, sheets=sheets)
    meek.do("steady", 5, 4, creature="pia", condition="frightened")
    assert (meek["pia"].level("frightened"), meek["pia"].action) == (2, 0)


def test_HR_COND_15_fear_hampers_only_while_its_source_is_in_sight() -> None:
    assert attack_of(having("pia", "frightened", 2, "orc")).count("disadvantage") == 2
    fight = having("pia", "frightened", 2, "orc").given("orc", hidden_from=("pia",))
    assert attack_of(fight).count("disadvantage") == 5, "the orc is unseen, so it frightens nobody"


def test_HR_COND_16_rage_hampers_against_others_and_ends_with_an_attack_on_its_source() -> None:
    trio = {"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1)}
    other = having("pia", "enraged", 2, "wolf", places=trio)
    assert attack_of(other).count("disadvantage") == 2
    fight = having("pia", "enraged", 2, "orc")
    assert "disadvantage" not in attack_of(fight)
    fight.throw(4, 4, 4, 4)
    assert not fight["pia"].has("enraged")


def test_HR_COND_17_charm_ends_with_a_hostile_act_of_the_charmer() -> None:
    fight = having("orc", "charmed", 1, "pia")
    attack_of(fight)
    fight.throw(4, 4, 4, 4)
    assert not fight["orc"].has("charmed")


def test_HR_COND_17_the_charmer_speaks_with_advantage() -> None:
    fight = having("orc", "charmed", 1, "pia")
    against = {"creature": "orc", "by": "cunning"}
    checking(fight, creature="pia", ability="presence", what="persuade", against=against)
    assert "advantage:d4" in waiting(fight.state)[0].wants


def test_HR_V_95_lying_prone_is_cover_from_bows_and_bad_against_maces() -> None:
    """HR-ATK-7, HR-COND-18/22."""
    places = {"pia": (0, 0), "ash": (4, 0), "orc": (1, 1)}
    fight = begun(places, sheets={"ash": {"side": "enemies"}}, first="enemies")
    fight.given("pia", conditions={"prone": Condition()})
    fight.do("engage", creature="ash", target="pia").joined_by().stances(ash="agility", pia="defensive")
    fight.answer("declare_agility", "ash", 6, 6, 6, 3, 5, 4, order="attack_first", target="pia")
    assert fight.logged("defense_rolled")[-1].rolled.total == 11

    bat = having("pia", "prone", places=DUEL)
    bat.given("orc", action=1)
    bat.do("pass_side", side="players").do("engage", creature="orc", target="pia").joined_by()
    bat.stances(orc="agility", pia="defensive")
    bat.answer("declare_agility", "orc", 6, 6, 6, 6, 6, 5, 2, order="attack_first", target="pia")
    assert bat.logged("defense_rolled")[-1].rolled.total == 9


@pytest.mark.parametrize(("before", "gained", "dice"), [(0, 3, 3), (2, 3, 3), (4, 3, 1), (5, 1, 0)])
def test_HR_COND_1_a_fire_burns_by_the_levels_that_count(before: int, gained: int, dice: int) -> None:
    """What is more than five is ignored: it burns nobody either."""
    fight = having("pia", "burning", before) if before else begun(DUEL)
    fight.do(
        "gm_ruling",
        kind="effect",
        decision="oil",
        effects=[{"kind": "condition", "creature": "pia", "condition": "burning", "levels": gained}],
    )
    asked = [len(found.wants) for found in waiting(fight.state) if found.wants]
    assert (asked, fight["pia"].level("burning")) == ([dice] if dice else [], min(5, before + gained))


def test_HR_V_85_fire_burns_at_once_at_each_rounds_end_and_fades() -> None:
    """HR-COND-19."""
    fight = laid(begun(DUEL), "pia", "burning", 2, 3, 4)
    fight.answer("accept_damage", "pia")
    assert fight["pia"].hp == 33
    next_round(fight, 2, 5)
    assert fight.state.phase == "round_end", "the round's end waits for an answer"
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, fight["pia"].level("burning"), fight.state.round) == (26, 1, 2)
    next_round(fight, 6)
    fight.answer("shrug", "pia")
    assert fight["pia"].hp == 23
    assert not fight["pia"].has("burning")


def test_HR_COND_19_an_action_puts_out_half_and_deep_water_all() -> None:
    fight = having("pia", "burning", 3).do("douse", creature="pia")
    assert (fight["pia"].level("burning"), fight["pia"].action) == (1, 0)
    wet = having("pia", "burning", 3, terrain={"0,0": "deep_water"})
    next_round(wet)
    assert not wet["pia"].has("burning")


def test_HR_COND_20_attacks_on_the_obscured_and_defenses_against_them_are_five_worse() -> None:
    assert attack_of(having("orc", "obscured")).count("disadvantage") == 5
    assert defense_of(having("pia", "obscured")).count("disadvantage") == 5


def test_HR_COND_21_the_hidden_strike_and_are_hidden_no_more() -> None:
    fight = begun(DUEL).given("pia", hidden_from=("orc",))
    fight.do("opportunity_attack", creature="pia", target="orc", stance="might")
    fight.throw(1, 1, 1, 1, 8, 8, 8, 8, 8, 8, 8)
    assert not fight["pia"].hidden_from


def test_HR_HIDE_2_only_at_whom_one_is_hidden_from() -> None:
    fight = begun({**DUEL, "wolf": (0, 1)}).given("pia", hidden_from=("orc",))
    asked = {"creature": "pia", "target": "wolf", "stance": "might"}
    assert fight.refused("opportunity_attack", **asked) == "not_hidden"


def test_HR_COND_22_high_ground_comes_from_heights_or_the_gm() -> None:
    assert "advantage:d8" in attack_of(having("pia", "highground")).replace("disadvantage", "")
    high = begun(DUEL, scenery={"heights": {"0,0": 10}})
    assert attack_of(high).count(" advantage") == 1
    low = begun(DUEL, scenery={"heights": {"1,0": 10}})
    assert "advantage" not in attack_of(low)


def test_HR_COND_25_the_grappled_carry_one_level_of_restrained() -> None:
    fight = having("orc", "grappled", 1, "pia")
    fight.do("pass_side", side="players")
    assert fight.refused("dash", creature="orc", to=[2, 0]) == "speed_zero"


def test_HR_COND_26_the_unconscious_do_nothing() -> None:
    fight = begun(DUEL).given("pia", status="unconscious", hp=-1)
    assert fight.refused("dash", creature="pia", to=[0, 1]) == "unconscious"


def test_conditions_before_combat_burn_too() -> None:
    fight = laid(opened(DUEL), "pia", "burning", 1, 6)
    fight.answer("accept_damage", "pia")
    assert fight["pia"].hp == 34


def test_levels_that_are_added_later_leave_the_round_in_which_a_condition_began() -> None:
    fight = having("pia", "dazed")
    later = changed(fight.state, round=7)
    more, other = (
        ConditionGained(creature="pia", condition=name, levels=1)
        .evolve(later)
        .creatures["pia"]
        .conditions[name]
        for name in ("dazed", "poisoned")
    )
    assert (more.level, more.since) == (2, 0)
    assert (other.level, other.since) == (1, 7)


def test_a_condition_is_shown_with_the_round_in_which_it_began() -> None:
    fight = having("pia", "dazed")
    later = ConditionGained(creature="pia", condition="poisoned", levels=2).evolve(
        changed(fight.state, round=7)
    )
    shown = {token.id: token.conditions for token in tokens(view(later, "zoe"))}
    assert shown["pia"] == (
        ShownCondition(name="dazed", level=1, since=0),
        ShownCondition(name="poisoned", level=2, since=7),
    )
