"""Simulations over HTTP: checked like an opening, played by a worker, told to their owner alone."""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from service.rules.registry import REGISTRY
from service.simulation.fights import play
from service.stores import api_keys
from service.usecases.services import Services
from tests.api.client import Api, is_problem
from workers.periodic import WorkerStopped
from workers.simulations import Simulator

PATH = "/v1/simulations"
FIGHT = Path(__file__).parents[2] / "examples" / "mutual-kill.json"


@pytest.fixture
def opening() -> dict[str, Any]:
    found: dict[str, Any] = next(iter(json.loads(FIGHT.read_text("utf-8"))["forms"].values()))["opening"]
    return found


def simulator(services: Services, stopping: Event | None = None) -> Simulator:
    return Simulator(services.log, REGISTRY, worker="one", stopping=stopping or Event())


def test_its_fights_are_those_of_the_same_seed_on_the_command_line(
    owner: Api, services: Services, opening: dict[str, Any]
) -> None:
    asked = owner("POST", PATH, {"opening": opening, "times": 2, "seed": "x"}, Idempotency_Key="k")
    assert (asked.status_code, asked.json["status"]) == (202, "pending")  # type: ignore[index]  # it is JSON
    simulator(services).look()

    answer = owner.get(asked.headers["Location"])

    assert (answer["status"], answer["progress"]["done"], answer["progress"]["of"]) == ("done", 2, 2)
    alone = [play(REGISTRY, opening, f"x/{number}").data() for number in range(2)]
    assert answer["fights"] == [{"fight": number, **fight} for number, fight in enumerate(alone)]
    assert sum(answer["winners"].values()) == 2
    assert owner.get("/v1/encounters")["encounters"] == []


def test_a_repeat_is_the_same_job_and_another_request_none(owner: Api, opening: dict[str, Any]) -> None:
    data = {"opening": opening, "times": 1}
    first = owner("POST", PATH, data, Idempotency_Key="k")
    again = owner("POST", PATH, data, Idempotency_Key="k")

    assert json.loads(again.text) == json.loads(first.text)
    assert again.headers["Idempotency-Replayed"] == "true"
    other = owner("POST", PATH, {**data, "times": 2}, Idempotency_Key="k")
    is_problem(other, 422, "idempotency-key-reused")


def test_a_simulation_is_its_owners(owner: Api, services: Services, opening: dict[str, Any]) -> None:
    at = owner("POST", PATH, {"opening": opening}).headers["Location"]
    stranger = owner.with_token(api_keys.create(services.log, "stranger", time.time())[0])

    is_problem(stranger("GET", at), 404, "not-found")
    assert "opening" not in owner.get(at)


def test_an_opening_that_is_wrong_is_refused_with_its_place(owner: Api, opening: dict[str, Any]) -> None:
    faulty = {
        "/opening/edition": {"edition": "chess@1"},
        "/opening/creatures": {name: value for name, value in opening.items() if name != "creatures"},
        "/opening/seeding/mode": {**opening, "seeding": {"mode": "mixed", "seats": ["zoe"]}},
    }
    for pointer, given in faulty.items():
        problem = is_problem(owner("POST", PATH, {"opening": given}), 422, "invalid")
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
    is_problem(owner("POST", PATH, {"opening": opening, "times": 101}), 422, "invalid")
    is_problem(owner("POST", PATH, {"times": 1}), 422, "invalid")


def test_what_a_worker_left_undone_another_begins_anew(
    owner: Api, services: Services, opening: dict[str, Any]
) -> None:
    at = owner("POST", PATH, {"opening": opening}).headers["Location"]
    stopping = Event()
    stopping.set()

    with pytest.raises(WorkerStopped):
        simulator(services, stopping).look()
    assert owner.get(at)["status"] == "pending"

    simulator(services).look()
    assert owner.get(at)["status"] == "done"


def test_a_fault_is_told_to_who_asked(
    owner: Api, services: Services, opening: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = owner("POST", PATH, {"opening": opening}).headers["Location"]
    monkeypatch.setattr("workers.simulations.play", lambda *_: 1 / 0)

    simulator(services).look()

    answer = owner.get(at)
    assert (answer["status"], answer["fault"]) == ("failed", "it could not be played: ZeroDivisionError")


def test_an_empty_seed_is_refused(owner: Api, opening: dict[str, Any]) -> None:
    """A13: its fights had the seeds `/0`, `/1` and so on."""
    problem = is_problem(owner("POST", PATH, {"opening": opening, "seed": ""}), 422, "invalid")
    assert [each["pointer"] for each in problem["errors"]] == ["/seed"]


def test_so_many_simulations_of_one_owner_wait_and_no_more(
    owner: Api, services: Services, opening: dict[str, Any]
) -> None:
    data = {"opening": opening, "times": 1, "commands": 1}
    other = owner.with_token(api_keys.create(services.log, "other", time.time())[0])
    for number in range(8):
        assert owner("POST", PATH, data, Idempotency_Key=f"k{number}").status_code == 202

    full = owner("POST", PATH, data, Idempotency_Key="k8")

    is_problem(full, 429, "too-many-simulations")
    assert int(full.headers["Retry-After"]) > 0
    assert owner("POST", PATH, data, Idempotency_Key="k7").status_code == 202, "a repeat is answered"
    assert other("POST", PATH, data).status_code == 202

    simulator(services).look()

    assert owner("POST", PATH, data, Idempotency_Key="k8").status_code == 202
