"""What changes of the rules' lines that no test noticed have shown, each by its rule."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.creatures.character import Condition
from tests.rules.rise.kit import Fight, begun, entry, opened
from tests.rules.rise.test_both_sides import QUIET, refusal_of

GUARD: dict[str, Any] = {
    "id": "guard",
    "tags": ["swift"],
    "usage": "minor",
    "effects": [{"does": "gain", "condition": "guard", "modifiers": {"armor": 4}, "until": "phase"}],
}
WAY = [[x, 0] for x in range(1, 6)]


def pair(phase: str = "action", **changes: Any) -> Fight:
    """Return a fight of `p`, its ally `q` and its enemy `e`, each beside the other."""
    p = entry("pc@p/p", (0, 0), **changes)
    return begun(p, entry("pc@p/q", (0, 1)), entry("mon@m/e", (1, 0)), phase=phase, options=QUIET)


def test_RI_ACT_2_a_swift_ability_that_was_committed_is_not_used_again() -> None:
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[GUARD]), entry("pc@m/e", (1, 0), abilities=[GUARD]), options=QUIET
    )
    fight.do("start_combat", start_phase="action").do("commit_swift", "p", ability="guard").to_actions()
    found = refusal_of(fight, "seat-p", "use_ability", creature="p", ability="guard", targets=["p"])
    assert found == ("standard_action_spent", "RI-ACT-2")


def test_RI_GROUP_3_who_has_to_wait_reads_for_whose_answer() -> None:
    fight = pair().do("strike", "p", target="e")
    refusal = fight.send("strike", "seat-p", creature="p", target="e").refusal
    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("another_member_resolving", "RI-GROUP-3")
    assert "throw_dice of seat-p at r1/action/" in refusal.detail
    fight = pair().do("begin_turn", "p")
    refusal = fight.send("strike", "seat-p", creature="q", target="e").refusal
    assert refusal is not None
    assert "of seat-p at" in refusal.detail


@pytest.mark.parametrize("condition", ["immobilized", "grappled", "dazed"])
@pytest.mark.parametrize(
    ("phase", "type_", "data"),
    [
        ("movement", "plan_movement", {"path": [[0, -1]]}),
        ("movement", "plan_movement", {"path": [[0, -1]], "ability": "sprint"}),
        ("movement", "plan_movement", {"path": [[0, -1]], "mode": "fly"}),
        ("action", "move", {"path": [[0, -1]]}),
        ("action", "overrun", {"path": [[0, -1], [0, -2]]}),
        ("action", "charge", {"target": "e", "path": [[1, -1]]}),
    ],
)
def test_RI_MOVE_1_who_is_held_fast_moves_in_no_way(
    phase: str, type_: str, data: dict[str, Any], condition: str
) -> None:
    """RI-COND-2: the immobilized and the grappled; others who suffer something still move."""
    fight = pair(phase, speeds={"land": 30, "fly": 30})
    fight.given("p", conditions=(Condition(name=condition, source="e"),))
    found = refusal_of(fight, "seat-p", type_, creature="p", **data)
    assert found == (None if condition == "dazed" else ("immobilized", "RI-COND-2"))


def test_RI_INFO_1_and_RI_INFO_6_the_gm_does_not_act_for_a_group_that_it_does_not_read() -> None:
    """A seat leaves while its group acts apart: its creature is the GM's, and another seat acts for it."""
    seats = [
        {"seat": "sa", "role": "player", "creatures": ["a"]},
        {"seat": "sb", "role": "player", "creatures": ["b"]},
    ]
    fight = begun(
        entry("pc@p/a", (0, 0)), entry("pc@p/b", (0, 1)), entry("mon@m/e", (1, 0)), seats=seats, options=QUIET
    )
    fight.do("close_seat", seat="sa")
    for type_, data in (("pass_turn", {}), ("strike", {"target": "e"}), ("total_defense", {})):
        found = refusal_of(fight, "gm", type_, creature="a", **data)
        assert found == ("groups_still_resolving", "RI-INFO-6"), type_


@pytest.mark.parametrize(("beside", "code"), [("e", None), ("elf", "no_such_creature")])
def test_TABLE_SEAT_1_a_deed_is_about_creatures_that_are_there(beside: str, code: str | None) -> None:
    found = refusal_of(pair(), "seat-p", "improvise", creature="p", deed="topple it", targets=["q", beside])
    assert found == (code and (code, "TABLE-SEAT-1"))


@pytest.mark.parametrize("chosen", ["no", "yes"])
@pytest.mark.parametrize("rule", [{}, {"direction": [0, 1]}])
def test_RI_REAC_1_a_rule_of_ones_own_says_how_near_or_how_far_whatever_the_gm_allows(
    rule: dict[str, Any], chosen: str
) -> None:
    fight = pair("movement")
    fight.do("rule", question="reactive_plan_ok", subjects=["p"], chosen=chosen)
    asked = {"creature": "p", "ability": "custom", "targets": ["e"], **rule}
    assert refusal_of(fight, "seat-p", "plan_movement", **asked) == (
        "reactive_rule_too_complex",
        "RI-REAC-1",
    )
    assert refusal_of(fight, "seat-p", "plan_movement", within_ft=10, **asked) is None


