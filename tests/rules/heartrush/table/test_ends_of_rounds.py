"""The end of a round may be the end of the fight: no round begins where a side has nobody left."""

from __future__ import annotations

from service.rules.heartrush.creatures.character import Condition
from tests.rules.heartrush.kit import Fight, begun, opened

BURNS = {"burning": Condition(level=1, since=1)}
DYING = {"heart_die": 4, "conditions": BURNS}


def after_a_round(fight: Fight) -> Fight:
    """Let both sides decline until the round is over."""
    for _ in range(3):
        fight.do("pass_side", side=fight.state.priority_side)
    return fight


def test_HR_SVC_4_who_burns_to_death_at_the_end_of_a_round_ends_the_fight_in_it() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}).given("wolf", hp=-19, **DYING)
    after_a_round(fight).throw(3)
    assert (fight.state.phase, fight.state.round) == ("ended", 1)
    assert [event.type for event in fight.events if event.type.startswith("round_")][-2:] == [
        "round_settled",
        "round_ended",
    ]
    assert fight["pia"].rush == 0
    assert fight.state.clock_s == 6, "the round has passed"


def test_HR_SVC_4_everybody_is_hurt_before_the_fight_ends() -> None:
    fight = (
        begun({"pia": (0, 0), "wolf": (1, 0)}).given("wolf", hp=-19, **DYING).given("pia", hp=-39, **DYING)
    )
    after_a_round(fight).throw(3, 3)
    assert [fight["pia"].status, fight["wolf"].status] == ["dead", "dead"]
    assert (fight.state.phase, fight.state.round) == ("ended", 1)


def test_HR_SVC_4_whom_ten_minutes_fell_ends_the_fight_before_the_next_round() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}).given("wolf", hp=0, down_since_s=0)
    fight.with_table(clock_s=594)
    after_a_round(fight)
    assert fight["wolf"].status == "unconscious"
    assert (fight.state.phase, fight.state.round) == ("ended", 1)


def test_HR_SVC_4_in_turns_too() -> None:
    fight = opened({"pia": (0, 0), "wolf": (1, 0)}, options={"timing": "turns"}, turn_order=["pia", "wolf"])
    fight.do("begin_combat").do("grant_priority").given("wolf", hp=-19, **DYING)
    fight.do("end_turn", creature="pia").do("end_turn", 3, creature="wolf")
    assert (fight.state.phase, fight.state.round) == ("ended", 1)


def test_HR_SVC_4_where_the_gm_ends_fights_the_next_round_begins() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, options={"auto_end": False})
    after_a_round(fight.given("wolf", hp=-19, **DYING)).throw(3)
    assert (fight.state.phase, fight.state.round) == ("priority", 2)
