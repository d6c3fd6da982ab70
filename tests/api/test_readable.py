"""Answers that people read: indented JSON, and pages in place of problems in a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.api.serving import encoded
from tests.api.client import Api, Table, is_problem
from tests.api.test_hidden_creatures import begun, hide

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize("asked", ["pretty", "pretty=", "pretty=true"])
@pytest.mark.parametrize("path", ["", "/state", "/options", "/commits", "/rolls?limit=1"])
def test_pretty_indents_and_changes_nothing_else(table: Table, path: str, asked: str) -> None:
    plain = table.gm("GET", f"{table.at}{path}")
    pretty = table.gm("GET", f"{table.at}{path}{'&' if '?' in path else '?'}{asked}")

    assert plain.text.count("\n") == 1
    assert pretty.text.startswith('{\n  "')
    assert pretty.text.endswith("}\n")
    assert json.loads(pretty.text) == json.loads(plain.text)
    assert pretty.headers["ETag"] == plain.headers["ETag"]


def test_pretty_indents_the_contract_problems_and_numbers_beyond_64_bits(table: Table) -> None:
    assert table.gm("GET", "/openapi.json?pretty").text.startswith('{\n  "')
    refused = table.gm("GET", f"{table.at}/state?pretty&at=0")
    assert refused.text.startswith('{\n  "type": "/problems/invalid",\n')
    assert table.gm("GET", "/v1/nowhere?pretty").text.startswith("{\n  ")
    assert (
        encoded({"seed": [2**70]}, is_pretty=True) == b'{\n  "seed": [\n    1180591620717411303424\n  ]\n}\n'
    )
    wrong = table.gm("GET", f"{table.at}/state?pretty=no")
    assert is_problem(wrong, 422, "invalid")["errors"][0]["pointer"] == "?pretty"


def test_a_repeat_may_ask_for_another_spelling(table: Table) -> None:
    first = table.gm("POST", f"{table.at}/commands", {"type": "add", "amount": 1}, Idempotency_Key="k")
    again = table.gm("POST", f"{table.at}/commands?pretty", {"type": "add", "amount": 1}, Idempotency_Key="k")

    assert again.headers["Idempotency-Replayed"] == "true"
    assert json.loads(again.text)["n"] == json.loads(first.text)["n"]


def test_verify_is_the_page_that_verifies(api: Api) -> None:
    found, listed = api("GET", "/verify"), api("GET", "/docs/verify")

    assert (found.status_code, found.mimetype) == (200, "text/html")
    assert found.data == listed.data
    assert found.headers["Content-Security-Policy"] == listed.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/verifi", "/docs/nothing", "/problems/none", "/v1/<b>"])
def test_a_browser_gets_a_page_where_nothing_is(api: Api, path: str) -> None:
    page = api("GET", path, Accept=BROWSER)

    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert page.headers["Request-Id"] in page.text
    assert "<b>" not in page.text
    for accept in ("*/*", "application/json", "application/problem+json, text/html;q=0.5"):
        is_problem(api("GET", path, Accept=accept), 404, "not-found")


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        (
            "/v1/rulesets/heartrsh@1",
            "there is no such ruleset; closest match: heartrush@1; GET /v1/rulesets lists them",
        ),
        ("/v1/rulesets/rise@1/rules/RI-ATK-88", "this edition has no such rule; closest match: RI-ATK-8"),
    ],
)
def test_a_public_address_says_what_is_near(api: Api, path: str, detail: str) -> None:
    assert is_problem(api("GET", path), 404, "not-found")["detail"] == detail


def test_a_malformed_number_is_told_from_what_is_not_yours(table: Table) -> None:
    malformed = is_problem(table.gm("GET", f"{table.at}/commands/x"), 404, "not-found")
    missing = is_problem(table.gm("GET", f"{table.at}/commands/99"), 404, "not-found")

    assert malformed["detail"] == "`n` in this address must be a whole number, for example 1"
    assert missing["detail"] == "there is no command 99: the newest is 3"


def test_a_misspelled_creature_gets_the_closest_that_the_seat_sees(owner: Api) -> None:
    fought = begun(owner)
    hide(fought)

    def said(seat: str, creature: str) -> str:
        command = {"type": "dash", "creature": creature, "to": [0, -2]}
        answer = fought.seats[seat]("POST", f"{fought.at}/commands", command)
        assert answer.status_code == 409
        return str(json.loads(answer.text)["detail"])

    seen = [each["id"] for each in fought.seats["zoe"].get(f"{fought.at}/creatures")["creatures"]]
    assert said("zoe", "pla") == "there is no creature pla; closest match: pia"
    assert said("gm", "gobb") == "there is no creature gobb; closest match: gob"
    assert said("zoe", "gobb") == f"there is no creature gobb; there are {', '.join(seen)}"
    assert said("yan", "pia") == "yan does not control pia; zoe does"


def test_an_offer_says_what_it_does_to_whoever_asks_for_it(owner: Api) -> None:
    fought = begun(owner)

    def offers(query: str) -> list[Any]:
        found = fought.seats["zoe"].get(f"{fought.at}/options{query}")["options"]
        return [offer for option in found for offer in option["commands"]]

    said = offers("?text=en")
    assert "Engage …" in [offer["text"] for offer in said]
    assert ["target"] in [offer.get("gaps") for offer in said if offer["text"] == "Engage …"]
    assert {offer["command"]["type"] for offer in said if offer.get("passes")} == {"pass"}
    words = ("text", "gaps", "passes", "notes")
    assert [{name: offer[name] for name in offer if name not in words} for offer in said] == offers("")


def test_programs_get_json_where_an_operation_answers_with_json(table: Table) -> None:
    is_problem(table.gm("GET", f"{table.at}/commits/99/explanation", Accept=BROWSER), 404, "not-found")
    is_problem(table.gm("POST", "/v1/nowhere", {}, Accept=BROWSER), 404, "not-found")
