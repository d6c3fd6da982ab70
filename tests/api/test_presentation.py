"""Looks are no part of what is asked for, secrets are stored nowhere, and refusals name their figures."""

from __future__ import annotations

import json

import pytest

from tests.api.client import Api, Table, is_problem

ADD = {"type": "add", "amount": 1}


@pytest.fixture
def table(owner: Api) -> Table:
    return Table.opened(owner)


def test_a_repeat_may_ask_for_another_look_of_the_answer(table: Table) -> None:
    first = table.send(table.gm, ADD, Idempotency_Key="k1")

    again = table.gm("POST", f"{table.at}/commands?text=en&pretty=true", ADD, Idempotency_Key="k1")

    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert json.loads(again.text)["n"] == json.loads(first.text)["n"]
    other = table.gm("POST", f"{table.at}/commands?continue_on_refusal=true", [ADD], Idempotency_Key="k1")
    is_problem(other, 422, "idempotency-key-reused")


def test_what_holds_a_secret_is_stored_nowhere(owner: Api, table: Table) -> None:
    answers = [
        owner("POST", "/v1/api-keys", {"name": "another"}),
        owner("POST", f"{table.at}/seats/ada/token", {}),
        owner("POST", f"{table.at}/seats/ada/links", {}),
        owner("POST", "/v1/webhooks", {"url": "https://example.com/"}),
    ]

    for answer in answers:
        assert answer.status_code in {200, 201}, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
    assert owner("GET", table.at).headers["Cache-Control"] == "private, no-cache"


def test_a_link_of_a_seat_without_a_token_says_what_to_do(owner: Api) -> None:
    opened = owner("POST", "/v1/encounters", {"edition": "tiny@1", "players": ["ada"]})
    at = "/v1/encounters/" + json.loads(opened.text)["encounter"]
    owner("POST", f"{at}/seats/ada/token", {})
    seats = [each["seat"] for each in owner.get(f"{at}/seats")["seats"] if not each["tokens"]]
    assert seats, "a seat that was issued no token"

    problem = is_problem(owner("POST", f"{at}/seats/{seats[0]}/links", {}), 409, "command-refused")

    assert problem["code"] == "no_token"
    assert f"seats/{seats[0]}/token" in problem["detail"]
    is_problem(owner("POST", f"{at}/seats/nobody/links", {}), 404, "not-found")


def test_a_body_that_is_too_large_is_told_how_large_it_may_be(table: Table) -> None:
    answer = table.send(table.gm, b'{"type": "add"' + b" " * 70_000 + b"}")

    problem = is_problem(answer, 413, "body-too-large")
    assert problem["limit"] == 65_536
    assert "65,536 bytes" in problem["detail"]


def test_the_name_of_a_closed_seat_is_refused_with_what_to_do(owner: Api, table: Table) -> None:
    owner("DELETE", f"{table.at}/seats/bo?reason=left")
    gone = owner("DELETE", f"{table.at}/seats/bo", None)
    assert gone.status_code in {200, 204, 409}, gone.text

    again = owner("POST", f"{table.at}/seats", {"seat": "bo", "role": "player"})

    problem = is_problem(again, 409, "command-refused")
    assert problem["code"] == "seat_taken"
    assert "take another" in problem["detail"]
