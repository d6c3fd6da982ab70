"""Whole turns of Rise in one request: a command counts on what those before it do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.client import Api
from tests.api.test_sizes import everybody, opened, rise

MOVE: dict[str, Any] = {"type": "move", "creature": "hero-0", "path": [[-1, 0]]}
BEGIN: dict[str, Any] = {"type": "begin_turn", "creature": "hero-0"}
CHARGE: dict[str, Any] = {"type": "charge", "creature": "hero-0", "path": [[1, 0]], "target": "foe-0"}
END: dict[str, Any] = {"type": "end_turn", "creature": "hero-0"}
DRAW: dict[str, Any] = {"type": "manipulate_object", "creature": "hero-0", "what": "other", "item": "rope"}


def acting(gm: Api) -> str:
    opening = rise() | {"options": {"exertion_prompt": "never", "gm_blind": False}}
    start = {"type": "start_combat", "start_phase": "action"}
    return opened(gm, opening, start, *everybody("no_more_swift"))


def turn_of_hero(gm: Api, at: str) -> Any:
    worlds = gm.get(f"{at}/state")["state"]["worlds"]
    return worlds["heroes"]["creatures"]["hero-0"]["budget"]["turn"]


@pytest.mark.parametrize("turn", [(MOVE, END), (DRAW, MOVE, END), (BEGIN, END), (BEGIN, CHARGE, END)])
def test_a_turn_is_sent_whole(owner: Api, turn: tuple[dict[str, Any], ...]) -> None:
    at = acting(owner)
    answer = owner("POST", f"{at}/commands?continue_on_refusal=true", list(turn))

    assert answer.status_code == 200, answer.text
    assert [each["outcome"] for each in json.loads(answer.text)["outcomes"]] == ["accepted"] * len(turn)
    assert turn_of_hero(owner, at) == "closed"


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        ((MOVE, MOVE, END), "standard_action_spent"),
        ((MOVE, END, DRAW), "turn_already_taken"),
        ((BEGIN, BEGIN), "turn_split"),
        ((DRAW, DRAW, END), "free_manipulation_spent"),
        ((CHARGE, END), "turn_not_begun"),
    ],
)
def test_what_cannot_follow_leaves_nothing_of_the_turn_on_the_record(
    owner: Api, turn: tuple[dict[str, Any], ...], code: str
) -> None:
    """What comes of a die is not known before it is thrown: after it nothing more is counted on."""
    at = acting(owner)
    version = owner.get(at)["version"]
    answer = owner("POST", f"{at}/commands?continue_on_refusal=true", list(turn))

    assert (answer.status_code, json.loads(answer.text).get("code")) == (409, code)
    assert owner.get(at)["version"] == version


def test_what_others_planned_is_not_known_before_the_last_plan_is_on_the_record(owner: Api) -> None:
    """The last plan opens all plans, so it leaves the planner's world as it was for the commands after it."""
    at = opened(owner, rise(), {"type": "start_combat"}, *everybody("pass_movement")[:-1])
    last = {"type": "plan_movement", "creature": "foe-4", "path": [[3, 8]]}
    answer = owner(
        "POST",
        f"{at}/commands?continue_on_refusal=true",
        [last, {"type": "no_more_swift", "creature": "foe-4"}],
    )
    assert (answer.status_code, json.loads(answer.text)["code"]) == (409, "wrong_phase")
