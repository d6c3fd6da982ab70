"""The detail of a refusal names what a player needs to send the next command right."""

from __future__ import annotations

import pytest

from tests.rules.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "orc": (10, 0)}


def detail(fight: Fight, type_: str, **data: object) -> str:
    """Return the detail of a refusal for want of priority."""
    assert fight.refused(type_, **data) == "no_priority"
    assert fight.refusal is not None
    return fight.refusal.detail


@pytest.mark.parametrize(
    ("side", "mine", "other"), [("players", "pia", "enemies"), ("enemies", "orc", "players")]
)
def test_HR_PRIO_1_who_may_not_act_reads_who_holds_priority(side: str, mine: str, other: str) -> None:
    fight = begun(PLACES)
    if fight.state.priority_side == side:
        fight.do("pass_side", side=side)
    said = f"priority is with {other}, not with {side}"
    assert detail(fight, "pass", creature=mine) == said
    assert detail(fight, "dash", creature=mine, to=[1, 1]) == said
    assert detail(fight, "pass_side", side=side) == said


def test_HR_PRIO_1_before_priority_is_granted_nobody_holds_it() -> None:
    fight = opened(PLACES).do("begin_combat")
    assert detail(fight, "pass", creature="pia") == "priority is with nobody, not with players"
    assert detail(fight, "pass_side", side="enemies") == "priority is with nobody, not with enemies"


@pytest.mark.parametrize(("to", "said"), [([50, 0], "50,0"), ([-30, 4], "-30,4")])
def test_HR_ACT_8_a_dash_too_far_reads_how_far_one_may_lead(to: list[int], said: str) -> None:
    fight = begun(PLACES)
    if fight.state.priority_side == "enemies":
        fight.do("pass_side", side="enemies")
    assert fight.refused("dash", creature="pia", to=to) == "insufficient_movement"
    assert fight.refusal is not None
    feet = fight.refusal.detail.removeprefix(f"{said} is not within reach of a dash: ").removesuffix(
        " ft at most"
    )
    assert feet.isdecimal(), fight.refusal.detail
    cells = int(feet) // 5
    fight.do("dash", creature="pia", to=[0, cells])
    assert fight["pia"].position == (0, cells)


def test_a_refusal_says_in_words_what_comes_first() -> None:
    fight = opened({"pia": (0, 0), "orc": (1, 0)})
    fight.send("roll_check", "gm", creature="pia", ability="might", cn=5, what="lift")
    assert detail(fight, "dash", creature="pia", to=[0, 3]) == "the dice of pia are still to be thrown"
    fight.throw(1, 5)
    assert detail(fight, "dash", creature="pia", to=[0, 3]) == "pia has to answer first: choose_check"


def test_a_refusal_tells_the_gm_who_has_the_creature_and_how_it_is_taken_over() -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0)})
    found = fight.send("dash", "gm", creature="pia", to=[0, 3])
    assert found.refusal is not None
    assert found.refusal.detail == "gm does not control pia: zoe does; change_seat takes it over"
    fight.do("change_seat", seat="zoe", creatures=[])
    assert fight.send("dash", "gm", creature="pia", to=[0, 3]).refusal is None
