"""Rules of B.1 to B.6 and B.9 to B.16 that no golden vector tells of, one claim each, by their ids."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.rolling.rolls import explosions
from service.rules.rolls.chance import PoolDie
from tests.rules.heartrush.kit import Fight, begun, opened
from tests.rules.heartrush.pools import thrown

NEAR = {"pia": (0, 0), "orc": (1, 0)}
KNIFE = {"id": "knife", "attack_type": "thrown", "damage_type": "slashing"}
DART = {"id": "dart", "attack_type": "thrown", "damage_type": "slashing"}
WHIP = {"id": "lash", "size_class": "light", "attack_type": "whip", "damage_type": "slashing"}


def meet(fight: Fight, who: str, whom: str, mine: str, theirs: str) -> Fight:
    """Let *who* engage *whom*, alone, in these stances."""
    return fight.do("engage", creature=who, target=whom).joined_by().stances(**{who: mine, whom: theirs})


# --- dice -----------------------------------------------------------------------------------------------


def test_HR_AD_1_advantage_adds_the_smallest_die_and_drops_the_lowest() -> None:
    roll = thrown([8, 6, 12], 2, [8, 1, 12, 3, 2])
    assert [die.sides for die in roll.dice] == [8, 6, 12, 6, 6]
    assert [die.face for die in roll.dice if die.dropped] == [1, 2]
    assert roll.total == 23


def test_HR_AD_4_what_is_dropped_does_not_count() -> None:
    roll = thrown([8, 8], -1, [8, 8, 1])
    assert (roll.total, sum(die.dropped for die in roll.dice)) == (9, 1)


@pytest.mark.parametrize(
    ("faces", "dropped", "added"),
    [([8, 3], [], [8]), ([8, 3], [0], []), ([8, 6], [0], [6]), ([8, 6], [1], [8]), ([7, 5], [0], [])],
)
def test_HR_AD_4_only_kept_dice_explode(faces: list[int], dropped: list[int], added: list[int]) -> None:
    pool = [PoolDie(role="heart", sides=8), PoolDie(role="might", sides=6)]
    assert [die.sides for die in explosions(pool, faces, dropped)] == added


# --- start and priority ---------------------------------------------------------------------------------


def test_HR_START_2_an_unaware_side_leaves_the_start_to_the_other() -> None:
    fight = opened(NEAR).do("begin_combat", unaware_side="players").do("grant_priority")
    assert (fight.state.priority_side, fight.rolls) == ("enemies", [])


def test_HR_START_7_the_surprised_neither_act_nor_join_but_are_struck_at() -> None:
    fight = opened({**NEAR, "wolf": (0, 1)}).do("begin_combat", unaware_side="enemies", surprised=["orc"])
    fight.do("opportunity_attack", 1, 1, 1, 8, 6, creature="pia", target="orc", stance="agility").do(
        "grant_priority"
    )
    fight.do("pass_side", side="players")
    assert fight.refused("dash", creature="orc", to=[2, 0]) == "surprised"


def test_HR_START_9_nobody_hides_once_combat_runs() -> None:
    fight = opened(NEAR).do("begin_combat")
    assert fight.refused("begin_combat", hidden={"pia": ["orc"]}) == "in_combat"


def test_HR_PRIO_3_a_side_declines_when_every_able_member_has() -> None:
    fight = begun({**NEAR, "ash": (0, 5)}).do("pass", creature="pia")
    assert fight.state.priority_side == "players"
    fight.do("pass", creature="ash")
    assert fight.state.priority_side == "enemies"


def test_HR_PRIO_3_only_a_captain_or_the_gm_declines_for_a_side() -> None:
    fight = begun(
        NEAR,
        seats=[{"seat": "zoe", "role": "player", "creatures": ["pia"]}, {"seat": "max", "role": "player"}],
    )
    fight.send("pass_side", "max", side="players")
    assert fight.refusal
    assert fight.refusal.code == "not_captain"


def test_HR_PRIO_10_two_automatic_passes_end_the_round() -> None:
    fight = begun(NEAR).given("pia", conditions={"stunned": Condition()})
    fight.given("orc", conditions={"stunned": Condition()})
    fight.do("pass_side", side="players")
    assert fight.state.phase == "idle", "nobody can act: the fight waits for the gm"
    fight.do("pass_side", side="players")
    assert (fight.state.round, fight.state.phase) == (4, "idle")


# --- actions and movement -------------------------------------------------------------------------------


def test_HR_ACT_3_the_second_dash_costs_the_action() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)})
    for expected in (1, 0):
        fight.do("dash", creature="pia", to=[expected + 2, 0]).do("pass_side", side="enemies")
        assert fight["pia"].action == expected
    assert fight.refused("dash", creature="pia", to=[0, 0]) == "action_spent"


def test_HR_ACT_7_standing_up_is_a_sidestep() -> None:
    fight = begun(NEAR).given("pia", conditions={"prone": Condition()})
    fight.do("sidestep", creature="pia", stand=True)
    assert not fight["pia"].has("prone")
    assert not fight.logged("window_opened")


def test_HR_ACT_10_help_gives_one_roll_advantage() -> None:
    fight = (
        begun({**NEAR, "bru": (0, 1)})
        .do("help", creature="bru", target="pia")
        .do("pass_side", side="enemies")
    )
    meet(fight, "pia", "orc", "agility", "defensive")
    fight.answer("declare_agility", "pia", 1, 5, 6, 2, 1, 1, target="orc", order="no_move")
    fight.answer("accept_damage", "orc")
    assert fight.logged("attack_rolled")[0].rolled.total == 13
    assert fight["pia"].help == 0
    assert fight.refused("help", creature="bru", target="orc") == "no_priority"


def test_HR_MOVE_5_standing_in_a_dash_costs_half_of_it_and_lets_enemies_strike() -> None:
    fight = begun(NEAR).given("pia", conditions={"prone": Condition()})
    assert fight.refused("dash", creature="pia", to=[-6, 0], stand=True) == "insufficient_movement"
    fight.do("dash", creature="pia", to=[-5, 0], stand=True)
    assert fight["pia"].has("prone")
    fight.answer("pass_window", "orc")
    assert (fight["pia"].has("prone"), fight["pia"].position) == (False, (-5, 0))


def test_HR_MOVE_5_who_crawls_goes_on_after_a_strike() -> None:
    fight = begun(NEAR).given("pia", conditions={"prone": Condition()}).do("dash", creature="pia", to=[-1, 0])
    fight.answer("pass_window", "orc")
    assert fight["pia"].position == (-1, 0)


def test_HR_MOVE_3_whoever_falls_to_the_strike_stays_where_it_was() -> None:
    fight = begun({**NEAR, "bru": (5, 5)}, options={"zero_hp": "immediate"}).given("pia", hp=1)
    fight.do("dash", creature="pia", to=[-5, 0])
    fight.answer("opportunity_attack", "orc", 8, 10, 12, 1, 1, target="pia", stance="might", pay="action")
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].status, fight["pia"].position) == ("unconscious", (0, 0))
    assert fight.state.priority_side == "enemies", "the dash is over"


def test_HR_OA_1_nobody_strikes_without_an_opening() -> None:
    strike = {"creature": "pia", "target": "orc", "stance": "might"}
    assert begun(NEAR).refused("opportunity_attack", **strike) == "no_oa_trigger"


def test_HR_OA_1_late_is_too_late() -> None:
    fight = begun({**NEAR, "bru": (1, 1)}, first="enemies").do("dash", creature="orc", to=[6, 0])
    strike = {"creature": "pia", "target": "orc", "stance": "might", "prompt": fight.prompt("pia")}
    fight.answer("pass_window", "pia").answer("pass_window", "bru")
    assert fight.refused("opportunity_attack", **strike) == "window_closed"


# --- engagements ----------------------------------------------------------------------------------------


def test_HR_ENG_1_nobody_engages_friends_or_the_dead_or_the_far() -> None:
    fight = begun({**NEAR, "bru": (0, 1), "wolf": (5, 0)}).given("orc", status="dead")
    for target, code in (("bru", "target_not_enemy"), ("orc", "target_dead"), ("wolf", "not_in_range")):
        assert fight.refused("engage", creature="pia", target=target) == code


def test_HR_ENG_4_a_join_lets_those_who_declined_think_again() -> None:
    fight = begun({**NEAR, "bru": (1, 1), "wolf": (0, 1)}).do("engage", creature="pia", target="orc")
    fight.answer("decline_join", "bru").answer("join_engagement", "wolf")
    assert fight.waits_for() == ["bru"]


def test_HR_ENG_6_a_newcomer_brings_others_into_reach() -> None:
    fight = begun({**NEAR, "wolf": (0, 1), "bru": (-1, 2)}).do("engage", creature="pia", target="orc")
    assert fight.waits_for() == ["wolf"]
    fight.answer("join_engagement", "wolf")
    assert fight.waits_for() == ["bru"]


def test_HR_ENG_5_late_is_too_late_to_join() -> None:
    fight = (
        begun({**NEAR, "bru": (1, 1)})
        .do("engage", creature="pia", target="orc")
        .answer("decline_join", "bru")
    )
    prompt = "r1/e1/join/bru"
    assert fight.refused("join_engagement", creature="bru", prompt=prompt) == "join_window_closed"
    assert fight.refused("join_engagement", creature="pia", prompt=prompt) == "join_window_closed"


def test_HR_ENG_7_the_forced_may_engage_on_their_own_afterwards() -> None:
    fight = meet(begun(NEAR), "pia", "orc", "defensive", "defensive")
    fight.do("engage", creature="orc", target="pia")
    assert [event.engagement for event in fight.logged("engagement_declared")] == ["r1/e1", "r1/e2"]


@pytest.mark.parametrize(
    ("stance", "against", "legal"),
    [
        (mine, other, other == "defensive" or (mine, other) not in BEATEN)
        for BEATEN in [{("cunning", "might"), ("agility", "cunning"), ("might", "agility")}]
        for mine in ("cunning", "agility", "might")
        for other in ("cunning", "agility", "might", "defensive")
    ],
)
def test_HR_STANCE_4_whom_a_stance_may_attack(stance: str, against: str, *, legal: bool) -> None:
    fight = meet(begun(NEAR), "pia", "orc", stance, against)
    chances = [offer for offer in fight.offers("zoe", "pia") if "target" in offer.choices and offer.prompt]
    assert any("orc" in offer.choices["target"] for offer in chances) is legal


def test_HR_RES_2_an_attack_may_be_declined() -> None:
    fight = meet(begun(NEAR), "pia", "orc", "might", "defensive").answer("decline_attack", "pia")
    assert fight.logged("engagement_ended")
    assert not fight.logged("attack_rolled")


def test_HR_RES_4_the_killed_still_make_their_attack_of_that_step() -> None:
    places = {"ash": (0, 3), "wolf": (0, 1), "pia": (0, 0), "orc": (9, 9)}
    fight = begun(places).given("wolf", hp=-15).do("engage", creature="ash", target="wolf").joined_by("pia")
    fight.stances(ash="cunning", wolf="cunning", pia="agility").answer("declare_attack", "ash", target="wolf")
    fight.answer("declare_attack", "wolf", 8, 6, 8, 8, 1, 1, target="pia").answer("accept_damage", "wolf")
    assert fight["wolf"].status == "dead"
    fight.throw(1, 1, 1, 1, 8, 6)
    assert [event.creature for event in fight.logged("attack_rolled")] == ["ash", "wolf"]


def test_HR_STANCE_AGI_2_a_mover_that_was_killed_owes_nothing() -> None:
    fight = begun({**NEAR, "bru": (9, 9)}, first="enemies").given("pia", hp=-39)
    meet(fight, "orc", "pia", "agility", "agility")
    fight.answer("declare_agility", "orc", order="attack_first", target="pia")
    fight.answer("declare_agility", "pia", 8, 6, 12, 12, 1, 1, 1, order="attack_first", target="orc")
    fight.answer("accept_damage", "pia")
    assert fight["pia"].status == "dead"
    assert fight.waits_for() == ["orc"]
    fight.answer("decline_sidestep", "orc")
    assert fight.logged("engagement_ended")


def test_HR_STANCE_AGI_2_who_is_not_in_agility_has_no_free_sidestep() -> None:
    fight = meet(begun(NEAR), "pia", "orc", "might", "agility")
    fight.answer("decline_attack", "orc")
    step = {"creature": "pia", "prompt": "r1/e1/sidestep/pia", "to": [-1, 0]}
    assert fight.refused("sidestep", **step) == "sidestep_already_used"


# --- weapons --------------------------------------------------------------------------------------------


def test_HR_WPN_4_who_shot_moves_at_most_half_its_speed() -> None:
    fight = meet(begun({"ash": (0, 0), "orc": (5, 0)}), "ash", "orc", "cunning", "defensive")
    fight.answer("declare_attack", "ash", 1, 1, 1, 1, 8, 4, target="orc").do("pass_side", side="enemies")
    assert fight.refused("dash", creature="ash", to=[-6, 0]) == "ranged_move_cap"
    fight.do("dash", creature="ash", to=[-5, 0]).do("pass_side", side="enemies")
    assert fight.refused("sidestep", creature="ash", to=[-6, 0]) == "ranged_move_cap"


def test_HR_WPN_5_shots_fade_beyond_their_range() -> None:
    fight = begun({"ash": (0, 0), "orc": (12, 0)})
    meet(fight, "ash", "orc", "might", "defensive")
    fight.answer("declare_attack", "ash", *[1] * 6, target="orc")
    assert len(fight.rolls[-1].dice) == 6, "30 ft beyond 30: three levels of disadvantage"
    assert (
        begun({"ash": (0, 0), "orc": (13, 0)}).refused("engage", creature="ash", target="orc")
        == "not_in_range"
    )


def thrower(*weapons: dict[str, Any]) -> Fight:
    """Return a fight in which Pia has thrown a knife, with might, at the cunning wolf."""
    places = {"pia": (0, 0), "wolf": (2, 0), "orc": (0, 1)}
    fight = begun(places, sheets={"pia": {"weapons": list(weapons)}}).do(
        "engage", creature="pia", target="wolf"
    )
    fight.joined_by("orc")
    return fight.stances(pia="might", wolf="cunning", orc="cunning")


def test_HR_WPN_8_a_hit_with_a_thrown_weapon_lets_another_fly() -> None:
    fight = thrower(KNIFE, DART)
    fight.answer("declare_attack", "pia", 8, 8, 4, 1, 1, target="wolf").answer("accept_damage", "wolf")
    prompt = fight.prompt("pia")
    same = {"creature": "pia", "prompt": prompt, "target": "wolf", "weapon": "dart"}
    assert fight.refused("follow_up", **same) == "no_valid_target"
    assert (
        fight.refused("follow_up", **{**same, "target": "orc", "weapon": "knife"}) == "weapon_not_wieldable"
    )
    fight.answer("follow_up", "pia", 8, 8, 4, 1, 1, target="orc", weapon="dart").answer(
        "accept_damage", "orc"
    )
    assert [event.defender for event in fight.logged("exchange_begun")] == ["wolf", "orc"]
    assert fight["pia"].thrown == ("knife", "dart")
    assert fight.logged("engagement_ended"), "once in an engagement, and it pushes nobody"


def test_HR_WPN_8_nothing_follows_a_miss_or_without_a_second_weapon() -> None:
    miss = thrower(KNIFE, DART).answer("declare_attack", "pia", 1, 1, 1, 6, 6, target="wolf")
    assert miss.logged("engagement_ended")
    alone = thrower(KNIFE).answer("declare_attack", "pia", 8, 8, 4, 1, 1, target="wolf")
    alone.answer("accept_damage", "wolf")
    assert alone.logged("follow_up_forgone")
    assert alone.logged("engagement_ended")


def test_HR_WPN_9_a_whip_with_might_at_cunning_rolls_one_more_die() -> None:
    fight = begun({"pia": (0, 0), "wolf": (4, 0)}, sheets={"pia": {"weapons": [WHIP]}})
    meet(fight, "pia", "wolf", "might", "cunning").answer(
        "declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf"
    )
    assert [die.sides for die in fight.rolls[0].dice] == [8, 8, 8, 8]


# --- damage ---------------------------------------------------------------------------------------------


def test_HR_DMG_6_the_negative_of_the_maximum_is_death() -> None:
    for hp, status in ((-33, "active"), (-34, "dead")):
        fight = meet(
            begun({**NEAR, "wolf": (9, 9)}).given("orc", hp=hp), "pia", "orc", "agility", "defensive"
        )
        fight.answer("declare_agility", "pia", 8, 2, 2, 4, 6, target="orc", order="no_move")
        assert not fight.logged("damage_pending")
        fight = meet(
            begun({**NEAR, "wolf": (9, 9)}).given("orc", hp=hp), "pia", "orc", "agility", "defensive"
        )
        fight.answer("declare_agility", "pia", 4, 2, 2, 1, 2, target="orc", order="no_move")
        fight.answer("accept_damage", "orc")
        assert fight["orc"].status == status


def test_HR_DMG_1_each_damage_is_shrugged_off_once() -> None:
    fight = begun({"orc": (0, 0), "bru": (1, 0)}, first="enemies")
    meet(fight, "orc", "bru", "might", "cunning").answer("declare_attack", "orc", 5, 5, 5, 1, 1, target="bru")
    prompt = fight.prompt("bru")
    fight.do("shrug", creature="bru", prompt=prompt)
    assert fight.refused("shrug", creature="bru", prompt=prompt) == "no_damage_pending"


def test_HR_ZERO_6_the_unconscious_miss_later_steps_but_stay() -> None:
    places = {"bru": (1, 1), "wolf": (1, 0), "pia": (0, 0), "orc": (0, 1)}
    fight = begun(places, options={"zero_hp": "immediate"}).given("wolf", hp=1)
    fight.do("engage", creature="bru", target="wolf").joined_by("pia", "orc")
    fight.stances(bru="cunning", wolf="agility", pia="might", orc="defensive")
    fight.answer("declare_attack", "bru", 3, 3, 3, 1, 1, target="wolf").answer("accept_damage", "wolf")
    assert fight["wolf"].status == "unconscious"
    assert [event.step for event in fight.logged("step_started")] == ["cunning", "might"]
    (offer,) = [offer for offer in fight.offers("zoe", "pia") if offer.type == "declare_attack"]
    assert offer.choices["target"] == ("bru", "orc"), "agility is out of might's reach even asleep"


# --- reasons --------------------------------------------------------------------------------------------


def test_F_3_the_first_reason_in_order_is_told() -> None:
    """Lifecycle, the actor's state, timing, cost, target: each hides those after it."""
    engage = {"creature": "pia", "target": "nobody"}
    fight = begun(NEAR)
    assert fight.refused("engage", **engage) == "target_not_enemy"
    fight.given("pia", action=0)
    assert fight.refused("engage", **engage) == "action_spent"
    fight.do("pass_side", side="players")
    assert fight.refused("engage", **engage) == "no_priority"
    fight.do("engage", creature="orc", target="pia")
    assert fight.refused("engage", **engage) == "engagement_in_progress"
    fight.given("pia", conditions={"stunned": Condition()})
    assert fight.refused("engage", **engage) == "stunned"
    fight.given("pia", status="unconscious")
    assert fight.refused("engage", **engage) == "unconscious"
    fight.do("end_combat")
    assert fight.refused("engage", **engage) == "encounter_over"


def test_HR_SVC_4_rush_and_engagements_end_with_combat() -> None:
    fight = begun(NEAR).do("engage", creature="pia", target="orc").do("end_combat", reason="a truce")
    assert (fight.state.phase, fight["pia"].rush, len(fight.state.stacks.table)) == ("ended", 0, 1)
    assert [event.reason for event in fight.logged("combat_ended")] == ["a truce"]
