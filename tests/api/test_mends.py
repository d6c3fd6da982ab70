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
        opening(creatures=[{**PIA, "position": ["7", 0]}, ORC]),
        "/creatures/0/position/0",
        'not text: 7, not "7"',
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


DASH: Final = b'{"type": "dash", "creature": "pia", "to": [3, 3]}'
Asked = tuple[str, str, str, object, Mapping[str, str], int, str]
REQUESTS: Final[dict[str, Asked]] = {
    # who, method, address, body, headers, status, mend
    "no /v1": ("gm", "GET", "{bare}/state", None, {}, 404, "closest match: /v1/encounters/"),
    "two /v1": ("gm", "POST", "/v1/v1/encounters", FORD, {}, 404, "closest match: /v1/encounters"),
    "no /v1 before a new fight": (
        "gm",
        "POST",
        "/encounters",
        FORD,
        {},
        404,
        "closest match: /v1/encounters",
    ),
    "a misspelled address": ("gm", "GET", "{at}/sate", None, {}, 404, "/state"),
    "a singular": ("gm", "POST", "{at}/command", DASH, {}, 404, "/commands"),
    "an id of one's own": ("gm", "GET", "/v1/encounters/ford/state", None, {}, 404, "is a UUID"),
    "a method of another kind": ("gm", "PUT", "{at}/commands", DASH, {}, 405, "GET, HEAD, POST"),
    "no token": ("nobody", "GET", "{at}", None, {}, 401, "send Authorization: Bearer"),
    "a token alone": (
        "nobody",
        "GET",
        "{at}",
        None,
        {"Authorization": "rw_x"},
        401,
        "send Authorization: Bearer",
    ),
    "a key in a header of its own": (
        "nobody",
        "GET",
        "{at}",
        None,
        {"X_Api_Key": "rw_x"},
        401,
        "Authorization",
    ),
    "a seat opens a fight": ("ann", "POST", "/v1/encounters", FORD, {}, 403, "needs an API key"),
    "an observer acts": ("bob", "POST", "{at}/commands", DASH, {}, 403, "gm and player may"),
    "the gm acts for a player": ("gm", "POST", "{at}/commands", DASH, {}, 409, "change_seat takes it over"),
    "no media type": (
        *("gm", "POST", "{at}/commands", DASH),
        {"Content_Type": "text/plain"},
        *(415, "send Content-Type: application/json"),
    ),
    "a comma too many": ("gm", "POST", "{at}/commands", b'{"type": "dash",}', {}, 400, "at character 16"),
    "a name twice": (
        "gm",
        "POST",
        "{at}/commands",
        b'{"type": "a", "type": "b"}',
        {},
        400,
        "/type: duplicate",
    ),
    "half a cell": (
        "ann",
        "POST",
        "{at}/commands",
        DASH.replace(b"3,", b"3.5,"),
        {},
        400,
        "/to/0: a whole number",
    ),
    "a byte order mark": (
        "ann",
        "POST",
        "{at}/commands",
        b"\xef\xbb\xbf" + DASH,
        {},
        400,
        "UTF-8 without it",
    ),
    "no body": ("ann", "POST", "{at}/commands", None, {}, 422, "commands lists them"),
    "text for a command": (
        "ann",
        "POST",
        "{at}/commands",
        b'"dash"',
        {},
        422,
        "an object with a type, not text",
    ),
    "a number in an array of commands": (
        "ann",
        "POST",
        "{at}/commands",
        [1],
        {},
        422,
        "/0: a command, an object",
    ),
    "a command that is wrapped": (
        *("ann", "POST", "{at}/commands", {"command": json.loads(DASH)}, {}, 422),
        "/command: no such field: send what is in it as the whole body",
    ),
    "no command in an array": ("ann", "POST", "{at}/commands", [], {}, 422, "from 1 to 50"),
    "a command of the other book": (
        *("ann", "POST", "{at}/commands", {"type": "plan_movement", "creature": "pia"}, {}, 422),
        "plan_movement is a command of rise@1",
    ),
    "a capital letter": ("ann", "POST", "{at}/commands", {"type": "Dash"}, {}, 422, "closest match: dash"),
    "a cell as an object": (
        *("ann", "POST", "{at}/commands", {"type": "dash", "creature": "pia", "to": {"x": 1, "y": 2}}),
        *({}, 422, "/to: a list of 2 whole numbers, not an object"),
    ),
    "a version without quotes": (
        "ann",
        "POST",
        "{at}/commands",
        DASH,
        {"If_Match": "2"},
        400,
        'for example "12"',
    ),
    "an old version": (
        "ann",
        "POST",
        "{at}/commands",
        DASH,
        {"If_Match": '"1"'},
        412,
        'then send If-Match: "',
    ),
    "a parameter that is not there": ("gm", "GET", "{at}/state?version=3", None, {}, 422, "min_version"),
    "a version to come": ("gm", "GET", "{at}/state?at=999", None, {}, 422, "the newest version"),
    "too long a page": ("gm", "GET", "/v1/encounters?limit=1000", None, {}, 422, "from 1 to 200"),
    "another language": ("gm", "GET", "{at}/options?text=de", None, {}, 422, "?text: only en"),
    "a misspelled seat": ("gm", "POST", "{at}/seats/anna/token", {}, {}, 409, "closest match: ann"),
    "a seat that nobody has": (
        "gm",
        "GET",
        "{at}/creatures?seen_by=anna",
        None,
        {},
        422,
        "closest match: ann",
    ),
    "the options of nobody": ("gm", "GET", "{at}/options?creature=pya", None, {}, 422, "closest match: pia"),
    "options of a misspelled kind": (
        *("gm", "GET", "{at}/options?types=dsh", None, {}, 422),
        "?types: dsh is not a command of heartrush@1; closest match: dash",
    ),
    "an unknown key": ("nobody", "GET", "{at}", None, {"Authorization": "Bearer rw_x"}, 401, "keys create"),
    "an explanation of what is to come": (
        "gm",
        "GET",
        "{at}/commits/99/explanation",
        None,
        {},
        404,
        "newest is",
    ),
    "an outcome of what is to come": ("gm", "GET", "{at}/commands/99", None, {}, 404, "the newest is"),
    "a contest of what is to come": (
        *("gm", "POST", "{at}/contests", {"commit": 99, "claim": "no"}, {}, 409),
        "there is no commit 99: the newest is ",
    ),
    "a ruling on nothing": (
        *("gm", "POST", "{at}/contests/c9/ruling", {"ending": "upheld", "decision": "no"}, {}, 409),
        "there are no contests",
    ),
    "a side that nobody has": (
        *("gm", "POST", "{at}/commands", {"type": "begin_combat", "unaware_side": "foees"}, {}, 409),
        "closest match: foes",
    ),
    "a side that nobody thought of": (
        *("gm", "POST", "{at}/commands", {"type": "begin_combat", "unaware_side": "elves"}, {}, 409),
        "there are foes, heroes",
    ),
    "undo of what is to come": (
        "gm",
        "POST",
        "{at}/undo",
        {"to": 999},
        {},
        409,
        "version 999: the newest is ",
    ),
    "undo of nothing": ("gm", "POST", "{at}/undo", {}, {}, 422, "/to: this field is required"),
    "after in the body": ("gm", "POST", "{at}/tickets", {"after": 3}, {}, 422, "in an address: ?after="),
    "an edition without its number": ("gm", "GET", "/v1/rulesets/heartrush", None, {}, 404, "heartrush@1"),
    "a misspelled rule": (
        "gm",
        "GET",
        "/v1/rulesets/heartrush@1/rules/HR-MOVE-66",
        None,
        {},
        404,
        "HR-MOVE-6",
    ),
    "a webhook without an address": (
        "gm",
        "POST",
        "/v1/webhooks",
        {"url": "bot"},
        {},
        422,
        "begins with https://",
    ),
    "an edge between cells apart": (
        *("gm", "POST", "/v1/encounters", opening(walls={"0,0|5,0": "wall"}), {}, 422),
        "x,y|x,y: two cells side by side, the left or upper one first",
    ),
    "a door of no kind": (
        *("gm", "POST", "/v1/encounters", opening(walls={"0,0|1,0": "door"}), {}, 422),
        "one of wall, closed_door, open_door",
    ),
    "an act before the fight": (
        *("ann", "POST", "{at}/commands", {"type": "engage", "creature": "pia", "target": "orc"}),
        *({}, 409, "the gm sends begin_combat"),
    ),
    "an act of the gm by a player": (
        *("ann", "POST", "{at}/commands", {"type": "begin_combat", "unaware_side": "foes"}),
        *({}, 409, "begin_combat is for the gm alone"),
    ),
    "two on a cell": (
        *("gm", "POST", "/v1/encounters", opening(creatures=[PIA, {**ORC, "position": [0, 0]}]), {}, 422),
        "/creatures/1/position: pia stands there",
    ),
}


@pytest.mark.parametrize("mistake", REQUESTS)
def test_a_mistake_in_a_request_is_named_with_its_mend(owner: Api, mistake: str) -> None:
    who, method, address, sent, headers, status, mend = REQUESTS[mistake]
    bare = f"/encounters/{json.loads(owner('POST', '/v1/encounters', FORD).text)['encounter']}"
    at = f"/v1{bare}"
    seats = {
        seat: owner.with_token(json.loads(owner("POST", f"{at}/seats/{seat}/token", {}).text)["token"])
        for seat in ("ann", "bob")
    }
    asking = {"gm": owner, "nobody": Api(owner.app), **seats}[who]
    answer = asking(method, address.format(at=at, bare=bare), sent, **headers)
    assert answer.status_code == status, answer.text
    detail = json.loads(answer.text)["detail"]
    assert mend in detail, answer.text
    assert not detail.startswith("/: ")


def test_a_key_that_was_used_is_answered_with_what_to_do(owner: Api) -> None:
    keyed = {"Idempotency_Key": '"a"'}
    owner("POST", "/v1/encounters", FORD, **keyed)
    answer = owner("POST", "/v1/encounters", opening(title="Elsewhere"), **keyed)
    assert "take a new key" in json.loads(answer.text)["detail"]
