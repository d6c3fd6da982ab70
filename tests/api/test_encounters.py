"""Open, list, read and close encounters."""

from __future__ import annotations

import json
import time
from typing import Any
from uuid import UUID

import pytest

from service.stores import api_keys
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import Worker
from tests.rules.heartrush.kit import opening
from tests.rules.rise.kit import entry
from tests.rules.rise.kit import opening as rise_opening

PLACES = {"pia": (0, 0), "orc": (1, 0)}


def fight(**changes: object) -> dict[str, Any]:
    return {"edition": "heartrush@1", "title": "At the gate", **opening(PLACES), **changes}


def test_an_encounter_is_opened_and_found(owner: Api) -> None:
    answer = owner("POST", "/v1/encounters", fight())

    data = json.loads(answer.text)
    assert (answer.status_code, data["n"], data["outcome"]) == (201, 1, "accepted")
    assert answer.headers["Location"] == f"/v1/encounters/{data['encounter']}"
    found = owner.get(answer.headers["Location"])
    assert (found["edition"], found["title"], found["version"]) == ("heartrush@1", "At the gate", 1)
    assert [entry["encounter"] for entry in owner.get("/v1/encounters")["encounters"]] == [data["encounter"]]


def test_a_repeat_finds_the_same_encounter(owner: Api) -> None:
    first = owner("POST", "/v1/encounters", fight(), Idempotency_Key="open-1")
    again = owner("POST", "/v1/encounters", fight(), Idempotency_Key="open-1")

    assert (again.status_code, again.text) == (201, first.text)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(owner.get("/v1/encounters")["encounters"]) == 1
    assert UUID(json.loads(first.text)["encounter"]).version == 8


def test_another_opening_with_the_same_key_is_a_problem(owner: Api) -> None:
    owner("POST", "/v1/encounters", fight(), Idempotency_Key="open-1")
    answer = owner("POST", "/v1/encounters", fight(title="Another"), Idempotency_Key="open-1")

    is_problem(answer, 422, "idempotency-key-reused")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"edition": "chess@1"}, "/edition"),
        ({"edition": 1}, "/edition"),
        ({"sides": ["players"]}, "/sides"),
        ({"player_side": "nobody"}, "/player_side"),
        ({"creatures": [{"sheet": {"id": "pia"}, "position": [0, 0]}]}, "/creatures/0/sheet/name"),
        ({"options": {"metric": "miles"}}, "/options/metric"),
        ({"options": {"gravity": 9}}, "/options/gravity"),
        ({"seats": [{"seat": "gm", "creatures": []}]}, "/seats/0/seat"),
        ({"seats": [{"seat": "zoe", "creatures": ["nobody"]}]}, "/seats/0/creatures/0"),
        ({"dice": {}}, "/dice"),
        ({"title": 5}, "/title"),
    ],
)
def test_an_opening_that_is_wrong_never_exists(owner: Api, change: dict[str, Any], pointer: str) -> None:
    problem = is_problem(owner("POST", "/v1/encounters", fight(**change)), 422, "invalid")

    assert pointer in [error["pointer"] for error in problem["errors"]]
    assert owner.get("/v1/encounters")["encounters"] == []


def test_an_opening_may_be_large_but_not_endless(owner: Api) -> None:
    terrain = {f"{x},{y}": "difficult" for x in range(60) for y in range(33)}

    assert owner("POST", "/v1/encounters", fight(terrain=terrain)).status_code in (201, 422)
    is_problem(owner("POST", "/v1/encounters", b'{"a":"' + b"x" * 1_100_000 + b'"}'), 413, "body-too-large")


def test_the_list_goes_on_where_a_page_ends(owner: Api) -> None:
    made = [
        json.loads(owner("POST", "/v1/encounters", {"edition": "tiny@1"}).text)["encounter"] for _ in range(5)
    ]
    seen: list[str] = []
    target = "/v1/encounters?limit=2"
    while True:
        answer = owner("GET", target)
        seen += [entry["encounter"] for entry in json.loads(answer.text)["encounters"]]
        if "Link" not in answer.headers:
            break
        target = answer.headers["Link"].split(">")[0].lstrip("<")
        assert json.loads(answer.text)["next_cursor"] in target

    assert seen == made[::-1]


