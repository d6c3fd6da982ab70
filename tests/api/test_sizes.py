"""Sizes of answers for ten creatures, five on each side, the same in each run: a phone loads them."""

from __future__ import annotations

import json
from typing import Any, Final

import jsonpatch
import pytest

from tests.api.client import Api

OPTIONS: Final = 15_000
STATE: Final = 20_000
REPLAY: Final = 60_000


def heartrush() -> dict[str, Any]:
    creatures: list[Any] = []
    for i in range(5):
        mace = {"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}
        axe = {"id": "axe", "size_class": "heavy", "damage_type": "slashing"}
        hero = {"id": f"hero-{i}", "name": f"Hero {i}", "side": "heroes", "kind": "pc", "might": 8}
        foe = {"id": f"foe-{i}", "name": f"Foe {i}", "side": "foes", "hp_max": 35, "might": 10}
        creatures += [
            {"position": [0, 2 * i], "sheet": {**hero, "weapons": [mace]}},
            {"position": [6, 2 * i], "sheet": {**foe, "weapons": [axe]}},
        ]
    sides = {"sides": ["heroes", "foes"], "player_side": "heroes"}
    return {"edition": "heartrush@1", **sides, "creatures": creatures}


def rise() -> dict[str, Any]:
    creatures: list[Any] = []
    for i in range(5):
        saber = {"id": "saber", "strike": {"dice": [8], "flat": 3}}
        axe = {"id": "axe", "strike": {"dice": [10], "flat": 1}}
        hero = {"id": f"hero-{i}", "name": f"Hero {i}", "side": "heroes", "kind": "pc", "accuracy": 5}
        foe = {"id": f"foe-{i}", "name": f"Foe {i}", "side": "foes", "hp_max": 10}
        creatures += [
            {"position": [0, 2 * i], "sheet": {**hero, "weapons": [saber]}},
            {"position": [2, 2 * i], "sheet": {**foe, "weapons": [axe]}},
        ]
    return {"edition": "rise@1", "creatures": creatures}


def opened(gm: Api, opening: dict[str, Any], *commands: dict[str, Any]) -> str:
    """Open a fight, send *commands* as the gm, and return its path."""
    answer = gm("POST", "/v1/encounters", opening)
    assert answer.status_code == 201, answer.text
    at = f"/v1/encounters/{json.loads(answer.text)['encounter']}"
    for command in commands:
        sent = gm("POST", f"{at}/commands", command)
        assert sent.status_code == 200, sent.text
    return at


def size(gm: Api, path: str) -> int:
    answer = gm("GET", path)
    assert answer.status_code == 200, answer.text
    assert "Content-Encoding" not in answer.headers
    return len(answer.data)


def everybody(type_: str) -> list[dict[str, Any]]:
    return [{"type": type_, "creature": f"{side}-{i}"} for side in ("hero", "foe") for i in range(5)]


def test_ten_creatures_of_heart_rush_are_small(owner: Api) -> None:
    begin = {"type": "begin_combat", "unaware_side": "foes"}
    at = opened(owner, heartrush(), begin, {"type": "grant_priority"})

    assert size(owner, f"{at}/options") <= OPTIONS
    assert size(owner, f"{at}/state") <= STATE
    assert size(owner, f"{at}/creatures") <= 3_000


@pytest.mark.parametrize(("phase", "whole"), [("movement", 21_000), ("action", 48_000)])
def test_ten_creatures_of_rise_are_small(owner: Api, phase: str, whole: int) -> None:
    start = {"type": "start_combat", "start_phase": phase}
    at = opened(owner, rise(), start, *(everybody("no_more_swift") if phase == "action" else []))

    assert size(owner, f"{at}/state") <= STATE
    assert size(owner, f"{at}/options?view=short") <= OPTIONS / 2
    assert size(owner, f"{at}/options?creature=hero-2") <= OPTIONS / 2
    assert size(owner, f"{at}/options") <= whole


def test_the_short_options_name_the_types_of_the_long_ones(owner: Api) -> None:
    at = opened(owner, rise(), {"type": "start_combat"})
    long, short = owner.get(f"{at}/options"), owner.get(f"{at}/options?view=short")

    assert [each["prompt"] for each in short["options"]] == [each["prompt"] for each in long["options"]]
    for brief, full in zip(short["options"], long["options"], strict=True):
        assert brief["commands"] == []
        assert brief["types"] == list(dict.fromkeys(each["command"]["type"] for each in full["commands"]))
        assert "types" not in full


def test_a_replayed_round_of_rise_is_small_and_leads_to_its_end(owner: Api) -> None:
    at = opened(
        owner,
        rise(),
        {"type": "start_combat"},
        *everybody("pass_movement"),
        *everybody("no_more_swift"),
        *everybody("pass_turn"),
    )
    (first, _) = owner.get(f"{at}/rounds")["rounds"]
    replay = owner("GET", f"{at}/rounds/1/replay?limit=100")
    data = json.loads(replay.text)
    state = data["state"]
    for frame in data["frames"]:
        state = jsonpatch.apply_patch(state, frame["patch"])

    assert [frame["n"] for frame in data["frames"]] == list(range(first["first"], first["last"] + 1))
    assert len(replay.data) <= REPLAY
    assert state == owner.get(f"{at}/state?at={first['last']}")["state"]


def test_a_world_has_what_differs_from_the_state_around_it(owner: Api) -> None:
    move = {"type": "plan_movement", "creature": "hero-0", "ability": "hustle", "path": [[-1, 0]]}
    at = opened(owner, rise(), {"type": "start_combat"}, move)
    world = owner.get(f"{at}/state")["state"]["worlds"]["heroes"]

    assert set(world["plans"]) == {"hero-0"}
    # RI-INFO-1: a world says who reads it, which the state around it does not
    assert set(world) <= {"here", "worlds", "readers", "plans", "stacks", "creatures", "places"}
    assert set(world.get("creatures", {})) <= {"hero-0"}