def test_RI_UNIV_HUSTLE_whom_it_is_to_reach_is_seen() -> None:
    """RI-REAC-1: a path may ask for a sprint to reach those alone whom the creature sees."""
    fight = begun(
        entry("pc@p/p", (0, 0)),
        entry("mon@m/e", (9, 0)),
        entry("mon@m/f", (0, 9)),
        phase="movement",
        terrain={"0,5": "wall"},
        options=QUIET,
    )
    asked = {"creature": "p", "path": WAY, "sprint": "ask"}
    for targets in (["f"], ["e", "f"], ["elf"], ["p"]):
        found = refusal_of(fight, "seat-p", "plan_movement", targets=targets, **asked)
        assert found == ("target_not_visible", "RI-REAC-1"), targets
    assert refusal_of(fight, "seat-p", "plan_movement", targets=["e"], **asked) is None


def chase() -> Fight:
    """Return a fight in which `p`, which hustles to reach `o`, falls behind and is asked for a sprint."""
    o = entry("mon@m/o", (6, 0), speeds={"land": 40})
    fight = begun(entry("pc@p/p", (0, 0)), o, phase="movement", options=QUIET)
    fight.do("plan_movement", "p", path=WAY, sprint="ask", targets=["o"])
    return fight.do("plan_movement", "o", path=[[x, 0] for x in range(7, 11)])


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"accept": True, "path": [[x, 0] for x in range(6, 10)]}, None),
        ({"accept": False}, None),
        ({"accept": True}, "invalid_target"),
        ({"accept": False, "path": [[6, 0]]}, "invalid_target"),
        ({"accept": True, "path": [[7, 0]]}, "path_blocked"),
        ({"accept": True, "path": [[5 + x, x] for x in range(1, 12)]}, "insufficient_speed"),
    ],
)
def test_RI_RES_9_who_sprints_after_all_says_how_its_path_goes_on(
    data: dict[str, Any], code: str | None
) -> None:
    """RI-CONF-11."""
    fight = chase()
    found = refusal_of(fight, "seat-p", "consent_sprint", creature="p", **data)
    assert (found and found[0]) == code
    if code == "invalid_target":
        assert fight.refusal is not None
        how = "says how its path goes on" if data["accept"] else "has no path to go on"
        assert fight.refusal.detail == f"p {how}"


def test_RI_RES_9_what_is_answered_names_why_it_was_asked() -> None:
    """RI-CONF-11 of a path, RI-CONF-6 of a follower."""
    fight = chase().do("consent_sprint", "p", accept=False)
    assert [event.because for event in fight.logged("sprint_answered")] == [("RI-CONF-11", "C-20")]
    o = entry("mon@m/o", (6, 0), speeds={"land": 40})
    fight = begun(entry("pc@p/p", (0, 0)), o, phase="movement", options=QUIET)
    fight.do("plan_movement", "p", ability="follow", targets=["o"], sprint="ask")
    fight.do("plan_movement", "o", path=[[x, 0] for x in range(7, 14)]).do(
        "consent_sprint", "p", accept=False
    )
    assert [event.because for event in fight.logged("sprint_answered")] == [("RI-CONF-6",)]


@pytest.mark.parametrize(
    "data", [{}, {"ability": "sprint"}, {"ability": "overrun"}, {"mode": "fly"}], ids=str
)
def test_RI_MOVE_1_a_path_names_targets_only_to_ask_for_a_sprint(data: dict[str, Any]) -> None:
    def fight() -> Fight:
        return pair("movement", speeds={"land": 30, "fly": 30})

    asked = {"creature": "p", "path": [[0, -1], [0, -2]], **data}
    found = refusal_of(fight(), "seat-p", "plan_movement", targets=["e"], **asked)
    assert found == ("invalid_target", "RI-MOVE-1")
    assert refusal_of(fight(), "seat-p", "plan_movement", **asked) is None


@pytest.mark.parametrize("asks", [False, True])
def test_RI_GM_2_a_question_names_the_answer_that_counts_if_nobody_answers(*, asks: bool) -> None:
    """It is the same, whether the GM is waited for or not."""
    fight = begun(
        entry("mon@p/p", (0, 0)),
        entry("mon@m/e", (2, 0)),
        phase="movement",
        options={"exertion_prompt": "never", "auto_default": not asks},
    )
    fight.do("plan_movement", "p", path=[[1, 0]]).do("plan_movement", "e", path=[[1, 0]])
    if not asks:
        fight.throw(6, 4)
    (asked,) = fight.logged("ruling_requested")
    assert (asked.question, asked.fallback, asked.answers[0]) == ("conflict_exists", "yes", "yes")
    assert (asked.prompt is not None) is asks


@pytest.mark.parametrize("feet", [30, 45])
def test_RI_REAC_3_who_withdraws_in_flight_has_its_feet_once_along_and_up(feet: int) -> None:
    """Two steps away is a wall, so that it goes up with the rest."""
    fight = begun(
        entry("mon@p/p", (0, 0), speeds={"land": 30, "fly": feet}, altitude=5),
        entry("mon@m/e", (1, 0)),
        phase="movement",
        terrain={f"-3,{y}": "wall" for y in range(-9, 10)},
        options=QUIET,
    )
    fight.do("plan_movement", "p", ability="withdraw", targets=["e"], mode="fly", distance_ft=60)
    fight.do("pass_movement", "e")
    walked = 5 * -fight["p"].position[0]
    assert walked > 0
    assert walked + fight["p"].altitude - 5 == feet
