"""What `rewound import` makes of files opens a fight over HTTP, and its walls and doors are there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.conversion.creatures import convert_creatures
from service.conversion.maps import convert_map
from service.rules.registry import REGISTRY
from tests.api.client import Api

MAP = {
    "resolution": {"map_size": {"x": 6, "y": 4}, "pixels_per_grid": 70},
    "line_of_sight": [[{"x": 1, "y": 0}, {"x": 1, "y": 1.1}, {"x": 3, "y": 3}]],
    "portals": [{"bounds": [{"x": 1, "y": 0}, {"x": 1, "y": 1}], "closed": True}],
    "lights": [{"position": {"x": 0.5, "y": 0.5}, "range": 2}],
}
CREATURES = "id,name,side,kind,x,y\npia,Pia,heroes,pc,0,0\norc,Orc,foes,,5,0\n"


@pytest.mark.parametrize(
    ("edition", "start", "open_door"),
    [
        ("heartrush@1", ("begin_combat", "grant_priority"), {"type": "object", "verb": "open"}),
        ("rise@1", ("start_combat",), {"type": "manipulate_object", "what": "open"}),
    ],
)
def test_an_imported_fight_opens_and_its_door_too(
    owner: Api, edition: str, start: tuple[str, ...], open_door: dict[str, Any]
) -> None:
    ruleset = REGISTRY[edition]
    parts = {**convert_map(json.dumps(MAP), ruleset).part, **convert_creatures(CREATURES, ruleset).part}
    sides = {"sides": ["heroes", "foes"], "player_side": "heroes"} if edition == "heartrush@1" else {}
    answer = owner("POST", "/v1/encounters", {"edition": edition, **sides, **parts})
    assert answer.status_code == 201, answer.text
    here = json.loads(answer.text)["encounter"]
    assert owner.get(f"/v1/encounters/{here}/state")["state"]["walls"] == parts["walls"]
    given: dict[str, dict[str, Any]] = {
        "begin_combat": {"unaware_side": "foes"},
        "start_combat": {"start_phase": "movement"},
    }
    for type_ in start:
        sent = owner("POST", f"/v1/encounters/{here}/commands", {"type": type_, **given.get(type_, {})})
        assert json.loads(sent.text)["outcome"] == "accepted", sent.text
    command = {**open_door, "creature": "pia", "item": "0,0|1,0"}
    done = json.loads(owner("POST", f"/v1/encounters/{here}/commands", command).text)
    assert done["outcome"] == "accepted", done
    assert "door_opened" in [event["type"] for event in done["events"]]
