"""Send commands: what is refused and how, what happens once, who waits."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.api.client import Api, Table, is_problem
from tests.api.conftest import Worker

ADD = {"type": "add", "amount": 3}

LISTED = "/v1/rulesets/tiny@1/commands lists them"


def counter(table: Table) -> tuple[int, dict[str, int]]:
    """Return what a refusal may not touch: the counter, and how many dice of each stream were thrown."""
    state = table.gm.get(f"{table.at}/state")["state"]
    return state["counter"], state["places"]


def test_an_accepted_command_is_answered_with_its_events_version_and_hash(table: Table) -> None:
    answer = table.send(table.gm, ADD)

    data = json.loads(answer.text)
    commit = table.gm.get(f"{table.at}/commits?after={data['n'] - 1}")["commits"][0]
    assert (answer.status_code, data["outcome"], data["version"]) == (200, "accepted", data["n"])
    assert data["events"] == [{"type": "counted", "by": 3, "rolled": None, "because": ["TINY-2"]}]
    assert data["hash"] == commit["hash"]
    assert answer.headers["ETag"] == f'"{data["n"]}"'


def test_an_answer_names_what_its_seat_is_asked_next(table: Table) -> None:
    data = json.loads(table.send(table.gm, ADD).text)

    assert [each["prompt"] for each in data["prompts"]] == ["game"]


@pytest.mark.parametrize(
    ("command", "errors"),
    [
        ({"type": "ad"}, {"/type": f"tiny@1 has no command ad; closest match: add; {LISTED}"}),
        ({"type": "nonsense"}, {"/type": f"tiny@1 has no command nonsense; {LISTED}"}),
        ({}, {"/type": f"this field is required: the type of a command of tiny@1; {LISTED}"}),
        (ADD | {"amout": 1}, {"/amout": "no such field; closest match: amount"}),
        (ADD | {"x": 1}, {"/x": "no such field"}),
    ],
    ids=str,
)
def test_what_is_misspelled_is_told_with_what_may_be_meant(
    table: Table, command: dict[str, Any], errors: dict[str, str]
) -> None:
    answer = json.loads(table.send(table.gm, command).text)
    assert {each["pointer"]: each["detail"] for each in answer["errors"]} == errors


def test_fields_that_there_are_not_are_named_in_the_order_in_which_they_were_sent(table: Table) -> None:
    names = ["zeta", "m4812", "m2265", "alpha", "m9", "beta"]
    answer = json.loads(table.send(table.gm, ADD | dict.fromkeys(names, 1)).text)
    assert [each["pointer"] for each in answer["errors"]] == [f"/{name}" for name in names]


# --- refused -----------------------------------------------------------------------------------------

REFUSED: list[tuple[str, Callable[[Table], TestResponse], int, str]] = [
    ("the rules", lambda t: t.send(t.gm, {"type": "add", "amount": 10}), 409, "command-refused"),
    ("another's command", lambda t: t.send(t.ada, {"type": "end_round"}), 409, "command-refused"),
    ("unknown field", lambda t: t.send(t.gm, ADD | {"x": 1}), 422, "invalid"),
    ("missing field", lambda t: t.send(t.gm, {"type": "add"}), 422, "invalid"),
    ("wrong type", lambda t: t.send(t.gm, {"type": "add", "amount": True}), 422, "invalid"),
    ("number as text", lambda t: t.send(t.gm, {"type": "add", "amount": "1_000"}), 422, "invalid"),
    ("fraction", lambda t: t.send(t.gm, b'{"type": "add", "amount": 3.0}'), 400, "not-strict-json"),
    ("name twice", lambda t: t.send(t.gm, b'{"type":"add","amount":1,"amount":2}'), 400, "not-strict-json"),
    ("unknown command", lambda t: t.send(t.gm, {"type": "fly"}), 422, "invalid"),
    ("no type", lambda t: t.send(t.gm, {}), 422, "invalid"),
    ("no object", lambda t: t.send(t.gm, "add"), 422, "invalid"),
    ("an opening", lambda t: t.send(t.gm, {"type": "open"}), 422, "invalid"),
    ("an array of nothing", lambda t: t.send(t.gm, []), 422, "invalid"),
    ("an array of too many", lambda t: t.send(t.gm, [ADD] * 51), 422, "invalid"),
    ("an array in an array", lambda t: t.send(t.gm, [[ADD]]), 422, "invalid"),
    ("stale version", lambda t: t.send(t.gm, ADD, If_Match='"1"'), 412, "version-mismatch"),
    ("weak version", lambda t: t.send(t.gm, ADD, If_Match='W/"1"'), 400, "bad-request"),
    ("bad key", lambda t: t.send(t.gm, ADD, Idempotency_Key="a b"), 400, "bad-request"),
    ("large", lambda t: t.send(t.gm, ADD | {"x": "a" * 70_000}), 413, "body-too-large"),
    ("no JSON type", lambda t: t.send(t.gm, ADD, Content_Type="text/plain"), 415, "unsupported-media-type"),
    ("encoded", lambda t: t.send(t.gm, ADD, Content_Encoding="gzip"), 415, "unsupported-media-type"),
    ("no token", lambda t: t.send(Api(t.gm.app), ADD), 401, "unauthenticated"),
    ("query", lambda t: t.gm("POST", f"{t.at}/commands?continue=1", ADD), 422, "invalid"),
]


@pytest.mark.parametrize(
    ("send", "status", "code"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_a_refused_command_changes_nothing_and_burns_no_dice(
    table: Table, send: Callable[[Table], TestResponse], status: int, code: str
) -> None:
    before = counter(table)

    is_problem(send(table), status, code)

    assert counter(table) == before


def test_the_rules_refusal_names_code_rule_and_number(table: Table) -> None:
    problem = is_problem(table.send(table.gm, {"type": "add", "amount": 10}), 409, "command-refused")

    assert (problem["code"], problem["rule"], problem["detail"]) == (
        "amount_out_of_range",
        "TINY-2",
        "10 is not 1 to 9",
    )
    found = table.gm.get(f"{table.at}/commands/{problem['n']}")
    assert (found["outcome"], found["refusal"]["code"]) == ("refused", "amount_out_of_range")


def test_every_fault_of_a_body_is_listed_with_its_pointer(table: Table) -> None:
    problem = is_problem(table.send(table.gm, {"type": "add", "amount": None, "x": 1}), 422, "invalid")

    assert [error["pointer"] for error in problem["errors"]] == ["/x", "/amount"]


# --- once --------------------------------------------------------------------------------------------


def test_a_repeat_gets_the_first_answer_and_says_so(table: Table) -> None:
    first = table.send(table.gm, ADD, Idempotency_Key='"k1"')
    again = table.send(table.gm, b'{ "amount": 3, "type": "add" }', Idempotency_Key="k1")

    assert again.text == first.text
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert counter(table)[0] == 3


def test_a_repeat_of_a_refusal_is_refused_as_the_first_was(table: Table) -> None:
    bad = {"type": "add", "amount": 10}
    first = is_problem(table.send(table.gm, bad, Idempotency_Key="k1"), 409, "command-refused")
    again = is_problem(table.send(table.gm, bad, Idempotency_Key="k1"), 409, "command-refused")

    assert again["n"] == first["n"]


def test_a_key_with_another_body_is_a_problem(table: Table) -> None:
    table.send(table.gm, ADD, Idempotency_Key="k1")

    problem = is_problem(
        table.send(table.gm, {"type": "add", "amount": 4}, Idempotency_Key="k1"),
        422,
        "idempotency-key-reused",
    )

    assert counter(table)[0] == 3
    assert problem["n"] == 4


def test_a_key_belongs_to_its_seat(table: Table) -> None:
    table.send(table.ada, {"type": "choose", "number": 1}, Idempotency_Key="k1")
    answer = table.send(table.bo, {"type": "choose", "number": 1}, Idempotency_Key="k1")

    assert "Idempotency-Replayed" not in answer.headers


def test_without_a_key_the_server_makes_one_and_tells_it(table: Table) -> None:
    answer = table.send(table.gm, ADD)

    key = answer.headers["Idempotency-Key"]
    found = table.gm.get(f"{table.at}/commands?key={key.strip(chr(34))}")
    assert found["n"] == json.loads(answer.text)["n"]


def test_an_unknown_key_is_a_404_and_no_key_is_invalid(table: Table) -> None:
    is_problem(table.gm("GET", f"{table.at}/commands?key=never"), 404, "not-found")
    is_problem(table.gm("GET", f"{table.at}/commands"), 422, "invalid")


# --- versions ----------------------------------------------------------------------------------------


def test_the_right_version_is_accepted(table: Table) -> None:
    version = table.gm("GET", f"{table.at}/state").headers["ETag"]

    assert table.send(table.gm, ADD, If_Match=version).status_code == 200


def test_a_stale_version_is_told_the_newest(table: Table) -> None:
    problem = is_problem(table.send(table.gm, ADD, If_Match='"2"'), 412, "version-mismatch")

    assert problem["version"] == 3


# --- waiting -----------------------------------------------------------------------------------------


def test_who_does_not_wait_gets_an_address(table: Table, worker: Worker) -> None:
    worker.pause()
    answer = table.send(table.gm, ADD, Prefer="respond-async", Idempotency_Key="k1")

    assert (answer.status_code, json.loads(answer.text)) == (202, {"n": 4, "outcome": "pending"})
    assert answer.headers["Preference-Applied"] == "respond-async"
    assert answer.headers["Retry-After"] == "1"
    address = answer.headers["Location"]
    assert table.gm("GET", address).status_code == 202
    assert table.gm("GET", f"{table.at}/commands?key=k1").status_code == 202
    worker.go_on()
    again = table.send(table.gm, ADD, Prefer="wait=20", Idempotency_Key="k1")
    assert (again.status_code, again.headers["Preference-Applied"]) == (200, "wait=20")
    assert table.gm.get(address)["outcome"] == "accepted"


def test_who_waits_is_answered_the_moment_it_is_decided(table: Table, worker: Worker) -> None:
    worker.pause()
    answers: list[TestResponse] = []
    waiting = [
        Thread(target=lambda: answers.append(table.send(table.gm, ADD, Prefer="wait=30"))) for _ in range(3)
    ]
    for thread in waiting:
        thread.start()
    worker.go_on()
    for thread in waiting:
        thread.join()

    assert sorted(json.loads(answer.text)["n"] for answer in answers) == [4, 5, 6]
    assert {answer.status_code for answer in answers} == {200}


@pytest.mark.parametrize("prefer", ["handling=lenient", "x", ""])
def test_a_preference_without_meaning_is_ignored(table: Table, prefer: str) -> None:
    answer = table.send(table.gm, ADD, Prefer=prefer)

    assert answer.status_code == 200
    assert "Preference-Applied" not in answer.headers


@pytest.mark.parametrize("prefer", ["wait=x", "wait=-1", "wait="])
def test_a_wait_that_is_no_number_of_seconds_is_refused(table: Table, prefer: str) -> None:
    found = is_problem(table.send(table.gm, ADD, Prefer=prefer), 400, "bad-request")

    assert found["detail"] == "Prefer: wait takes whole seconds, for example wait=10"


# --- sealed scopes -----------------------------------------------------------------------------------


def test_inside_a_sealed_scope_an_ordinary_mistake_leaves_no_trace(table: Table) -> None:
    table.send(table.ada, {"type": "choose", "number": 1})
    before = table.gm.get(table.at)

    problem = is_problem(table.send(table.ada, {"type": "choose", "number": 2}), 409, "command-refused")

    assert problem["code"] == "already_chosen"
    assert "n" not in problem
    assert table.gm.get(table.at) == before


def test_a_repeat_inside_a_sealed_scope_is_not_judged_again(table: Table) -> None:
    choice = {"type": "choose", "number": 1}
    first = table.send(table.ada, choice, Idempotency_Key="k1")
    again = table.send(table.ada, choice, Idempotency_Key="k1")

    assert (again.status_code, again.text) == (200, first.text)


def test_the_acting_seat_is_told_the_truth_and_nobody_else(table: Table) -> None:
    own = json.loads(table.send(table.ada, {"type": "choose", "number": 2}).text)

    def seen(who: Api) -> dict[str, Any]:
        found: dict[str, Any] = who.get(f"{table.at}/commands/{own['n']}")
        return found

    assert (own["outcome"], own["events"][1]["number"]) == ("accepted", 2)
    assert seen(table.ada)["outcome"] == "accepted"
    assert seen(table.bo)["outcome"] == seen(table.gm)["outcome"] == "sealed"
    assert [event["type"] for event in seen(table.bo)["events"]] == ["choice_committed"]


def test_two_that_race_for_a_sealed_choice_both_get_an_answer(table: Table, worker: Worker) -> None:
    """Both pass the door; the second is refused on the record, and only its own seat learns why."""
    worker.pause()
    first = table.send(table.ada, {"type": "choose", "number": 1}, Prefer="respond-async")
    second = table.send(table.ada, {"type": "choose", "number": 2}, Prefer="respond-async")
    worker.go_on()
    later = table.send(table.gm, ADD)

    assert (first.status_code, second.status_code, later.status_code) == (202, 202, 200)
    own = table.ada.get(f"{table.at}/commands/5")
    assert (own["outcome"], own["refusal"]["code"]) == ("refused", "already_chosen")
    assert "refusal" not in table.gm.get(f"{table.at}/commands/5")
