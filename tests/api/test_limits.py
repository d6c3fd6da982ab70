"""Each kind of thing that a request leaves behind has a limit, in one table, and a stable code above it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.api.limits import LIMITS, Limit, sentence
from service.api.problems import PROBLEMS
from service.log import IdempotencyKey, Log
from service.settings import Settings
from service.stores import api_keys, jobs
from service.stores.jobs import DONE, PENDING, SIMULATIONS
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"
READS = ("get", "head", "parameters")
REFUSALS = ("too_many_contests", "too_many_seats")
KEYS = "/v1/api-keys"


def rows() -> list[tuple[str, Limit]]:
    return [(id_, each) for id_, found in LIMITS.items() if not isinstance(found, str) for each in found]


def test_every_operation_that_changes_something_has_its_limits_or_a_reason() -> None:
    document: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())
    changing = {
        operation["operationId"]: operation["description"]
        for methods in document["paths"].values()
        for method, operation in methods.items()
        if method not in READS
    }
    assert changing.keys() == LIMITS.keys()
    for id_, description in changing.items():
        assert LIMITS[id_], f"{id_} has neither a limit nor a reason"
        assert sentence(id_) in " ".join(description.split()), id_


def test_the_text_of_each_problem_names_the_figure() -> None:
    for id_, limit in rows():
        if limit.setting:
            assert getattr(Settings(), limit.setting.removeprefix("REWOUND_").lower()) == limit.most
        elif limit.code and limit.code not in REFUSALS:
            assert f" {limit.most:,} " in PROBLEMS[limit.code].text, (id_, limit.code)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    for module in (api_keys, jobs):
        monkeypatch.setattr(module, "KEPT", 3)
    monkeypatch.setattr(api_keys, "MOST", 3)
    return 3


def test_an_owner_has_so_many_valid_keys_and_ending_one_makes_room(owner: Api, few: int) -> None:
    made = [json.loads(owner("POST", KEYS, {"name": "bot"}).text)["key"] for _ in range(few - 1)]
    repeated = [owner("POST", KEYS, {"name": "last"}, Idempotency_Key="k") for _ in range(2)]

    assert [each.status_code for each in repeated] == [409, 409]
    assert is_problem(repeated[0], 409, "too-many-api-keys")["limit"] == few
    is_problem(owner("POST", f"{KEYS}/{made[0]}/rotation", {}), 409, "too-many-api-keys")
    owner("DELETE", f"{KEYS}/{made[0]}")
    assert owner("POST", KEYS, {"name": "last"}, Idempotency_Key="k").status_code == 201
    assert owner("POST", KEYS, {"name": "last"}, Idempotency_Key="k").status_code == 201


def test_keys_that_ended_are_forgotten_the_oldest_first_and_never_the_owners_first(
    owner: Api, services: Services, few: int
) -> None:
    first = owner.get(KEYS)["keys"][0]["key"]
    ended = []
    for _ in range(2 * few):
        ended.append(json.loads(owner("POST", KEYS, {"name": "bot"}).text)["key"])
        owner("DELETE", f"{KEYS}/{ended[-1]}")
    owner("POST", KEYS, {"name": "bot"})

    known = [each["key"] for each in owner.get(KEYS)["keys"]]
    assert known[1:] == [*reversed(ended[-few:]), first]
    assert [key for key in ended if api_keys.known(services.log, key) is not None] == ended[-few:]


def test_jobs_that_are_over_are_forgotten_and_those_that_wait_are_not(log: Log, few: int) -> None:
    def ask(number: int, status: str) -> str:
        once = IdempotencyKey("owner", str(number), "")
        job, _ = SIMULATIONS.ask(log, "ada", once, {}, 0)
        SIMULATIONS.put(log, job | {"status": status})
        return str(job["simulation"])

    waiting = ask(0, PENDING)
    over = [ask(number, DONE) for number in range(1, 3 * few)]

    kept = [job["simulation"] for _, job in SIMULATIONS.listed(log, "ada", None, 100)]
    assert kept == [*reversed(over[-few:]), waiting]


def test_an_encounter_has_so_many_seats(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seats = len(table.gm.get(f"{table.at}/seats")["seats"])
    monkeypatch.setattr("service.rules.table.seats.MOST_SEATS", seats + 1)
    new = [{"seat": f"new-{i}", "role": "observer"} for i in range(2)]

    assert table.gm("POST", f"{table.at}/seats", new[0]).status_code == 201
    table.gm("DELETE", f"{table.at}/seats/new-0")
    problem = is_problem(table.gm("POST", f"{table.at}/seats", new[1]), 409, "command-refused")

    assert problem["code"] == "too_many_seats"
    assert str(seats + 1) in problem["detail"]
