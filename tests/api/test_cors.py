"""Pages of other origins: shut out unless listed, and then let read all that is told, without cookies."""

from __future__ import annotations

import json
from typing import Final

import pytest
from werkzeug.test import TestResponse

from service.api.app import create_app
from service.api.headers import FIELDS
from service.usecases.services import Services
from tests.api.client import USUAL, Api, Table, is_problem

PAGE: Final = "https://table.example"
OTHER: Final = "https://table.example.evil.example"


@pytest.fixture
def listed(services: Services, owner: Api) -> Api:
    return Api(create_app(services, origins=(PAGE, "http://localhost:3000")), owner.token)


def preflight(who: Api, target: str, origin: str, method: str = "POST", headers: str = "") -> TestResponse:
    sent = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": headers,
    }
    return who.app.test_client().open(target, method="OPTIONS", headers=sent)


def allowed(answer: TestResponse) -> dict[str, str]:
    return {name: value for name, value in answer.headers if name.startswith("Access-Control-")}


def test_nothing_is_allowed_and_nothing_is_said_where_no_origin_is_listed(owner: Api, table: Table) -> None:
    answer = owner("GET", table.at, Origin=PAGE)

    assert (answer.status_code, allowed(answer)) == (200, {})
    assert "Origin" not in answer.headers["Vary"]
    refused = preflight(owner, table.at, PAGE)
    assert allowed(refused) == {}
    assert "REWOUND_CORS_ORIGINS" in is_problem(refused, 405, "method-not-allowed")["detail"]


def test_a_preflight_of_a_listed_origin_is_allowed_what_the_clients_send(listed: Api, table: Table) -> None:
    answer = preflight(listed, f"{table.at}/commands", PAGE, headers="authorization,idempotency-key")

    found = allowed(answer)
    assert (answer.status_code, answer.data) == (204, b"")
    assert found["Access-Control-Allow-Origin"] == PAGE
    assert {"GET", "POST", "PATCH", "DELETE"} <= set(found["Access-Control-Allow-Methods"].split(", "))
    sent = set(found["Access-Control-Allow-Headers"].lower().split(", "))
    assert {"authorization", "content-type", "idempotency-key", "prefer", "if-match", "last-event-id"} <= sent
    assert "Access-Control-Allow-Credentials" not in found
    assert {"Origin", "Access-Control-Request-Method"} <= set(answer.headers["Vary"].split(", "))


@pytest.mark.parametrize("origin", [OTHER, "null", "*", "http://table.example", "https://TABLE.example", ""])
def test_an_origin_that_is_not_listed_is_allowed_nothing(listed: Api, table: Table, origin: str) -> None:
    assert allowed(preflight(listed, table.at, origin)) == {}
    answer = listed("GET", table.at, Origin=origin)
    assert allowed(answer) == {}
    assert "Origin" in answer.headers["Vary"]  # a cache must not hand this answer to the page that is listed


def test_a_listed_page_may_read_every_field_of_every_answer_problems_too(listed: Api, table: Table) -> None:
    add = {"type": "add", "amount": 1}
    answers = [
        listed("POST", f"{table.at}/commands", add, Origin=PAGE, Idempotency_Key="k", Prefer="wait=30"),
        listed("POST", f"{table.at}/commands", add, Origin=PAGE, Idempotency_Key="k"),
        listed("GET", f"{table.at}/commits?limit=1", Origin=PAGE),
        listed("POST", f"{table.at}/commands", {**add, "amount": 99}, Origin=PAGE),
        listed("GET", "/v1/encounters/x", Origin=PAGE),
        Api(listed.app)("GET", table.at, Origin=PAGE),
        listed("POST", "/livez", Origin=PAGE),
        listed("GET", "/no/such/place", Origin=PAGE),
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 409, 404, 401, 405, 404]
    for answer in answers:
        found = allowed(answer)
        assert found["Access-Control-Allow-Origin"] == PAGE
        exposed = set(found["Access-Control-Expose-Headers"].split(", "))
        assert set(answer.headers.keys()) - USUAL <= exposed
        assert set(FIELDS) <= exposed


def test_a_listed_page_may_follow_the_stream(listed: Api, table: Table) -> None:
    preflighted = preflight(listed, f"{table.at}/commits", PAGE, "GET", "authorization,last-event-id")
    answer = listed("GET", f"{table.at}/commits", Accept="text/event-stream", Origin=PAGE)

    assert preflighted.status_code == 204
    assert answer.mimetype == "text/event-stream"
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE
    assert next(answer.iter_encoded()).startswith(b"retry: 3000\nid: ")
    answer.close()


def test_a_preflight_needs_no_token_and_reads_no_encounter(listed: Api) -> None:
    there = preflight(Api(listed.app), "/v1/encounters", PAGE)
    nowhere = preflight(Api(listed.app), "/v1/encounters/no-such/state", PAGE, "GET")

    assert (there.status_code, nowhere.status_code) == (204, 204)
    assert allowed(there) == allowed(nowhere)


def test_options_without_a_page_behind_it_is_no_method(listed: Api, table: Table) -> None:
    answer = listed.app.test_client().open(table.at, method="OPTIONS")

    assert answer.status_code == 405
    assert json.loads(answer.text)["type"] == "/problems/method-not-allowed"
