"""Refusals that only one moment brings, each by its rule: most stand behind others that come first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from service.rules.kernel.messages import Refused
from service.rules.kernel.sealed import view
from service.rules.rise import RISE
from service.rules.ruleset import carried, waiting
from service.rules.table.carried import CarriedFrom
from tests.rules.rise.kit import Fight, begun, entry, opened
from tests.rules.rise.test_both_sides import QUIET, refusal_of

ORIGIN: Final = CarriedFrom(encounter="00112233-4455-6677-8899-aabbccddeeff", n=7, hash="ab" * 32)
Sent = tuple[str, str, Mapping[str, Any]]
"""Who sends what: the seat, the command and its data."""


def pair(phase: str = "action", *, options: Mapping[str, Any] = QUIET, **changes: Any) -> Fight:
    """Return a fight of `p`, its ally `q` and its enemy `e`, each beside the other."""
    entries = entry("pc@p/p", (0, 0)), entry("pc@p/q", (0, 1)), entry("mon@m/e", (1, 0))
    return begun(*entries, phase=phase, options=options, **changes)


def on_the_way(type_: str, **data: Any) -> tuple[Fight, Sent]:
    """Return what `p` sends in the middle of its movement, where the house allows no minor action."""
    fight = pair(options={**QUIET, "minor_in_movement": False}).do("move", "p", path=[[0, -1]], pause=True)
    return fight, ("seat-p", type_, {"creature": "p", **data})


def judged_already() -> tuple[Fight, Sent]:
    """Return another judgement of a deed whose check may still be rolled again."""
    fight = pair(options={"exertion_prompt": "always"}).do("improvise", "p", deed="topple it").end("p").rest()
    (asked,) = [each for each in waiting(fight.state) if "judge_deed" in each.accepts]
    fight.do("judge_deed", None, 3, prompt=asked.prompt, roll={"difficulty": 10})
    assert any("keep_roll" in each.accepts for each in waiting(fight.state))
    return fight, ("gm", "judge_deed", {"prompt": asked.prompt})


def through_a_wall(phase: str, type_: str, **data: Any) -> tuple[Fight, Sent]:
    fight = pair(phase, terrain={"0,-1": "wall"})
    return fight, ("seat-p", type_, {"creature": "p", "path": [[0, -1]], **data})


ROWS: Final[dict[str, tuple[Callable[[], tuple[Fight, Sent]], str, str]]] = {
    "RI-MOVE-1 a plan into a wall": (
        lambda: through_a_wall("movement", "plan_movement"),
        "path_blocked",
        "RI-MOVE-1",
    ),
    "RI-MOVE-1 a move into a wall": (lambda: through_a_wall("action", "move"), "path_blocked", "RI-MOVE-1"),
    "RI-ACT-6 a block on the way": (
        lambda: on_the_way("move", ability="block", targets=["e"]),
        "wrong_step",
        "RI-ACT-6",
    ),
    "RI-ACT-6 a minor deed on the way": (
        lambda: on_the_way("improvise", deed="shout", pay="minor"),
        "wrong_step",
        "RI-ACT-6",
    ),
    "RI-ACT-13 judged already": (judged_already, "prompt_gone", "RI-ACT-13"),
}


@pytest.mark.parametrize("row", ROWS)
def test_what_is_refused_at_one_moment_alone(row: str) -> None:
    make, code, rule = ROWS[row]
    fight, (by, type_, data) = make()
    assert refusal_of(fight, by, type_, **data) == (code, rule)


def test_RI_CARRY_1_nobody_is_carried_who_was_not_there() -> None:
    """TABLE-SEAT-1."""
    fight = opened(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    with pytest.raises(Refused) as refused:
        carried(RISE, view(fight.state, "gm"), "elf", ORIGIN)
    assert (refused.value.code, refused.value.rule) == ("no_such_creature", "TABLE-SEAT-1")
