"""Mistakes: the answer alone says what to mend."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest

from service.api.fields import Worded
from service.api.operations import OPERATIONS
from service.api.schemas import StrictSchema
from tests.api.client import Api, Table, contract, is_problem

LISTED = "/v1/rulesets/heartrush@1/commands lists them"
FIGHT: dict[str, Any] = {
    "edition": "heartrush@1",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {"position": [0, 0], "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc"}},
        {"position": [1, 0], "sheet": {"id": "orc", "name": "Orc", "side": "foes", "hp_max": 35}},
    ],
}


@pytest.fixture
def commands(owner: Api) -> str:
    answer = owner("POST", "/v1/encounters", FIGHT)
    assert answer.status_code == 201, answer.text
    return f"/v1/encounters/{json.loads(answer.text)['encounter']}/commands"


@pytest.mark.parametrize(
    ("sent", "detail"),
    [
        (
            {"creature": "pia"},
            f"/type: this field is required: the type of a command of heartrush@1; {LISTED}",
        ),
        ({"type": 7}, "/type: text, not a number"),
        (
            {"type": "engadge"},
            f"/type: heartrush@1 has no command engadge; closest match: engage; {LISTED}",
        ),
        (
            {"type": "strike"},
            f"/type: strike is a command of rise@1, this encounter uses heartrush@1; {LISTED}",
        ),
        ({"type": "engage", "creature": 1, "target": "orc"}, "/creature: text, not a number"),
        ({"type": "engage", "creature": "pia", "target": ["orc"]}, "/target: text, not a list"),
        (
            {"type": "engage", "creature": "pia", "targt": "orc"},
            "/targt: no such field; closest match: target; /target: this field is required",
        ),
        (
            {"type": "dash", "creature": "pia", "to": {"x": 1}},
            "/to: a list of 2 whole numbers, not an object",
        ),
        ({"type": "dash", "creature": "pia", "to": [1]}, "/to: a list of 2 whole numbers, not of 1"),
    ],
)
def test_a_command_that_does_not_fit_says_what_to_mend(
    owner: Api, commands: str, sent: object, detail: str
) -> None:
    assert is_problem(owner("POST", commands, sent), 422, "invalid")["detail"] == detail


@pytest.mark.parametrize(
    ("path", "sent", "detail"),
    [
        ("{at}/removal", {}, "/bundle: this field is required"),
        ("/v1/simulations", {}, "/opening: this field is required"),
        ("/v1/simulations", {"opening": None}, "/opening: a value, not null"),
        ("/v1/webhooks", {}, "/url: this field is required"),
        ("/v1/api-keys", {"name": "x", "scopes": [None]}, "/scopes/0: a value, not null"),
        ("/v1/api-keys", {"name": "x", "expires_in_s": None}, "/expires_in_s: a value, not null"),
    ],
)
def test_what_is_missing_or_null_is_told_in_the_same_words_everywhere(
    owner: Api, table: Table, path: str, sent: object, detail: str
) -> None:
    answer = owner("POST", path.format(at=table.at), sent)

    assert is_problem(answer, 422, "invalid")["detail"] == detail


def test_no_field_of_what_clients_send_speaks_the_librarys_words() -> None:
    bodies = [each.body for each in OPERATIONS.all.values() if isinstance(each.body, StrictSchema)]
    assert bodies
    for body in bodies:
        for name, field in body.fields.items():
            assert isinstance(field, Worded), f"{body} {name}"


def test_more_faults_than_a_line_holds_are_counted_and_listed(owner: Api, commands: str) -> None:
    problem = is_problem(owner("POST", commands, {"type": "engage", "a": 1, "b": 2, "c": 3}), 422, "invalid")

    assert problem["detail"].endswith("; and 2 more")
    assert len(problem["errors"]) == 5


def test_a_side_that_is_none_is_told_the_sides_and_a_short_name_the_long_one(owner: Api) -> None:
    pia, orc = FIGHT["creatures"]
    wrong_side = {**pia, "sheet": {**pia["sheet"], "side": "heros"}}
    short_name = {**orc, "sheet": {**orc["sheet"], "hp": 3}}

    sides = owner("POST", "/v1/encounters", {**FIGHT, "creatures": [wrong_side, orc]})
    names = owner("POST", "/v1/encounters", {**FIGHT, "creatures": [pia, short_name]})

    assert is_problem(sides, 422, "invalid")["detail"] == ("/creatures/0/sheet/side: one of heroes and foes")
    assert is_problem(names, 422, "invalid")["detail"] == (
        "/creatures/1/sheet/hp: no such field; closest match: hp_max"
    )


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("{at}/option", "{at}/options"),
        ("{at}/options/", "{at}/options"),
        ("{bare}/options", "{at}/options"),
        ("/v1/encounter", "/v1/encounters"),
    ],
)
def test_a_path_that_no_operation_has_is_told_the_nearest(table: Table, path: str, meant: str) -> None:
    bare = table.at.removeprefix("/v1")

    problem = is_problem(table.gm("GET", path.format(at=table.at, bare=bare)), 404, "not-found")

    assert problem["detail"] == f"no operation has this path; closest match: {meant.format(at=table.at)}"


def test_a_malformed_id_is_told_and_one_that_is_not_yours_is_not(owner: Api) -> None:
    forgotten = is_problem(owner("GET", f"/encounters/{UUID(int=5)}"), 404, "not-found")["detail"]
    assert forgotten.endswith(f"closest match: /v1/encounters/{UUID(int=5)}")
    malformed = is_problem(owner("GET", "/v1/encounters/1234"), 404, "not-found")["detail"]
    unknown = is_problem(owner("GET", f"/v1/encounters/{UUID(int=5)}"), 404, "not-found")["detail"]

    assert malformed == "an encounter's id is a UUID in lower case, as POST /v1/encounters answers it"
    assert unknown == "there is nothing at this address that you may see"


def test_a_role_that_may_not_is_told_which_may(table: Table) -> None:
    problem = is_problem(table.ada("POST", f"{table.at}/seats/bo/token", {}), 403, "forbidden")

    assert problem["detail"] == "the role player may not do this; gm may"


@pytest.mark.parametrize(("path", "name"), [("commands", "key"), ("diff", "start")])
def test_a_parameter_that_is_required_is_so_in_the_contract_too(table: Table, path: str, name: str) -> None:
    problem = is_problem(table.gm("GET", f"{table.at}/{path}"), 422, "invalid")
    described = contract()["paths"][f"/v1/encounters/{{encounter}}/{path}"]["get"]["parameters"]

    assert problem["detail"] == f"?{name}: this parameter is required"
    assert [each["name"] for each in described if each.get("required") and each["in"] == "query"] == [name]


def test_a_preference_that_cannot_be_read_is_refused_and_an_unknown_one_ignored(table: Table) -> None:
    refused = table.gm("POST", f"{table.at}/commands", {"type": "add", "amount": 1}, Prefer="wait=\u00e9")
    soon = table.gm("POST", f"{table.at}/commands", {"type": "add", "amount": 1}, Prefer="wait=soon")
    ignored = table.gm(
        "POST", f"{table.at}/commands", {"type": "add", "amount": 1}, Prefer="handling=lenient"
    )

    assert is_problem(refused, 400, "bad-request")["detail"] == "Prefer must be printable ASCII"
    said = is_problem(soon, 400, "bad-request")["detail"]
    assert said == "Prefer: wait takes whole seconds, for example wait=10"
    assert ignored.status_code == 200
    assert "Preference-Applied" not in ignored.headers


def test_a_change_of_a_webhook_without_a_body_is_optional_in_the_contract() -> None:
    described = contract()["paths"]["/v1/webhooks/{webhook}"]["patch"]["requestBody"]

    assert described["required"] is False
