"""Arrays of commands: appended together, decided in order, each on its own, once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.record.commit import load_request
from service.usecases.services import Services
from tests.api.client import Table, is_problem
from tests.api.conftest import Worker

ADD = {"type": "add", "amount": 3}
TOO_MUCH = {"type": "add", "amount": 10}


def sent(table: Table, commands: list[dict[str, Any]], query: str = "", **headers: str) -> Any:
    answer = table.gm("POST", f"{table.at}/commands{query}", commands, **headers)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def outcomes(told: Any) -> list[str]:
    return [each.get("refusal", {}).get("code", each["outcome"]) for each in told["outcomes"]]


def test_an_array_is_decided_in_order_each_on_its_own(table: Table) -> None:
    before = table.gm.get(table.at)["version"]

    found = sent(table, [ADD, {"type": "add", "amount": 1}, ADD])

    commits = table.gm.get(f"{table.at}/commits?after={before}")["commits"]
    assert [each["n"] for each in found["outcomes"]] == [before + 1, before + 2, before + 3]
    assert found["n"] == before + 1
    assert [each["hash"] for each in found["outcomes"]] == [each["hash"] for each in commits]
    assert [each["events"][0]["by"] for each in found["outcomes"]] == [3, 1, 3]
    assert ["prompts" in each for each in found["outcomes"]] == [False, False, True]
    assert [each["prompt"] for each in found["outcomes"][-1]["prompts"]] == ["game"]
    assert table.gm.get(f"{table.at}/state")["state"]["counter"] == 7


def test_after_a_refusal_the_rest_are_refused_as_skipped(table: Table) -> None:
    found = sent(table, [ADD, TOO_MUCH, ADD, ADD])
    later = sent(table, [ADD])

    assert outcomes(found) == ["accepted", "amount_out_of_range", "skipped", "skipped"]
    assert outcomes(later) == ["accepted"], "it was that array alone"
    assert table.gm.get(f"{table.at}/state")["state"]["counter"] == 6


def test_or_they_go_on_where_that_was_asked_for(table: Table) -> None:
    found = sent(table, [ADD, TOO_MUCH, ADD], "?continue_on_refusal=true")
    stopped = sent(table, [TOO_MUCH, ADD], "?continue_on_refusal=false")

    assert outcomes(found) == ["accepted", "amount_out_of_range", "accepted"]
    assert outcomes(stopped) == ["amount_out_of_range", "skipped"]


def unsigned(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without receipts: only one that waited for the outcomes has them."""
    outcomes = [{name: v for name, v in each.items() if name != "receipt"} for each in answer["outcomes"]]
    return answer | {"outcomes": outcomes}


def test_the_whole_array_happens_once(table: Table) -> None:
    first = sent(table, [ADD, TOO_MUCH, ADD], Idempotency_Key="a1")
    again = table.gm("POST", f"{table.at}/commands", [ADD, TOO_MUCH, ADD], Idempotency_Key="a1")
    asked = table.gm.get(f"{table.at}/commands?key=a1")
    other = table.gm("POST", f"{table.at}/commands", [ADD, TOO_MUCH], Idempotency_Key="a1")
    goes_on = table.gm(
        "POST", f"{table.at}/commands?continue_on_refusal=true", [ADD, TOO_MUCH, ADD], Idempotency_Key="a1"
    )

    assert unsigned(json.loads(again.text)) == asked == unsigned(first)
    assert again.headers["Idempotency-Replayed"] == "true"
    for changed in (other, goes_on):
        is_problem(changed, 422, "idempotency-key-reused")
    assert table.gm.get(f"{table.at}/state")["state"]["counter"] == 3


def test_an_array_that_is_not_decided_yet_is_pending_and_settled_by_its_key(
    table: Table, worker: Worker
) -> None:
    worker.pause()
    answer = table.gm(
        "POST", f"{table.at}/commands", [ADD, ADD], Idempotency_Key="a1", Prefer="respond-async"
    )
    data = json.loads(answer.text)
    assert (answer.status_code, outcomes(data)) == (202, ["pending", "pending"])
    assert answer.headers["Location"] == f"{table.at}/commands/{data['n']}?line={table.id}"

    worker.go_on()
    settled = sent(table, [ADD, ADD], Idempotency_Key="a1", Prefer="wait=30")

    assert outcomes(settled) == ["accepted", "accepted"]
    assert table.gm.get(f"{table.at}/commands?key=a1") == unsigned(settled)


def test_if_match_stands_for_the_whole_array(table: Table) -> None:
    version = table.gm.get(table.at)["version"]

    found = sent(table, [ADD, ADD], If_Match=f'"{version}"')
    late = table.gm("POST", f"{table.at}/commands", [ADD, ADD], If_Match=f'"{version}"')

    assert outcomes(found) == ["accepted", "accepted"]
    assert is_problem(late, 412, "version-mismatch")["version"] == version + 2
    assert table.gm.get(table.at)["version"] == version + 2


def test_one_command_that_cannot_be_read_keeps_all_of_them_off_the_record(table: Table) -> None:
    version = table.gm.get(table.at)["version"]

    problem = is_problem(
        table.gm("POST", f"{table.at}/commands", [ADD, {"type": "add"}, ADD | {"x": 1}]), 422, "invalid"
    )

    assert [each["pointer"] for each in problem["errors"]] == ["/1/amount", "/2/x"]
    assert table.gm.get(table.at)["version"] == version


def test_the_requests_name_their_array(table: Table, services: Services) -> None:
    """The record says which commands came together, so deciding again skips the same ones."""
    n = sent(table, [ADD, ADD])["n"]
    sent(table, [ADD], "?continue_on_refusal=true")

    batches = [load_request(entry.raw).batch for entry in services.log.commands(table.id, n - 1, 3)]

    assert [(b.index, b.of, b.stop) for b in batches if b] == [(0, 2, True), (1, 2, True), (0, 1, False)]
    assert len({b.id for b in batches if b}) == 2


CHOOSE = {"type": "choose", "number": 3}


@pytest.mark.parametrize("query", ["", "?continue_on_refusal=true"])
def test_a_secret_choice_is_followed_by_others_only_where_they_go_on(table: Table, query: str) -> None:
    """Whether it was refused would show in what follows it."""
    answer = table.ada("POST", f"{table.at}/commands{query}", [CHOOSE, ADD])

    if query:
        assert answer.status_code == 200
    else:
        problem = is_problem(answer, 422, "invalid")
        assert [each["pointer"] for each in problem["errors"]] == ["/0"]
    assert table.ada("POST", f"{table.at}/commands", [ADD]).status_code == 200
