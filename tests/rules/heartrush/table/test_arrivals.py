"""Combat ends, and creatures arrive in the middle of it (B.24)."""

from typing import Any

import pytest

from tests.rules.heartrush.kit import Fight, begun, opened, sheet

PLACES = {"pia": (0, 0), "ash": (4, 0), "orc": (1, 0), "wolf": (5, 0)}


def ruled(fight: Fight, kind: str, *effects: dict[str, Any], **data: object) -> Fight:
    """Let the GM rule on something, with these effects."""
    return fight.do(
        "gm_ruling",
        kind=kind,
        decision="so be it",
        reason="it stands to reason",
        effects=list(effects),
        **data,
    )


def test_HR_SVC_4_the_end_of_combat_takes_rush_and_minor_counters() -> None:
    fight = begun(PLACES).given("pia", uses={"smash": 2}).do("end_combat")
    assert (fight["pia"].rush, fight["pia"].uses) == (0, {})


@pytest.mark.parametrize(("auto", "phase"), [(True, "ended"), (False, "priority")])
def test_HR_SVC_4_combat_ends_by_itself_unless_the_house_says_not(*, auto: bool, phase: str) -> None:
    """A-71."""
    fight = begun(PLACES, options={"auto_end": auto})
    ruled(fight, "effect", {"kind": "die", "creature": "orc"}, {"kind": "knock_out", "creature": "wolf"})
    assert fight.state.phase == phase


def entry(**changes: object) -> dict[str, Any]:
    """Return a goblin that arrives."""
    return {"stat_block": "goblin", "id": "gob", "side": "enemies", "position": [8, 8], **changes}


def test_HR_SVC_5_who_arrives_late_has_an_action_and_a_rush_point() -> None:
    """A-30."""
    fight = begun(PLACES)
    fight.do("dash", creature="ash", to=[4, 1])
    decision = fight.send("add_creature", "gm", entry=entry())
    assert decision.refusal is None
    gob = fight["gob"]
    assert (gob.action, gob.rush, gob.rounds_active, gob.free_dash) == (1, 1, (), True)
    assert fight.state.priority_side == "enemies"
    fight.do("dash", creature="gob", to=[7, 7])


def test_HR_SVC_5_a_late_arrival_may_join_the_engagement_that_is_open() -> None:
    fight = begun(PLACES).do("engage", creature="pia", target="orc")
    fight.send("add_creature", "gm", entry=entry(position=[0, 1], stat_block="orc"))
    assert "gob" in fight.waits_for()


def test_HR_SVC_5_before_combat_an_arrival_has_nothing_yet() -> None:
    fight = opened(PLACES)
    fight.send("add_creature", "gm", entry=entry())
    assert (fight["gob"].action, fight["gob"].rush) == (0, 0)


def test_HR_SVC_5_an_arrival_may_have_a_seat() -> None:
    fight = begun(PLACES)
    decision = fight.send("add_creature", "gm", entry=entry(side="players", id="bo"), seat="zoe")
    assert decision.refusal is None
    assert fight.state.controller("bo") == "zoe"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"id": "pia"}, "creature_taken"),
        ({"position": [0, 0]}, "space_occupied"),
        ({"side": "nobody"}, "opening_not_possible"),
        ({"stat_block": "dragon"}, "opening_not_possible"),
        ({"hp": 99}, "opening_not_possible"),
    ],
)
def test_HR_SVC_5_an_arrival_is_checked_like_an_opening(changes: dict[str, Any], code: str) -> None:
    decision = begun(PLACES).send("add_creature", "gm", entry=entry(**changes))
    assert decision.refusal is not None
    assert decision.refusal.code == code


def test_HR_SVC_5_in_turns_who_arrives_has_the_last_turn_of_the_round() -> None:
    fight = opened({"pia": (0, 0), "wolf": (5, 0)}, options={"timing": "turns"}, turn_order=["pia", "wolf"])
    fight.do("begin_combat").do("grant_priority")
    fight.do("add_creature", entry={"sheet": sheet("bru"), "position": [0, 1]})
    fight.do("end_turn", creature="pia").do("end_turn", creature="wolf")
    assert (fight.state.round, fight.state.turns[fight.state.turn]) == (1, "bru")
    fight.do("end_turn", creature="bru")
    assert (fight.state.round, fight.state.turns) == (2, ("pia", "wolf", "bru"))
