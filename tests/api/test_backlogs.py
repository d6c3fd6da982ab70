"""Too many undecided commands: refused with figures, without a trace, and for a seat before its gm."""

from __future__ import annotations

import pytest

from service.stores import backlogs
from service.usecases import sending
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import Worker

ADD = {"type": "add", "amount": 1}
CHOOSE = {"type": "choose", "number": 1}


@pytest.fixture
def table(owner: Api, worker: Worker) -> Table:
    """Give a table at which nothing is decided any more."""
    made = Table.opened(owner)
    worker.pause()
    return made


def test_commands_past_the_bound_of_an_encounter_are_refused_until_some_are_decided(
    table: Table, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "OF_ENCOUNTER", 3)
    first = table.send(table.gm, [ADD, ADD, ADD], Prefer="respond-async", Idempotency_Key="k1")
    assert first.status_code == 202

    refused = table.send(table.gm, ADD, Idempotency_Key="k2")

    problem = is_problem(refused, 429, "too-many-undecided")
    assert (problem["used"], problem["limit"], refused.headers["Retry-After"]) == (3, 3, "1")
    again = table.send(table.gm, [ADD, ADD, ADD], Prefer="respond-async", Idempotency_Key="k1")
    assert again.status_code == 202, "a repeat appends nothing"
    worker.go_on()
    table.send(table.gm, [ADD, ADD, ADD], Prefer="wait=20", Idempotency_Key="k1")
    taken = table.send(table.gm, ADD, Idempotency_Key="k2", Prefer="wait=20")
    assert taken.status_code == 200, "the refused key was not used"


def test_a_seat_that_sends_too_much_leaves_room_for_its_gm(
    table: Table, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "OF_SEATS", 2)
    seat = table.ada
    for _ in range(2):
        assert table.send(seat, ADD, Prefer="respond-async").status_code == 202

    assert is_problem(table.send(seat, ADD), 429, "too-many-undecided")["limit"] == 2
    assert table.send(table.gm, ADD, Prefer="respond-async").status_code == 202
    worker.go_on()


def test_commands_past_the_bound_of_an_owner_are_refused_in_all_its_encounters(
    services: Services, owner: Api, table: Table, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.go_on()
    other = Table.opened(owner)
    worker.pause()
    monkeypatch.setattr(backlogs, "OF_OWNER", 4)
    for each in (table, other):
        assert each.send(each.gm, [ADD, ADD], Prefer="respond-async").status_code == 202

    assert is_problem(other.send(other.gm, ADD), 429, "too-many-undecided")["limit"] == 4
    worker.go_on()
