"""Refusals say what helps: who waits for whom, which command takes something back, what a path needs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, begun, entry


def said(fight: Fight, type_: str, creature: str, **data: Any) -> str:
    """Return the code and the text of a refusal."""
    refusal = fight.send(type_, fight.state.controller(creature), creature=creature, **data).refusal
    assert refusal is not None
    return f"{refusal.code}: {refusal.detail}"


def pair(phase: str = "action") -> Fight:
    return begun(entry("pc@p/p", (0, 0)), entry("pc@p/q", (0, 1)), entry("mon@m/e", (1, 0)), phase=phase)


def test_who_waits_hears_for_whose_dice() -> None:
    fight = pair().do("strike", "p", target="e")
    text = said(fight, "strike", "p", target="e")
    assert text.startswith("another_member_resolving: ")
    assert "throw_dice of seat-p at r1/action/p/p/strike-1/dice/" in text


def test_a_commitment_that_comes_too_late_is_no_action_that_comes_too_early() -> None:
    assert "committed already" in said(pair(), "commit_swift", "p", ability="guard")


def test_who_has_planned_hears_of_withdraw_plan() -> None:
    fight = pair("movement").do("plan_movement", "p", path=[[0, -1]])
    assert "withdraw_plan" in said(fight, "plan_movement", "p", path=[[0, -1]])


def test_nothing_is_blocked_where_a_path_leaves_cells_out() -> None:
    assert "names every cell" in said(pair(), "move", "p", path=[[3, 0]])


@pytest.mark.parametrize("rider", ["q", "e"])
def test_nobody_is_carried_who_does_not_ride(rider: str) -> None:
    text = said(pair("movement"), "plan_movement", "p", path=[[0, -1]], carry=[rider])
    assert text.startswith("mount_departed: ")
    assert "willing shove" in text


def test_who_has_planned_nothing_has_nothing_to_take_back() -> None:
    """The rule that it names is the one of plans, not of a movement."""
    refusal = pair("movement").send("withdraw_plan", "seat-p", creature="p").refusal
    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("nothing_planned", "RI-INFO-4")
