"""What a client gets wrong in its first hour: each answer names what to send instead."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.api.client import Api

FORD: Final[dict[str, Any]] = json.loads(
    Path(__file__).parents[2].joinpath("examples", "at-the-ford.json").read_text("utf-8")
)
PIA, ORC = FORD["creatures"]
GOBLIN: Final = {"position": [5, 5], "stat_block": "goblin", "id": "gob", "side": "foes"}


def opening(**changed: Any) -> dict[str, Any]:
    """Return the fight at the ford, with these members."""
    return FORD | changed


def with_pia(**changed: Any) -> dict[str, Any]:
    """Return the fight at the ford, with these members of Pia's sheet."""
    return opening(creatures=[{**PIA, "sheet": PIA["sheet"] | changed}, ORC])


OPENINGS: Final[dict[str, tuple[Mapping[str, Any], str, str]]] = {
    "an edition without its number": (opening(edition="heartrush"), "/edition", "heartrush@1"),
    "an unknown edition": (opening(edition="heartrush@9"), "/edition", "heartrush@1"),
    "nothing at all": ({}, "/edition", "heartrush@1"),
    "a number as text": (
        opening(creatures=[{**PIA, "position": ["0", 0]}, ORC]),
        "/creatures/0/position/0",
        'not text: 1, not "1"',
    ),
    "an unknown stat block": (
        opening(creatures=[PIA, GOBLIN | {"stat_block": "goblni"}]),
        "/creatures/1/stat_block",
        "goblin",
    ),
    "a weapon by its name": (
        with_pia(weapons=["mace"]),
        "/creatures/0/sheet/weapons/0",
        "an object with id",
    ),
    "a misspelled field": (with_pia(migth=8), "/creatures/0/sheet/migth", "closest match: might"),
    "a name as an id": (with_pia(id="Pia"), "/creatures/0/sheet/id", "closest match: pia"),
    "an unknown size": (
        with_pia(weapons=[{"id": "mace", "size_class": "big"}]),
        "/creatures/0/sheet/weapons/0/size_class",
        "light",
    ),
    "too much might": (with_pia(might=1_000_000), "/creatures/0/sheet/might", "one of 2, 4"),
    "a misspelled option": (opening(options={"timeing": "turns"}), "/options/timeing", "timing"),
    "a value that no option has": (opening(options={"timing": "turn"}), "/options/timing", "turns"),
    "a side that nobody named": (
        opening(creatures=[PIA, GOBLIN | {"side": "fose"}]),
        "/creatures/1",
        "foes",
    ),
    "a seat for nobody": (
        opening(seats=[{"seat": "ann", "role": "player", "creatures": ["pai"]}]),
        "/seats/0/creatures",
        "pia",
    ),
    "a role that nobody has": (
        opening(seats=[{"seat": "ann", "role": "plyer", "creatures": []}]),
        "/seats/0/role",
        "player",
    ),
}
COMMANDS: Final[dict[str, tuple[Mapping[str, Any], int, str]]] = {
    "no type": ({}, 422, "/v1/rulesets/heartrush@1/commands lists them"),
    "a misspelled type": ({"type": "engag", "creature": "pia"}, 422, "closest match: engage"),
    "a name as an id": ({"type": "engage", "creature": "Pia", "target": "orc"}, 422, "closest match: pia"),
    "a misspelled field": (
        {"type": "engage", "creature": "pia", "targt": "orc"},
        422,
        "closest match: target",
    ),
    "a missing field": ({"type": "engage", "creature": "pia"}, 422, "required"),
    "a number as text": ({"type": "dash", "creature": "pia", "to": ["1", 1]}, 422, 'not text: 1, not "1"'),
    "a misspelled creature": ({"type": "pass", "creature": "pai"}, 409, "pia"),
    "a misspelled target": (
        {"type": "engage", "creature": "pia", "target": "ork"},
        409,
        "closest match: orc",
    ),
    "a cell where somebody stands": (
        {"type": "dash", "creature": "pia", "to": [1, 0]},
        409,
        "orc stands at 1,0; choose a free cell",
    ),
    "a cell too far away": ({"type": "dash", "creature": "pia", "to": [99, 0]}, 409, "60 ft at most"),
    "somebody else's creature": ({"type": "pass", "creature": "orc"}, 409, "gm does"),
    "neither path nor cell": ({"type": "dash", "creature": "pia"}, 409, "give either path or to"),
}


@pytest.mark.parametrize("mistake", OPENINGS)
def test_a_mistake_in_an_opening_is_named_with_its_place_and_its_mend(owner: Api, mistake: str) -> None:
    sent, pointer, mend = OPENINGS[mistake]
    answer = owner("POST", "/v1/encounters", sent)
    assert answer.status_code == 422, answer.text
    found = {each["pointer"]: each["detail"] for each in json.loads(answer.text)["errors"]}
    said = [detail for at, detail in found.items() if at.startswith(pointer)]
    assert any(mend in detail for detail in said), found


@pytest.mark.parametrize("mistake", COMMANDS)
def test_a_mistake_in_a_command_is_named_with_its_mend(owner: Api, mistake: str) -> None:
    sent, status, mend = COMMANDS[mistake]
    encounter = json.loads(owner("POST", "/v1/encounters", FORD).text)["encounter"]
    at = f"/v1/encounters/{encounter}"
    ann = owner.with_token(json.loads(owner("POST", f"{at}/seats/ann/token", {}).text)["token"])
    for command in ({"type": "begin_combat", "unaware_side": "foes"}, {"type": "grant_priority"}):
        assert owner("POST", f"{at}/commands", command).status_code == 200
    answer = ann("POST", f"{at}/commands", sent)
    assert answer.status_code == status, answer.text
    assert mend in json.loads(answer.text)["detail"], answer.text


def test_a_key_that_was_used_is_answered_with_what_to_do(owner: Api) -> None:
    keyed = {"Idempotency_Key": '"a"'}
    owner("POST", "/v1/encounters", FORD, **keyed)
    answer = owner("POST", "/v1/encounters", opening(title="Elsewhere"), **keyed)
    assert "take a new key" in json.loads(answer.text)["detail"]
