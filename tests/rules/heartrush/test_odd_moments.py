"""Rules that meet where a table seldom looks: who is asked can answer, and what is over is not listed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.heartrush.casts import declare, engaged, fight_with, let_go, owners
from tests.rules.heartrush.kit import Fight, begun

ROW = {"pia": (0, 0), "wolf": (1, 0), "bru": (1, 1)}
DUEL = {"pia": (0, 0), "orc": (1, 0), "ash": (5, 5), "wolf": (9, 9)}


def ruled(fight: Fight, **effect: Any) -> Fight:
    """Let the GM rule one effect."""
    return fight.do("gm_ruling", kind="effect", decision="so be it", effects=[effect])


@pytest.mark.parametrize(
    ("condition", "asked"), [("stunned", False), ("incapacitated", False), ("prone", True)]
)
def test_HR_WPN_6_who_can_do_nothing_any_more_chooses_no_push(condition: str, *, asked: bool) -> None:
    """Else the fight stands still: every answer of a stunned creature is refused."""
    fight = begun(ROW).do("engage", creature="pia", target="wolf").joined_by("bru")
    fight.stances(pia="might", wolf="cunning", bru="might")
    fight.answer("declare_attack", "pia", target="wolf")
    fight.answer("declare_attack", "bru", 1, 1, 1, 1, 6, 6, 1, 1, 1, 1, 6, 6, target="wolf")
    ruled(fight, kind="condition", creature="bru", condition=condition)
    fight.answer("choose_push", "pia", distance=0)
    assert (fight.waits_for() == ["bru"]) == asked
    assert (fight.state.phase == "priority") != asked


def test_HR_SVC_1_who_is_taken_out_while_its_dice_are_owed_strikes_nobody() -> None:
    fight = engaged(begun(DUEL), "pia", "orc", pia="might", orc="defensive")
    fight.answer("declare_attack", "pia", target="orc")
    ruled(fight, kind="withdraw", creature="pia").throw(8, 8, 8, 8)
    assert (fight["orc"].hp, fight.state.phase) == (35, "priority")
    assert [event.hit for event in fight.logged("exchange_settled")] == [False]


def test_HR_ABIL_2_a_pool_of_no_dice_is_none() -> None:
    fight = fight_with(DUEL, owners(pia=("eternal-fortitude",)))
    let_go(declare(fight, "pia", "eternal-fortitude"))
    assert fight.state.lasting == ()
    assert [event.why for event in fight.logged("nothing_changed")] == ["not_possible"]


def test_HR_ABIL_2_a_pool_ends_with_its_last_die() -> None:
    fight = fight_with(DUEL, owners(pia=("eternal-fortitude",)), first="enemies")
    let_go(declare(fight, "pia", "eternal-fortitude", rush=1))
    engaged(fight, "orc", "pia", orc="might", pia="defensive")
    let_go(fight).answer("declare_attack", "orc", target="pia")
    fight.throw(1, 1, 1)
    let_go(fight).answer("choose", "pia", 8, 8, 6, 6, option="2")
    let_go(fight)
    assert fight.state.lasting == ()
    assert [event.reason for event in fight.logged("effect_ended")] == ["used"]
