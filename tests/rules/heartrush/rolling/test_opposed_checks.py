"""Opposed checks: the higher total wins, ones count outside combat, other effects follow (HR-GEN-9)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.codec import Malformed
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "ash": (3, 0), "orc": (1, 0), "wolf": (9, 9)}
LIE = {
    "creature": "pia",
    "ability": "cunning",
    "against": "orc",
    "answered_with": ["presence"],
    "what": "lie to it",
}
SAID = {"kind": "effect", "subject": "pia", "decision": "by a contest", "reason": "she has an idea"}


def contest(fight: Fight, *faces: int, **changes: Any) -> Fight:
    """Let Pia (d8 and d6) lie to the orc (d8 and d4), and throw the dice."""
    decision = fight.send("roll_contest", "gm", **{**LIE, **changes})
    assert decision.refusal is None, decision.refusal
    return fight.throw(*faces)


def outcome(fight: Fight) -> tuple[int, int, bool]:
    """Return both totals of the contest that was decided last, and whether the first creature won."""
    event = fight.logged("opposed_decided")[-1]
    return event.mine, event.theirs, event.won


@pytest.mark.parametrize(
    ("faces", "expected"),
    [((6, 4, 6, 3), (10, 9, True)), ((5, 4, 6, 3), (9, 9, False)), ((4, 4, 6, 3), (8, 9, False))],
)
def test_HR_GEN_9_the_higher_total_wins_and_a_tie_fails(
    faces: tuple[int, ...], expected: tuple[int, int, bool]
) -> None:
    assert outcome(contest(opened(PLACES), *faces)) == expected


def test_HR_GEN_9_who_opposes_chooses_its_ability_before_any_die() -> None:
    fight = contest(opened(PLACES), ability="agility", answered_with=["might", "agility"])
    assert fight.waits_for() == ["orc"]
    assert fight.logged("check_asked") == []
    fight.answer("choose", "orc", option="might").throw(8, 6, 3, 10)
    assert outcome(fight) == (14, 13, True)
    assert [dict(roll.purpose)["ability"] for roll in fight.rolls] == ["agility", "might"]


def test_HR_GEN_9_a_limp_body_opposes_with_its_largest_die_and_is_not_asked() -> None:
    fight = opened(PLACES).given("orc", hp=0, status="unconscious")
    contest(fight, 8, 6, 3, 10, answered_with=["agility", "might"])
    assert [die.sides for die in fight.rolls[-1].dice] == [8, 10]


@pytest.mark.parametrize(
    ("faces", "chooses", "expected"),
    [
        ((1, 6, 2, 2), {"pia": "fail"}, (7, 4, False)),
        ((5, 2, 1, 4), {"orc": "fail"}, (7, 5, True)),
        ((3, 2, 1, 4), {"orc": "fail"}, (5, 5, True)),
        ((1, 6, 1, 4), {"pia": "fail", "orc": "fail"}, (7, 5, False)),
    ],
)
def test_HR_GEN_7_who_fails_outright_loses_whatever_the_totals(
    faces: tuple[int, ...], chooses: dict[str, str], expected: tuple[int, int, bool]
) -> None:
    fight = contest(opened(PLACES), *faces[:2])
    if "pia" in chooses:
        fight.answer("choose_check", "pia", choice="fail")
    fight.throw(*faces[2:])
    if "orc" in chooses:
        fight.answer("choose_check", "orc", choice="fail")
    assert outcome(fight) == expected
    assert fight.state.complications == ()


def test_HR_GEN_7_a_one_may_be_thrown_again_for_a_complication() -> None:
    fight = contest(opened(PLACES), 1, 6).answer("choose_check", "pia", 5, choice="reroll").throw(6, 4)
    assert outcome(fight) == (11, 10, True)
    assert [pending.what for pending in fight.state.complications] == ["lie to it"]


def test_HR_GEN_9_in_combat_ones_do_not_count_unless_the_house_says_so() -> None:
    fight = contest(begun({"pia": (0, 0), "orc": (5, 0)}), 1, 6, 1, 4)
    assert outcome(fight) == (7, 5, True)
    strict = begun({"pia": (0, 0), "orc": (5, 0)}, options={"contested_complications": True})
    contest(strict, 1, 6)
    assert waiting(strict.state)[0].accepts == ("choose_check",)


def test_HR_GEN_9_levels_of_advantage_and_help_sway_it() -> None:
    """A die more each: of 2, 6 and 5 Pia drops the 2; of 8, 3 and 2 the orc drops the 8."""
    fight = contest(opened(PLACES), 2, 6, 5, 8, 3, 2, advantage=1, against_advantage=-1)
    assert outcome(fight) == (11, 5, True)
    helped = opened({**PLACES, "ash": (0, 1)}).do("help", creature="ash", target="pia")
    assert outcome(contest(helped, 2, 6, 5, 6, 3)) == (11, 9, True)
    assert outcome(contest(helped, 6, 4, 6, 3)) == (10, 9, True), "help is for the next roll alone"


def test_HR_STUNT_1_a_ruling_lets_a_contest_decide_what_follows() -> None:
    prone = {"kind": "condition", "creature": "orc", "condition": "prone"}
    hurt = {"kind": "damage", "creature": "pia", "amount": 3}
    effect = {"kind": "contest", **LIE, "won": [prone], "lost": [hurt]}
    won = opened(PLACES)
    won.send("gm_ruling", "gm", **SAID, effects=[effect])
    won.throw(6, 4, 6, 3)
    assert (won["orc"].has("prone"), won["pia"].hp) == (True, 40)
    lost = opened(PLACES)
    lost.send("gm_ruling", "gm", **SAID, effects=[effect])
    lost.throw(4, 4, 6, 3)
    assert not lost["orc"].has("prone")
    assert [(each.creature, each.amount) for each in lost.logged("damage_pending")] == [("pia", 3)]


def test_HR_STUNT_1_the_gm_allows_a_stunt_by_a_contest() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}).do("engage", creature="pia", target="wolf")
    fight.stances(pia="cunning", wolf="defensive")
    fight.answer("declare_offensive", "pia", what="stunt", target="wolf", text="kick sand")
    blind = {"kind": "condition", "creature": "wolf", "condition": "blinded"}
    terms = {"creature": "pia", "against": "wolf", "ability": "might", "what": "kick sand"}
    effect = {"kind": "contest", **terms, "answered_with": ["agility"], "won": [blind]}
    [asked] = waiting(fight.state)
    fight.do("adjudicate", 4, 5, 3, 5, prompt=asked.prompt, accept=True, reason="why not", effects=[effect])
    assert outcome(fight) == (9, 8, True)
    assert fight["wolf"].level("blinded") == 1


@pytest.mark.parametrize(
    ("changes", "code", "rule"),
    [
        ({"against": "nobody"}, "no_such_creature", "TABLE-SEAT-1"),
        ({"against": "pia"}, "params_missing", "HR-GEN-9"),
        ({"answered_with": []}, "params_missing", "HR-GEN-9"),
        ({"answered_with": ["might", "might"]}, "params_missing", "HR-GEN-9"),
        ({"advantage": 21}, "params_missing", "HR-GEN-9"),
        ({"against_advantage": -21}, "params_missing", "HR-GEN-9"),
        ({"what": ""}, "params_missing", "HR-GEN-9"),
    ],
)
def test_HR_GEN_9_what_is_no_contest_is_refused(changes: dict[str, Any], code: str, rule: str) -> None:
    refused = opened(PLACES).send("roll_contest", "gm", **{**LIE, **changes}).refusal
    assert refused is not None
    assert (refused.code, refused.rule) == (code, rule)


def test_HR_GEN_9_words_of_a_contest_that_are_too_long_are_malformed() -> None:
    with pytest.raises(Malformed, match="/what: text of at most 200"):
        opened(PLACES).send("roll_contest", "gm", **{**LIE, "what": "x" * 201})


def test_HR_GEN_9_only_the_gm_asks_and_only_of_the_living() -> None:
    refused = opened(PLACES).send("roll_contest", "zoe", **LIE).refusal
    assert refused is not None
    assert refused.code == "not_gm"
    dead = opened(PLACES).given("orc", status="dead", hp=-35)
    refused = dead.send("roll_contest", "gm", **LIE).refusal
    assert refused is not None
    assert refused.code == "params_missing"