def test_another_keys_encounter_is_the_404_of_one_that_does_not_exist(owner: Api, services: Services) -> None:
    id_ = json.loads(owner("POST", "/v1/encounters", {"edition": "tiny@1"}).text)["encounter"]
    stranger = owner.with_token(api_keys.create(services.log, "stranger", time.time())[0])

    mine = is_problem(stranger("GET", f"/v1/encounters/{id_}"), 404, "not-found")
    none = is_problem(stranger("GET", f"/v1/encounters/{UUID(int=0)}"), 404, "not-found")

    for problem in (mine, none):
        del problem["request_id"], problem["instance"]
    assert mine == none
    assert stranger.get("/v1/encounters")["encounters"] == []


def test_whose_move_it_is_stands_in_the_summary(table: Table) -> None:
    waiting = table.gm.get(table.at)["waiting"]

    assert [(prompt["prompt"], prompt["seat"]) for prompt in waiting] == [
        ("game", "gm"),
        ("r1/choice/ada", "ada"),
        ("r1/choice/bo", "bo"),
    ]


def test_a_closed_encounter_stays_readable_and_takes_nothing_more(table: Table) -> None:
    answer = table.gm("DELETE", f"{table.at}?reason=the%20end")

    assert answer.status_code == 200
    assert "encounter_closed" in [event["type"] for event in json.loads(answer.text)["events"]]
    assert table.gm.get(table.at)["closed"] is True
    problem = is_problem(table.send(table.gm, {"type": "add", "amount": 1}), 409, "command-refused")
    assert problem["code"] == "encounter_over"


OPENINGS = {
    "tiny@1": {"edition": "tiny@1"},
    "heartrush@1": fight(),
    "rise@1": {
        "edition": "rise@1",
        **rise_opening(entry("pc@heroes/pia", (0, 0)), entry("mon@orcs/gob", (1, 0))),
    },
}
READS = (
    *("", "/seats", "/commands/1", "/commands?key=k", "/options", "/commits", "/rolls", "/rolls/statistics"),
    *("/rounds", "/contests", "/forks", "/checkpoints", "/audits", "/bundle"),
)


@pytest.mark.parametrize("edition", OPENINGS)
def test_an_opening_that_is_acknowledged_is_found_before_it_is_decided(
    owner: Api, worker: Worker, edition: str
) -> None:
    worker.pause()
    opening = OPENINGS[edition]
    answer = owner("POST", "/v1/encounters", opening, Prefer="respond-async", Idempotency_Key="k")

    assert (answer.status_code, json.loads(answer.text)["outcome"]) == (202, "pending")
    at = answer.headers["Location"]
    data = owner.get(at)
    assert (data["version"], data["appended"], data["status"], data["waiting"]) == (0, 1, "open", [])
    for below in READS:
        assert owner("GET", at + below).status_code in (200, 202), below
    is_problem(owner("GET", f"{at}/state"), 503, "not-yet-folded")
    worker.go_on()
    assert owner("POST", "/v1/encounters", opening, Idempotency_Key="k").status_code == 201
    assert owner.get(at)["version"] == 1


def test_an_encounter_that_has_not_begun_has_no_rounds(owner: Api) -> None:
    opening = {
        "edition": "heartrush@1",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "creatures": [{"position": [0, 0], "sheet": {"id": "pia", "name": "Pia", "side": "heroes"}}],
    }
    at = f"/v1/encounters/{json.loads(owner('POST', '/v1/encounters', opening).text)['encounter']}"

    assert owner.get(f"{at}/rounds") == {"rounds": [], "next_cursor": None}
    for target in ("/commits?round=1", "/rolls?round=1", "/state?round=1"):
        is_problem(owner("GET", at + target), 422, "invalid")
    is_problem(owner("GET", f"{at}/rounds/1/replay"), 404, "not-found")
    is_problem(owner("POST", f"{at}/audits", {"first_round": 1}), 422, "invalid")
