"""How long a fork lives, and that nothing but the fork dies with it."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Event

import pytest

from service.api.app import create_app
from service.audit.signing_memory import SigningMemory
from service.log import Log
from service.stores.encounter_index import GRACE_S
from service.stores.expired_forks import delete_expired
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import Worker
from tests.api.test_amendments import ADD, ROLL, did, made
from tests.api.test_forks import forked
from workers.forgetting import ForkExpiry

DAY_S = 86_400
LATER_S = 30 * DAY_S + 1


@pytest.fixture
def later(services: Services, table: Table) -> Api:
    """Give the gm of *table* as the service answers 30 days later."""
    return Api(create_app(replace(services, clock=lambda: time.time() + LATER_S)), table.gm.token)


def swept(log: Log) -> list[str]:
    """Return what is forgotten as soon as it may be."""
    return delete_expired(log, time.time() + LATER_S + GRACE_S)


def keys_of(log: Log, encounter: str) -> tuple[object, ...]:
    """Return everything that the log keeps of an encounter."""
    return (
        log.head(encounter),
        log.commands(encounter, 0, 99),
        log.commits(encounter, 0, 99),
        log.sealed(encounter, 0, 99),
        log.marks(encounter),
        log.secret(encounter),
        log.state(encounter),
    )


def test_TABLE_LINE_2_a_fork_answers_410_from_its_end_on_and_is_deleted(
    table: Table, later: Api, log: Log, worker: Worker
) -> None:
    did(table, ROLL, ADD)
    made(table.gm("POST", f"{table.at}/checkpoints"), 200)
    fork = forked(table.gm, table, 4, ADD)
    at = f"/v1/encounters/{fork['encounter']}"
    table.gm.get(f"{at}/state?min_version=2")
    made(table.gm("POST", f"{at}/audits"), 202)
    parent = keys_of(log, table.id)

    problem = is_problem(later("GET", f"{at}/state"), 410, "fork-expired")
    assert fork["expires"] in problem["detail"]
    assert swept(log) == [fork["encounter"]]
    assert swept(log) == []

    assert keys_of(log, fork["encounter"]) == (None, [], [], [], {}, None, None)
    assert log.records(f"audits/{fork['encounter']}") == []
    assert log.due("audits", 2**53, 10) == []
    assert keys_of(log, table.id) == parent
    for method, address in (
        ("GET", at),
        ("GET", f"{at}/commits"),
        ("GET", f"{at}/bundle"),
        ("POST", f"{at}/commands"),
        ("GET", f"{table.at}/diff?start=4&other={fork['encounter']}"),
    ):
        is_problem(later(method, address, ADD if method == "POST" else None), 410, "fork-expired")
    assert later.get(table.at)["version"] == 5


def test_a_fork_that_expired_is_no_longer_listed_and_not_made_again(
    table: Table, later: Api, log: Log
) -> None:
    did(table, ROLL)
    body = {"at": 4, "commands": []}
    fork = made(table.gm("POST", f"{table.at}/forks", body, Idempotency_Key="what-if"))["encounter"]
    listed = [each["encounter"] for each in table.gm.get("/v1/encounters")["encounters"]]
    assert {fork, table.id} <= set(listed)

    for _ in range(2):
        assert [e["encounter"] for e in later.get("/v1/encounters")["encounters"]] == [table.id]
        again = later("POST", f"{table.at}/forks", body, Idempotency_Key="what-if")
        is_problem(again, 410, "fork-expired")
        swept(log)


def test_a_line_that_goes_on_from_a_fork_ends_with_it(table: Table, later: Api, log: Log) -> None:
    did(table, ROLL)
    fork = forked(table.gm, table, 4, ADD)["encounter"]
    at = f"/v1/encounters/{fork}"
    table.gm.get(f"{at}/state?min_version=2")
    proposed = made(table.gm("POST", f"{at}/undo", {"to": 1, "reason": "no", "preview": True}))
    line = proposed["line"]
    assert log.head(line) is not None

    assert set(swept(log)) == {fork, line}
    assert log.head(line) is None
    is_problem(later("GET", at), 410, "fork-expired")


def test_how_long_a_fork_lives_is_set_and_its_seat_goes_with_it(
    services: Services, table: Table, log: Log
) -> None:
    did(table, ROLL, {"type": "close", "reason": "enough"})
    short = create_app(replace(services, fork_days=1))
    fork = made(Api(short, table.ada.token)("POST", f"{table.at}/forks", {"at": 4}))
    at = f"/v1/encounters/{fork['encounter']}/state"
    now = time.time()
    day = Api(create_app(replace(services, clock=lambda: now + DAY_S + 1)), fork["token"])
    assert Api(short, fork["token"])("GET", at).status_code == 200
    is_problem(day("GET", at), 410, "fork-expired")
    assert delete_expired(log, now + DAY_S - 1) == []
    assert delete_expired(log, now + DAY_S + GRACE_S + 2) == [fork["encounter"]]


def test_a_worker_forgets_what_is_due_and_what_it_signed_of_it(
    table: Table, log: Log, worker: Worker
) -> None:
    did(table, ROLL)
    fork = forked(table.gm, table, 4, {"type": "end_round"})["encounter"]
    table.gm.get(f"/v1/encounters/{fork}/state?min_version=2")
    signing_memory = worker.signing_memory
    assert isinstance(signing_memory, SigningMemory)
    ends = time.monotonic() + 30
    while log.record("checkpoints", fork) is None:  # written last of what a signature leaves
        assert time.monotonic() < ends, "nothing of the fork was signed"
        time.sleep(0.01)
    assert signing_memory.seen(fork) is not None
    worker.stop()  # what it signs is told after it is remembered: nobody may be at it yet

    forgetting = ForkExpiry(log, Event(), signing_memory.forget, lambda: time.time() + LATER_S + GRACE_S)
    forgetting.look()

    assert (signing_memory.seen(fork), log.head(fork), log.record("checkpoints", fork)) == (None, None, None)
    assert log.head(table.id) is not None
