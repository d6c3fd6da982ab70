"""Bundles over HTTP: written for a seat, taken in by another service, or refused whole."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from threading import Event

import pytest

from service.api.app import create_app
from service.audit import bundle, importing
from service.audit.verify import verify
from service.encounter.host import Host, host_of
from service.encounter.stores import keys
from service.encounter.stores.jobs import AUDITS
from service.log.memory import MemoryLog
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH
from workers.audits import Auditor

JSONL = {"Content_Type": "application/jsonl"}


@pytest.fixture
def other() -> Iterator[Host]:
    """Give another service, with another key and an empty store, its worker there when it is rung for."""
    log = MemoryLog()
    host = host_of(
        log,
        BOTH,
        ring=lambda _shard: importing.work(log, BOTH),
        clock=time.time,
        key=bytes(range(1, 33)),
        mode="memory",
    )
    yield host
    host.outcomes.close()


@pytest.fixture
def elsewhere(other: Host) -> Api:
    """Give a client of the other service."""
    token, _ = keys.create(other.log, "tests", time.time())
    return Api(create_app(other)).with_token(token)


def played(table: Table) -> Table:
    """Play two rounds with dice, refusals and secret choices."""
    for who, data in (
        (table.gm, {"type": "add", "amount": 3}),
        (table.gm, {"type": "roll"}),
        (table.ada, {"type": "choose", "number": 3}),
        (table.bo, {"type": "choose", "number": 4}),
        (table.gm, {"type": "add", "amount": 30}),
        (table.gm, {"type": "end_round"}),
        (table.gm, {"type": "roll"}),
    ):
        table.send(who, data)
    return table


def closed(table: Table) -> Table:
    table.send(played(table).gm, {"type": "close", "reason": "enough"})
    assert table.gm("POST", f"{table.at}/checkpoints", Prefer="wait=30").status_code == 200
    return table


def bundle_of(who: Api, table: Table) -> bytes:
    answer = who("GET", f"{table.at}/bundle")
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "application/jsonl"
    raw: bytes = answer.data
    return raw


def test_a_bundle_over_http_is_what_the_seat_may_see_and_audits_valid(table: Table) -> None:
    raw = bundle_of(closed(table).ada, table)

    evidence = bundle.read(raw)
    assert (evidence.seat, len(evidence.notes) > 0) == ("ada", True)
    assert str(verify(evidence, BOTH).verdict) == "valid"


def test_a_running_fights_bundle_holds_no_choice_of_another_seat(table: Table) -> None:
    table.send(table.ada, {"type": "choose", "number": 7})

    assert b'\\"number\\":7' in bundle_of(table.ada, table)
    assert b'\\"number\\":7' not in bundle_of(table.bo, table)


def test_what_is_taken_in_reads_replays_and_audits_as_where_it_was_played(
    table: Table, elsewhere: Api, other: Host
) -> None:
    raw = bundle_of(closed(table).gm, table)

    taken = elsewhere("POST", "/v1/bundles", raw, **JSONL)

    assert taken.status_code == 201, taken.text
    assert taken.headers["Location"] == table.at
    data = json.loads(taken.text)
    assert data["certificate"]["verdict"]["name"] == "valid"
    for path in ("/state", "/state?at=5", "/commits", "/rounds/1/replay", "/rolls", "/seats"):
        assert elsewhere.get(table.at + path) == table.gm.get(table.at + path), path
    assert bundle_of(elsewhere, table) == raw
    job = json.loads(elsewhere("POST", f"{table.at}/audits", {}).text)
    Auditor(other.log, BOTH, worker="one", stopping=Event()).look()
    found = AUDITS.find(other.log, table.id, job["audit"])
    assert found is not None
    assert found["verdict"] == "valid"


def test_a_fight_that_is_still_played_is_taken_in_as_far_as_told(table: Table, elsewhere: Api) -> None:
    raw = bundle_of(played(table).gm, table)

    assert elsewhere("POST", "/v1/bundles", raw, **JSONL).status_code == 201
    table.send(table.gm, {"type": "add", "amount": 1})
    longer = elsewhere("POST", "/v1/bundles", bundle_of(table.gm, table), **JSONL)

    assert longer.status_code == 201
    assert elsewhere.get(table.at)["version"] == table.gm.get(table.at)["version"]
    is_problem(elsewhere("POST", "/v1/bundles", raw, **JSONL), 409, "encounter-exists")


def test_what_was_taken_in_takes_no_commands_and_no_seats(table: Table, elsewhere: Api) -> None:
    elsewhere("POST", "/v1/bundles", bundle_of(played(table).gm, table), **JSONL)

    for path, data in (
        ("/commands", {"type": "add", "amount": 1}),
        ("/seats", {"seat": "cy", "role": "observer"}),
    ):
        is_problem(elsewhere("POST", table.at + path, data), 409, "encounter-imported")
    is_problem(elsewhere("DELETE", table.at), 409, "encounter-imported")


def test_the_same_bundle_again_changes_nothing(table: Table, elsewhere: Api) -> None:
    raw = bundle_of(closed(table).gm, table)

    assert [elsewhere("POST", "/v1/bundles", raw, **JSONL).status_code for _ in range(2)] == [201, 200]
    assert len(elsewhere.get("/v1/encounters")["encounters"]) == 1


def test_an_encounter_that_is_played_here_is_not_overwritten(table: Table, owner: Api) -> None:
    raw = bundle_of(closed(table).gm, table)

    is_problem(owner("POST", "/v1/bundles", raw, **JSONL), 409, "encounter-exists")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda raw: raw.replace(b'\\"amount\\":3', b'\\"amount\\":4', 1), "tampered"),
        (lambda raw: raw[: len(raw) // 2], "truncated"),
        (lambda raw: raw.replace(b'"kind":"commit"', b'"kind":"kommit"', 1), "malformed"),
        (lambda _: b"", "malformed"),
    ],
)
def test_a_bundle_that_fails_is_refused_whole(
    table: Table, elsewhere: Api, change: object, code: str
) -> None:
    assert callable(change)
    raw = change(bundle_of(closed(table).gm, table))

    problem = is_problem(elsewhere("POST", "/v1/bundles", raw, **JSONL), 422, "bundle-refused")

    assert problem["code"] == code
    assert elsewhere.get("/v1/encounters")["encounters"] == []
    assert elsewhere("GET", table.at).status_code == 404


def test_a_bundle_from_which_something_is_withheld_is_not_taken_in(table: Table, elsewhere: Api) -> None:
    table.send(table.ada, {"type": "choose", "number": 7})

    problem = is_problem(
        elsewhere("POST", "/v1/bundles", bundle_of(table.gm, table), **JSONL), 422, "bundle-refused"
    )

    assert problem["code"] == "valid_as_opened"


def test_a_body_of_another_type_is_no_bundle(elsewhere: Api) -> None:
    is_problem(elsewhere("POST", "/v1/bundles", {}), 415, "unsupported-media-type")
