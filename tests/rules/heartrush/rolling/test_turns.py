"""Turns: the order, delays, and what each timing allows where (HR-TIME-1..5, 9..11, D.2)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.permission import BUILT_INS, PERMITTED
from tests.rules.heartrush.casts import ability, declare, do, let_go, owners
from tests.rules.heartrush.kit import Fight, opened

PLACES = {"pia": (0, 0), "orc": (1, 0), "ash": (0, 1)}
TURNS = {"timing": "turns"}
GIVEN = ["pia", "orc", "ash"]


def in_turns(*order: str, sheets: Any = None, own: Any = (), **options: Any) -> Fight:
    fight = opened(
        PLACES, sheets=sheets, options={**TURNS, **options}, turn_order=list(order), abilities=list(own)
    )
    return fight.do("begin_combat").do("grant_priority")


def at_turn(fight: Fight) -> str:
    return fight.state.turns[fight.state.turn]


def test_HR_V_100_agility_checks_make_the_order_and_one_may_delay() -> None:
    """HR-TIME-5/9/11."""
    fight = opened(PLACES, options=TURNS).do("begin_combat")
    fight.do("grant_priority", 5, 4, 7, 2, 3, 8)
    assert [e.total for e in fight.logged("initiative_rolled")] == [9, 9, 11]
    assert fight.state.turn_order == ("ash", "pia", "orc")
    assert at_turn(fight) == "ash"

    fight.do("delay", creature="ash", after="pia")
    assert fight.state.turns == ("pia", "ash", "orc")
    fight.do("end_turn", creature="pia")
    assert fight.refused("end_turn", creature="pia") == "turn_already_taken"

    fight.do("engage", creature="ash", target="orc").joined_by()
    fight.stances(ash="defensive", orc="defensive")
    assert fight.logged("engagement_ended")
    assert at_turn(fight) == "ash"
    fight.do("end_turn", creature="ash").do("end_turn", creature="orc")
    assert fight.state.round == 2
    assert fight.state.turns == ("ash", "pia", "orc")


def test_HR_TIME_9_an_order_that_is_given_needs_no_dice() -> None:
    fight = in_turns("orc", "ash", "pia")
    assert fight.state.turns == ("orc", "ash", "pia")
    assert fight.rolls == []


def test_A_47_an_agility_check_even_where_an_order_is_given() -> None:
    fight = opened(PLACES, options={**TURNS, "turn_order": "agility_check"}, turn_order=GIVEN)
    fight.do("begin_combat").do("grant_priority", 1, 1, 8, 6, 2, 2)
    assert fight.state.turns == ("orc", "ash", "pia")


def test_A_47_sides_may_alternate() -> None:
    fight = opened(PLACES, options={**TURNS, "turn_order": "alternate_sides"})
    fight.do("begin_combat").do("grant_priority", 2)
    assert fight.state.turns == ("orc", "pia", "ash")


def test_HR_TIME_9_sides_alternate_from_the_one_that_is_drawn() -> None:
    orders = set()
    for face in (1, 6):
        fight = opened(PLACES, options={**TURNS, "turn_order": "alternate_sides"})
        orders.add(fight.do("begin_combat").do("grant_priority", face).state.turns)
    assert orders == {("orc", "pia", "ash"), ("pia", "orc", "ash")}


def test_HR_TIME_9_a_round_of_turns_ends_without_passes() -> None:
    fight = in_turns(*GIVEN)
    for creature in GIVEN:
        fight.do("end_turn", creature=creature)
    assert [event.passes for event in fight.logged("round_ran_out")] == [0]


def test_HR_TIME_9_nobody_delays_behind_itself() -> None:
    assert in_turns(*GIVEN).refused("delay", creature="pia", after="pia") == "no_valid_target"


def test_HR_TIME_9_who_cannot_act_has_no_turn() -> None:
    fight = in_turns("orc", "pia", "ash").given("pia", status="unconscious", hp=-1)
    fight.do("end_turn", creature="orc")
    assert at_turn(fight) == "ash"


def test_HR_TIME_9_one_delays_once_and_only_behind_a_later_creature() -> None:
    fight = in_turns(*GIVEN)
    fight.do("end_turn", creature="pia")
    assert fight.refused("delay", creature="ash", after="orc") == "not_your_turn"
    assert fight.refused("delay", creature="orc", after="pia") == "no_valid_target"
    fight.do("delay", creature="orc", after="ash").do("end_turn", creature="ash")
    assert fight.refused("delay", creature="orc", after="orc") == "already_delayed"


SPEEDS = {
    "slow": ability("slow", "heart", "slow", effects=[do("rush", creature="self", points=0)]),
    "quick": ability("quick", "heart", "quick", effects=[do("rush", creature="self", points=0)]),
    "instant": ability("instant", "heart", "instant", effects=[do("rush", creature="self", points=0)]),
}
REFUSALS = {
    ("slow", "ally_turn"): "not_your_turn",
    ("slow", "enemy_turn"): "not_your_turn",
    ("quick", "enemy_turn"): "not_ally_turn",
    ("slow", "engagement"): "engagement_in_progress",
    ("quick", "engagement"): "engagement_in_progress",
}


@pytest.mark.parametrize("place", ["own_turn", "ally_turn", "enemy_turn", "engagement"])
@pytest.mark.parametrize("speed", list(SPEEDS))
def test_HR_TIME_2_3_4_the_permission_matrix(speed: str, place: str) -> None:
    """D.2: what each timing allows on one's own turn, an ally's, an enemy's, and in an engagement."""
    order = {"own_turn": GIVEN, "ally_turn": ["ash", "pia", "orc"]}.get(place, ["orc", "pia", "ash"])
    fight = in_turns(*order, sheets=owners(pia=(speed,)), own=[SPEEDS[speed]])
    if place == "engagement":
        fight.do("engage", creature="orc", target="ash")
    command = "declare_instant" if speed == "instant" else "use_ability"
    decision = fight.send(command, "zoe", creature="pia", ability=speed)

    code = decision.refusal.code if decision.refusal else None
    assert code == REFUSALS.get((speed, place))
    assert (code is None) == (place in PERMITTED[speed])  # type: ignore[index]  # the table's own words


