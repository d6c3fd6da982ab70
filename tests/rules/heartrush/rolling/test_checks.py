"""Checks and saves, challenge numbers, and the choice that a natural 1 brings (B.1)."""

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.rolling.rolls import challenge_number
from tests.rules.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "ash": (3, 0), "orc": (1, 0), "wolf": (9, 9)}


def checked(fight: Fight, *faces: int, type_: str = "roll_check", **data: object) -> Fight:
    """Let the GM ask Pia for a check of agility, and throw its dice."""
    order = {"creature": "pia", "ability": "agility", "what": "climb the wall", "cn": 9, **data}
    decision = fight.send(type_, "gm", **order)
    assert decision.refusal is None, decision.refusal
    return fight.throw(*faces)


def outcome(fight: Fight) -> tuple[int, bool, bool]:
    """Return total, success and complication of the check that was resolved last."""
    event = fight.logged("check_resolved")[-1]
    return event.total, event.success, event.complication


def test_HR_V_91_a_natural_one_may_be_rerolled_for_a_complication() -> None:
    """HR-GEN-5, HR-GEN-7."""
    fight = checked(opened(PLACES), 1, 5)
    fight.answer("choose_check", "pia", 4, choice="reroll")
    assert outcome(fight) == (9, True, True)
    assert [pending.what for pending in fight.state.complications] == ["climb the wall"]

    told = fight.state.complications[0].id
    fight.do("tell_complication", complication=told, text="the rope is gone")
    assert fight.state.complications == ()


def test_HR_V_91_who_does_not_reroll_fails() -> None:
    fight = checked(opened(PLACES), 1, 6, cn=5)
    fight.answer("choose_check", "pia", choice="fail")
    assert outcome(fight) == (7, False, False)


def test_HR_V_91_two_ones_fail_with_a_complication() -> None:
    fight = checked(opened(PLACES), 1, 1)
    assert outcome(fight) == (2, False, True)
    assert fight.logged("check_needs_choice") == []


def test_HR_V_91_a_one_means_nothing_on_a_save() -> None:
    fight = checked(opened(PLACES), 1, 5, type_="roll_save")
    assert outcome(fight) == (6, False, False)
    assert fight.logged("check_needs_choice") == []


def test_HR_GEN_7_a_second_one_does_no_harm() -> None:
    fight = checked(opened(PLACES), 1, 5)
    fight.answer("choose_check", "pia", 1, choice="reroll")
    assert outcome(fight) == (6, False, True)


def test_HR_GEN_7_only_kept_dice_bring_trouble() -> None:
    """HR-AD-4: at advantage the lowest die is dropped, and a 1 with it."""
    fight = checked(opened(PLACES), 8, 5, 1, advantage=1)
    assert outcome(fight) == (13, True, False)
    assert fight.logged("check_needs_choice") == []


def test_HR_GEN_7_the_vulnerable_stumble_over_twos_as_well() -> None:
    """HR-COND-13."""
    fight = opened(PLACES).given("pia", conditions={"vulnerable_physical": Condition(level=1)})
    checked(fight, 2, 5)
    assert fight.logged("check_needs_choice")


@pytest.mark.parametrize(("faces", "success"), [((5, 4), True), ((4, 4), False)])
def test_HR_GEN_5_a_check_succeeds_on_its_number_or_more(faces: tuple[int, int], *, success: bool) -> None:
    fight = checked(opened(PLACES), *faces)
    assert outcome(fight) == (sum(faces), success, False)


def test_HR_GEN_5_help_is_spent_by_a_check() -> None:
    """A-55, HR-ACT-10."""
    fight = checked(opened(PLACES).given("pia", help=1), 8, 5, 2)
    assert outcome(fight) == (13, True, False)
    assert fight["pia"].help == 0


def test_HR_GEN_5_a_check_may_be_asked_for_in_the_middle_of_a_fight() -> None:
    fight = begun(PLACES)
    fight.do("engage", creature="pia", target="orc")
    waiting = fight.waits_for()
    checked(fight, 8, 5)
    assert outcome(fight) == (13, True, False)
    assert fight.waits_for() == waiting


def test_HR_GEN_8_a_challenge_number_is_the_top_face_and_twice_the_paragon_level() -> None:
    fight = opened(PLACES, sheets={"orc": {"paragon_level": 1}})
    orc = fight["orc"]
    assert [challenge_number(orc, by) for by in ("might", "agility", "cunning", "presence", "heart")] == [
        12,
        8,
        6,
        6,
        10,
    ]
    checked(fight, 6, 5, cn=None, against={"creature": "orc", "by": "might"})
    assert outcome(fight) == (11, False, False)


@pytest.mark.parametrize(
    "data",
    [
        {"cn": None},
        {"cn": 9, "against": {"creature": "orc", "by": "might"}},
        {"advantage": 21},
        {"what": ""},
    ],
)
def test_HR_GEN_5_a_check_is_against_one_number(data: dict[str, Any]) -> None:
    order = {"creature": "pia", "ability": "agility", "what": "climb", "cn": 9, **data}
    decision = opened(PLACES).send("roll_check", "gm", **order)
    assert decision.refusal is not None
    assert decision.refusal.code == "params_missing"


def test_HR_GEN_5_a_check_against_less_than_0_is_malformed() -> None:
    order = {"creature": "pia", "ability": "agility", "what": "climb", "cn": -1}
    assert opened(PLACES).refused("roll_check", **order) == "malformed"


def test_HR_GEN_5_only_the_gm_asks_for_checks() -> None:
    order = {"creature": "pia", "ability": "agility", "what": "climb", "cn": 1}
    decision = opened(PLACES).send("roll_check", "zoe", **order)
    assert decision.refusal is not None
    assert decision.refusal.code == "not_gm"
