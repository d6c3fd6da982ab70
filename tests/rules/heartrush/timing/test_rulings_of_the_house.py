"""Where the books leave room: standing up, several helpers, whole sides surprised, orders, empty ends."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.ruleset import waiting
from tests.rules.heartrush.casts import engaged
from tests.rules.heartrush.kit import Fight, begun, opened

DUEL = {"pia": (0, 0), "wolf": (1, 0)}
PRONE = {"prone": Condition(level=1)}


def roles(fight: Fight) -> list[str]:
    return [die.role for die in fight.rolls[-1].dice]


# --- standing up --------------------------------------------------------------------------------------------


def test_HR_RES_4_standing_up_by_the_free_sidestep_counts_for_the_attack_that_follows() -> None:
    fight = begun(DUEL, first="enemies").given("wolf", conditions=PRONE)
    engaged(fight, "wolf", "pia", wolf="agility", pia="defensive")
    fight.answer("declare_agility", "wolf", order="move_first", target="pia")
    fight.answer("sidestep", "wolf", stand=True).throw(5, 5, 5)
    assert "disadvantage" not in [die.role for die in fight.rolls[-1].dice]
    assert not fight["wolf"].has("prone")


def test_HR_RES_4_whoever_attacks_before_standing_up_attacks_from_the_ground() -> None:
    fight = begun(DUEL, first="enemies").given("wolf", conditions=PRONE)
    engaged(fight, "wolf", "pia", wolf="agility", pia="defensive")
    fight.answer("declare_agility", "wolf", 5, 5, 5, 5, order="attack_first", target="pia")
    assert "disadvantage" in roles(fight)


def test_HR_RES_4_whoever_has_stood_up_is_struck_as_one_who_stands() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}).given("wolf", conditions=PRONE)
    engaged(fight, "pia", "wolf", wolf="agility", pia="agility")
    fight.answer("declare_agility", "pia", order="move_first", target="wolf")
    fight.answer("declare_agility", "wolf", order="move_first", target=None)
    assert fight.waits_for()[0] == "wolf", "the side that was engaged moves first"
    fight.answer("sidestep", "wolf", stand=True).answer("decline_attack", "wolf")
    fight.answer("decline_sidestep", "pia", 3, 3, 3)
    fight.throw(5, 5)
    assert "disadvantage" not in roles(fight)


def test_HR_RES_4_other_conditions_of_the_snapshot_stay() -> None:
    worse = {**PRONE, "off_balanced": Condition(level=2)}
    fight = begun(DUEL, first="enemies").given("wolf", conditions=worse)
    engaged(fight, "wolf", "pia", wolf="agility", pia="defensive")
    fight.answer("declare_agility", "wolf", order="move_first", target="pia")
    fight.answer("sidestep", "wolf", stand=True)
    wanted = waiting(fight.state)[0].wants
    assert len(wanted) == 3 + 2, "two levels of off-balanced hamper agility, lying prone does not"


# --- helpers ------------------------------------------------------------------------------------------------


def test_HR_ACT_10_two_helpers_give_two_advantages_on_the_same_roll() -> None:
    fight = opened({"pia": (0, 0), "ash": (0, 1), "bru": (1, 1), "orc": (9, 9)})
    for helper in ("ash", "bru"):
        fight.do("help", creature=helper, target="pia")
    assert fight["pia"].help == 2
    fight.do("begin_combat", unaware_side="enemies").do("grant_priority")
    fight.given("orc", position=(1, 0))
    engaged(fight, "pia", "orc", pia="cunning", orc="defensive")
    fight.answer("declare_attack", "pia", 5, 4, 3, 2, 1, target="orc")
    assert roles(fight) == ["heart", "cunning", "weapon", "advantage", "advantage"]
    assert fight["pia"].help == 0
    assert len(fight.logged("help_spent")) == 1


def test_HR_ACT_10_all_help_is_spent_by_one_check() -> None:
    fight = opened({"pia": (0, 0), "ash": (0, 1), "bru": (1, 1), "orc": (9, 9)}).given("pia", help=2)
    assert fight.send("allow_hiding", "gm", creature="pia", cn=5).refusal is None
    fight.do("hide", 5, 4, 2, 2, creature="pia")
    assert roles(fight) == ["heart", "agility", "advantage", "advantage"]
    assert fight["pia"].help == 0


# --- surprise -----------------------------------------------------------------------------------------------

FOUR = {"pia": (0, 0), "ash": (0, 1), "orc": (9, 0), "wolf": (9, 1)}


@pytest.mark.parametrize(
    ("surprised", "starts"), [(["orc", "wolf"], "players"), (["pia", "ash", "wolf"], "enemies")]
)
def test_HR_START_2_a_side_surprised_as_a_whole_leaves_the_start_to_the_other(
    surprised: list[str], starts: str
) -> None:
    fight = opened(FOUR).do("begin_combat", surprised=surprised).do("grant_priority")
    assert fight.state.starting_side == fight.state.priority_side == starts
    assert not fight.logged("opening_roll")
    assert not fight.rolls


@pytest.mark.parametrize("surprised", [["orc"], ["pia", "wolf"], ["pia", "ash", "orc", "wolf"], []])
def test_HR_START_3_otherwise_the_die_decides(surprised: list[str]) -> None:
    fight = opened(FOUR).do("begin_combat", surprised=surprised).do("grant_priority", 4)
    assert [event.face for event in fight.logged("opening_roll")] == [4]


def test_HR_START_2_the_dead_and_the_unconscious_surprise_nobody() -> None:
    fight = opened(FOUR).given("wolf", status="unconscious", hp=-1)
    fight.do("begin_combat", surprised=["orc"]).do("grant_priority")
    assert fight.state.starting_side == "players"


def test_HR_START_2_the_gms_word_about_who_was_unaware_comes_first() -> None:
    fight = opened(FOUR).do("begin_combat", surprised=["orc", "wolf"], unaware_side="players")
    assert fight.do("grant_priority").state.starting_side == "enemies"


# --- the order of cunning attacks ---------------------------------------------------------------------------

CROWD = {"orc": (0, 0), "pia": (1, 0), "bru": (0, 1), "wolf": (1, 1)}


def cunning_step(**options: Any) -> Fight:
    """Return a fight in which the orc engaged Pia; she, Bru and the orc attack in cunning, the wolf too."""
    fight = begun(CROWD, first="enemies", options=options)
    fight.do("engage", creature="orc", target="pia").joined_by("bru", "wolf")
    return fight.stances(orc="cunning", pia="cunning", bru="cunning", wolf="defensive")


def declared(fight: Fight) -> Fight:
    for who, target in (("orc", "bru"), ("pia", "wolf"), ("bru", "wolf")):
        fight.answer("declare_attack", who, target=target)
    return fight


def rolled(fight: Fight) -> list[str]:
    return [event.attacker for event in fight.logged("exchange_begun")]


def test_TABLE_ORDER_1_the_side_that_was_engaged_orders_its_cunning_attacks() -> None:
    fight = declared(cunning_step())
    fight.throw(1, 1, 1).throw(6, 6)
    assert rolled(fight) == ["orc"]
    prompt = waiting(fight.state)[0]
    assert (prompt.prompt, prompt.seat, prompt.accepts) == ("r1/e1/order/pia", "zoe", ("attack_next",))
    offers = [offer for offer in fight.offers("zoe") if offer.type == "attack_next"]
    assert [offer.choices["attacker"] for offer in offers] == [("pia", "bru")]
    fight.answer("attack_next", "pia", attacker="bru")
    assert rolled(fight) == ["orc", "bru"]
    fight.throw(1, 1, 1).throw(6, 6)
    assert rolled(fight) == ["orc", "bru", "pia"], "the last one needs no choice"


def test_TABLE_ORDER_1_only_its_own_attackers_are_chosen_and_only_by_its_seat() -> None:
    fight = declared(cunning_step()).throw(1, 1, 1, 6, 6)
    prompt = fight.prompt("pia")
    for attacker in ("orc", "wolf", "nobody"):
        code = fight.refused("attack_next", creature="pia", prompt=prompt, attacker=attacker)
        assert code == "no_valid_target"
    decision = fight.send("attack_next", "gm", creature="pia", prompt=prompt, attacker="bru")
    assert decision.refusal is not None
    assert decision.refusal.code == "not_your_creature"


def test_TABLE_ORDER_1_the_house_may_let_them_come_as_they_joined() -> None:
    fight = declared(cunning_step(cunning_order="participants"))
    fight.throw(1, 1, 1, 6, 6).throw(1, 1, 1, 6, 6)
    assert rolled(fight) == ["orc", "pia", "bru"]


def test_TABLE_ORDER_1_one_attacker_is_no_choice() -> None:
    fight = begun({"orc": (0, 0), "pia": (1, 0)}, first="enemies")
    engaged(fight, "orc", "pia", orc="cunning", pia="cunning")
    fight.answer("declare_attack", "orc", target="pia").answer("declare_attack", "pia", target="orc")
    assert all("attack_next" not in awaited.accepts for awaited in waiting(fight.state))


# --- nobody left to attack ----------------------------------------------------------------------------------


def test_HR_RES_6_an_engagement_ends_without_asking_once_no_enemy_is_left() -> None:
    """A-67: an ally would be a target, but nobody is asked for that."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "bru": (0, 1), "orc": (20, 20)}).given("wolf", hp=-15)
    fight.do("engage", creature="pia", target="wolf").joined_by("bru")
    fight.stances(pia="cunning", wolf="agility", bru="might")
    fight.answer("declare_attack", "pia", 8, 6, 8, 1, 1, target="wolf", perk={})
    while any("accept_damage" in awaited.accepts for awaited in waiting(fight.state)):
        fight.answer("accept_damage", "wolf")
    assert fight["wolf"].status == "dead"
    assert fight.logged("engagement_ended")
    assert [event.step for event in fight.logged("step_started")] == ["cunning"]


def test_HR_RES_6_while_an_enemy_is_left_allies_are_targets_too() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "bru": (0, 1), "orc": (1, 1)}).given("wolf", hp=-15)
    fight.do("engage", creature="pia", target="wolf").joined_by("bru", "orc")
    fight.stances(pia="cunning", wolf="agility", bru="might", orc="defensive")
    fight.answer("declare_attack", "pia", 8, 6, 8, 1, 1, target="wolf", perk={})
    while any("accept_damage" in awaited.accepts for awaited in waiting(fight.state)):
        fight.answer("accept_damage", "wolf")
    offers = [offer for offer in fight.offers("zoe", "bru") if offer.type == "declare_attack"]
    assert set(offers[0].choices["target"]) == {"pia", "orc"}
