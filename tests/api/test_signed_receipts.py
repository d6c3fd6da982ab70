"""The answer to a command carries a receipt that the service signed, for its sender alone."""

from __future__ import annotations

import json

from service.audit.receipts import read_receipt, receipts_in
from tests.api.client import Table
from tests.support.tiny_table import SIGNER


def test_an_answer_carries_a_signed_receipt_of_its_commit(table: Table) -> None:
    line = table.gm.get(table.at)["line"]
    answer = json.loads(table.send(table.gm, {"type": "add", "amount": 3}).text)

    receipt = read_receipt(receipts_in(answer)[0])

    assert (receipt.encounter, receipt.n, receipt.hash) == (line, answer["n"], answer["hash"])
    assert receipt.public == SIGNER.public
    again = table.gm.get(f"{table.at}/commands/{answer['n']}")
    assert (again["hash"], receipts_in(again)) == (answer["hash"], []), "only an answer that waited has one"


def test_each_command_of_an_array_has_its_receipt(table: Table) -> None:
    commands = [{"type": "add", "amount": 3}, {"type": "add", "amount": 4}]
    answer = json.loads(table.send(table.gm, commands).text)

    found = [read_receipt(each) for each in receipts_in(answer)]

    assert [each.n for each in found] == [each["n"] for each in answer["outcomes"]]
    assert found[1].prev == found[0].hash