@pytest.mark.parametrize("speed", list(SPEEDS))
def test_D_2_only_instants_interrupt_a_roll(speed: str) -> None:
    watch = ability(
        "watch", "minor", "instant", trigger=["attack_rolled"], effects=[do("die", creature="self")]
    )
    fight = in_turns(*GIVEN, sheets=owners(pia=(speed,), ash=("watch",)), own=[SPEEDS[speed], watch])
    let_go(let_go(fight.do("engage", creature="pia", target="orc")).joined_by())
    fight.stances(pia="agility", orc="might")
    let_go(fight).answer("declare_agility", "pia", 1, 1, 1, order="attack_first", target="orc")
    command = "declare_instant" if speed == "instant" else "use_ability"
    decision = fight.send(command, "zoe", creature="pia", ability=speed)
    assert (decision.refusal is None) == (speed == "instant")


def test_HR_TIME_10_built_ins_carry_the_tags_of_both_editions() -> None:
    slow, quick, instant = (
        {name for name, tags in BUILT_INS.items() if tags.turns == speed}
        for speed in ("slow", "quick", "instant")
    )
    assert slow == {"engage", "cast", "dash", "call_out"}
    assert quick == {"sidestep", "object", "help"}
    assert instant == {"join_engagement", "trip", "opportunity_attack"}


@pytest.mark.parametrize(
    ("command", "data", "code"),
    [
        ("dash", {"to": [0, 3]}, "not_your_turn"),
        ("engage", {"target": "orc"}, "not_your_turn"),
        ("call_out", {"words": "now"}, "not_your_turn"),
        ("help", {"target": "pia"}, None),
        ("object", {"verb": "stow"}, None),
        ("sidestep", {"to": [0, 2]}, None),
    ],
)
def test_HR_TIME_10_what_a_creature_may_do_in_an_allys_turn(
    command: str, data: Any, code: str | None
) -> None:
    fight = in_turns(*GIVEN)
    decision = fight.send(command, "zoe", creature="ash", **data)
    assert (decision.refusal.code if decision.refusal else None) == code


def test_HR_TIME_5_untagged_abilities_count_as_slow_with_a_warning() -> None:
    """A-47."""
    own = ability("own", "heart", effects=[do("rush", creature="self", points=0)])
    fight = in_turns("ash", "pia", "orc", sheets=owners(pia=("own",)), own=[own])
    assert [e.abilities for e in fight.logged("timing_assumed")] == [("own",)]
    assert fight.refused("use_ability", creature="pia", ability="own") == "not_your_turn"


def test_HR_TIME_1_in_the_priority_edition_an_untagged_ability_needs_priority() -> None:
    own = ability("own", "heart", effects=[do("rush", creature="self", points=0)])
    fight = opened(PLACES, sheets=owners(orc=("own",)), abilities=[own])
    assert not fight.logged("timing_assumed")
    fight.do("begin_combat", unaware_side="enemies").do("grant_priority")
    assert fight.refused("use_ability", creature="orc", ability="own") == "no_priority"


def test_A_48_the_first_dash_of_a_turn_is_free() -> None:
    fight = in_turns(*GIVEN)
    fight.do("dash", creature="pia", path=[[-1, 0]])
    assert fight["pia"].action == 1
    assert at_turn(fight) == "pia"
    assert fight.refused("pass", creature="pia") == "no_priority"


def test_turns_go_on_when_whoever_has_one_falls() -> None:
    kill = ability("kill", "heart", "instant", effects=[do("knock_out", creature="self")])
    fight = in_turns(*GIVEN, sheets=owners(pia=("kill",)), own=[kill])
    declare(fight, "pia", "kill")
    assert at_turn(fight) == "orc"
