"""A history that is not the signed one, over HTTP: told with the encounter, accepted by a command."""

from __future__ import annotations

import json

from service.encounter.stores.disputes import ROLLED_BACK, Dispute, Disputes
from service.log import Log
from tests.api.client import Table, is_problem


def test_a_dispute_is_told_and_accepted_by_what_it_says_alone(table: Table, log: Log) -> None:
    disputes, lost = Disputes(log), {"size": 9, "root": "ab" * 32}
    command = {"type": "accept_history", "reason": "restored from Monday", "lost": lost, "epoch": 3}
    is_problem(table.send(table.gm, command), 409, "command-refused")
    assert table.gm.get(table.at)["dispute"] is None
    disputes.open(Dispute(table.id, ROLLED_BACK, 9, "ab" * 32, 1, epoch=3))

    told = table.gm.get(table.at)["dispute"]
    assert (told["lost"], told["epoch"], told["why"]) == (lost, 3, "rolled_back")
    for wrong in ({"epoch": 1}, {"lost": {"size": 8, "root": "ab" * 32}}):
        problem = is_problem(table.send(table.gm, {**command, **wrong}), 409, "command-refused")
        assert problem["code"] == "no_dispute"
    answer = table.send(table.gm, command, Idempotency_Key="accept")
    n = json.loads(answer.text)["n"]

    assert json.loads(answer.text)["events"][0]["epoch"] == 4
    assert disputes.standing(table.id) is None
    assert disputes.resumes(table.id) == n
    assert json.loads(table.send(table.gm, command, Idempotency_Key="accept").text)["n"] == n
    assert table.gm.get(table.at)["dispute"] is None


def test_TABLE_EPOCH_2_an_advance_needs_its_reason(table: Table) -> None:
    problem = is_problem(
        table.send(table.gm, {"type": "advance_epoch", "reason": ""}), 409, "command-refused"
    )
    assert problem["code"] == "reason_missing"
    answer = table.send(table.gm, {"type": "advance_epoch", "reason": "the seed was on a screen"})
    assert json.loads(answer.text)["events"][0]["epoch"] == 2
    assert table.ada.get(table.at)["epoch"] == 2
