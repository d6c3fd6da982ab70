"""Checkpoints over HTTP: signed at every close and on request, told in every answer, verified."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from service.audit import checkpoint
from service.audit.notes import verifier_key
from service.usecases.services import Services
from tests.api.client import Api, Table
from tests.api.conftest import Worker
from tests.api.test_metrics import operator, samples
from tests.support.tiny_table import SIGNER


def key_of(api: Api, table: Table) -> str:
    """Return the verifier key as a client computes it from what is published."""
    [key] = api.get("/v1/keys")["keys"]
    assert key["algorithm"] == "Ed25519"
    return verifier_key(f"{key['name']}/{table.id}", bytes.fromhex(key["public_key"]))


def listed(table: Table, at_least: int = 1) -> list[dict[str, Any]]:
    """Return the checkpoints once there are *at_least* so many: they are signed beside the folding."""
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        found: list[dict[str, Any]] = table.gm.get(f"{table.at}/checkpoints")["checkpoints"]
        if len(found) >= at_least:
            return found
        time.sleep(0.02)
    raise AssertionError(f"no {at_least} checkpoints came")


def test_the_key_is_published_raw(api: Api, table: Table) -> None:
    [key] = api.get("/v1/keys")["keys"]

    assert key["public_key"] == SIGNER.public.hex()
    assert "rotation" not in key


def test_closing_an_epoch_is_signed_and_verifies_with_the_published_key(api: Api, table: Table) -> None:
    table.send(table.gm, {"type": "roll"})
    ended = json.loads(table.send(table.gm, {"type": "end_round"}).text)

    [point] = listed(table)

    read = checkpoint.verify(point["note"], key_of(api, table))
    assert (read.size, read.root.hex()) == (point["size"], point["root"]) == (ended["n"], point["root"])


def test_the_head_is_signed_on_request_for_any_reader(api: Api, table: Table) -> None:
    table.send(table.gm, {"type": "add", "amount": 2})
    version = table.gm.get(table.at)["version"]

    for who in (table.ada, table.gm):
        answer = who("POST", f"{table.at}/checkpoints", Prefer="wait=30")
        assert answer.status_code == 200, answer.text
        assert json.loads(answer.text)["size"] == version
        assert checkpoint.verify(json.loads(answer.text)["note"], key_of(api, table)).size == version
    assert len(listed(table)) == 1


def test_a_request_that_does_not_wait_is_told_where_to_look(table: Table, worker: Worker) -> None:
    worker.pause()
    answer = table.gm("POST", f"{table.at}/checkpoints", Prefer="respond-async")
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"{table.at}/checkpoints?line={table.id}"
    worker.go_on()
    assert listed(table)[0]["size"] == json.loads(answer.text)["size"]


def test_every_answer_about_the_encounter_carries_the_latest_checkpoint(api: Api, table: Table) -> None:
    signed = json.loads(table.gm("POST", f"{table.at}/checkpoints", Prefer="wait=30").text)
    found = f"size={signed['size']}, root={signed['root']}"
    ends = time.monotonic() + 30  # what a process knows of it may be a second old
    while table.gm("GET", table.at).headers.get("Rewound-Checkpoint") != found:
        assert time.monotonic() < ends
        time.sleep(0.05)

    for who, method, path, body in (
        (table.ada, "GET", "/state", None),
        (table.bo, "GET", "/commits", None),
        (table.gm, "POST", "/commands", {"type": "add", "amount": 1}),
        (table.gm, "POST", "/commands", {"type": "nonsense"}),
        (table.ada, "GET", "/commands/99", None),
    ):
        assert who(method, table.at + path, body).headers["Rewound-Checkpoint"] == found, path
    assert "Rewound-Checkpoint" not in api("GET", "/v1/rulesets").headers
    assert "Rewound-Checkpoint" not in api("GET", table.at).headers, "a stranger is told nothing"


def test_an_accepted_command_is_answered_so_when_no_checkpoint_can_be_read(
    table: Table, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: str) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(services.tree_heads, "of", broken)
    who = operator(table.gm, services)
    counted = ("rewound_http_requests_total", (("operation", "sendCommand"), ("status", "200")))
    before = samples(who).get(counted, 0)

    answer = table.gm("POST", f"{table.at}/commands", {"type": "add", "amount": 1})

    assert answer.status_code == 200
    assert json.loads(answer.text)["outcome"] == "accepted"
    assert "Rewound-Checkpoint" not in answer.headers
    assert samples(who)[counted] == before + 1


def test_pages_of_checkpoints_follow_each_other(table: Table) -> None:
    for _ in range(3):
        table.send(table.gm, {"type": "end_round"})
        table.gm("POST", f"{table.at}/checkpoints", Prefer="wait=30")
    sizes = [point["size"] for point in listed(table, 3)]

    first = table.gm.get(f"{table.at}/checkpoints?limit=2")
    rest = table.gm.get(f"{table.at}/checkpoints?limit=2&cursor={first['next_cursor']}")

    assert [p["size"] for p in first["checkpoints"] + rest["checkpoints"]] == sizes == sorted(sizes)[::-1]
