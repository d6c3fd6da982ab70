"""A player's refusals do not fill the record of its gm: some are not recorded, the others have a limit."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from service.log import Outcome
from service.usecases.refusals import WINDOW_S, SeatRefusals, TooManyRefusals
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.test_refused import Fight
from tests.support.waiting import until

BAD = {"type": "add", "amount": 99}


@pytest.fixture
def table(owner: Api) -> Table:
    return Table.opened(owner)


def test_a_seat_that_was_refused_too_much_is_stopped_and_its_gm_is_not(
    services: Services, table: Table
) -> None:
    services.refusals.most = 3
    for _ in range(3):
        is_problem(table.send(table.ada, BAD), 409, "command-refused")
    until(lambda: services.refusals.count(table.id, "ada") == 3)
    appended = table.gm.get(table.at)["appended"]

    refused = table.send(table.ada, BAD, Idempotency_Key="k4")

    problem = is_problem(refused, 429, "too-many-refusals")
    assert (problem["quota"], problem["limit"]) == ("refusals", 3)
    assert 0 < int(refused.headers["Retry-After"]) <= WINDOW_S
    assert table.gm.get(table.at)["appended"] == appended, "nothing of it is recorded"
    for _ in range(4):
        is_problem(table.send(table.gm, BAD), 409, "command-refused")
    is_problem(table.send(table.bo, BAD), 409, "command-refused")


def test_an_array_counts_each_refused_command_also_if_nobody_waits_for_it(
    services: Services, table: Table
) -> None:
    services.refusals.most = 4
    sent = table.send(table.ada, [BAD] * 4, Prefer="respond-async", Idempotency_Key="k1")
    assert sent.status_code in {200, 202}
    until(lambda: services.refusals.count(table.id, "ada") == 4)

    is_problem(table.send(table.ada, BAD), 429, "too-many-refusals")
    again = table.send(table.ada, [BAD] * 4, Prefer="wait=20", Idempotency_Key="k1")
    assert again.status_code == 200, "a repeat appends nothing"


def outcome(n: int, what: str) -> Outcome:
    return Outcome("e1", n, json.dumps({"outcome": what}, separators=(",", ":")).encode())


@pytest.fixture
def spelled_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read commits that have an outcome alone."""
    monkeypatch.setattr(
        "service.usecases.refusals.load_commit", lambda raw: SimpleNamespace(**json.loads(raw))
    )


@pytest.mark.usefixtures("spelled_short")
def test_a_refusal_that_is_heard_before_its_sender_is_noted_counts_once() -> None:
    """A worker may decide a command before the process that appended it goes on."""
    counted = SeatRefusals(lambda: 100.0)
    counted.hear(outcome(1, "refused"))
    counted.hear(outcome(3, "refused"))
    counted.sent("e1", "ada", 1, 2)
    counted.hear(outcome(2, "refused"))

    assert counted.count("e1", "ada") == 2
    assert counted.count("e1", "bo") == 0


@pytest.mark.usefixtures("spelled_short")
def test_a_minute_begins_with_the_first_refusal_and_ends() -> None:
    now = [100.0]
    counted = SeatRefusals(lambda: now[0])
    counted.most = 2
    counted.sent("e1", "ada", 1, 4)
    for n, what in ((1, "refused"), (2, "accepted"), (3, "refused"), (9, "refused")):
        counted.hear(outcome(n, what))

    with pytest.raises(TooManyRefusals) as refused:
        counted.check("e1", "ada")
    assert refused.value.seconds == WINDOW_S
    counted.check("e1", "bo")
    counted.check("e2", "ada")
    now[0] += WINDOW_S
    counted.check("e1", "ada")
    counted.hear(outcome(4, "refused"))
    counted.check("e1", "ada")


@pytest.mark.parametrize(("creature", "code"), [("orc", "not_your_creature"), ("nobody", "no_such_creature")])
@pytest.mark.parametrize("as_array", [False, True])
def test_a_command_for_a_creature_that_is_not_the_seats_is_not_recorded(
    owner: Api, creature: str, code: str, *, as_array: bool
) -> None:
    fight = Fight(owner)
    before = owner.get(fight.at)["appended"]
    command: Any = {"type": "pass", "creature": creature}

    answer = fight.send("zoe", [command, command] if as_array else command)

    problem = is_problem(answer, 409, "command-refused")
    assert (problem["code"], problem["rule"]) == (code, "TABLE-SEAT-1")
    assert "n" not in problem
    assert owner.get(fight.at)["appended"] == before
    answer = fight.send("gm", {"type": "pass", "creature": "pia"})
    assert "n" in is_problem(answer, 409, "command-refused"), "what the gm is refused is recorded"
