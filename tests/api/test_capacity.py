"""No room: an owner's quota and the store's memory are refused before they do harm."""

from __future__ import annotations

import json

import pytest

from service.log import StoreMemory
from service.stores.capacity import USAGE_S, Usage
from service.stores.owner_quotas import StorageQuotas
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.test_metrics import operator, samples

ADD = {"type": "add", "amount": 1}


def opened(owner: Api) -> Table:
    return Table.opened(owner)


@pytest.mark.parametrize(
    ("quotas", "name"), [(StorageQuotas(commands=4), "commands"), (StorageQuotas(bytes=2_000), "bytes")]
)
def test_commands_past_an_owners_quota_are_refused_and_leave_no_trace(
    services: Services, owner: Api, quotas: StorageQuotas, name: str
) -> None:
    table = opened(owner)
    services.capacity.quotas = quotas
    answer = owner("POST", f"{table.at}/commands", ADD)
    while answer.status_code == 200 and owner.get(table.at)["appended"] < 40:
        answer = owner("POST", f"{table.at}/commands", ADD)
    appended = owner.get(table.at)["appended"]

    problem = is_problem(answer, 507, "quota-exceeded")

    assert problem["quota"] == name
    assert problem["limit"] == getattr(quotas, name)
    assert owner.get(table.at)["appended"] == appended
    closing = owner("POST", f"{table.at}/commands", {"type": "close", "reason": "to make room"})
    assert closing.status_code == 200, "closing is how room is made"


def test_encounters_past_an_owners_quota_are_refused_and_others_are_not(
    services: Services, owner: Api
) -> None:
    opened(owner)
    services.capacity.quotas = StorageQuotas(encounters=2)
    opened(owner)

    answer = owner("POST", "/v1/encounters", {"edition": "tiny@1"})

    assert is_problem(answer, 507, "quota-exceeded")["used"] == 2
    assert len(owner.get("/v1/encounters")["encounters"]) == 2, "no entry is left of what was refused"


def test_a_fork_counts(services: Services, owner: Api) -> None:
    table = opened(owner)
    services.capacity.quotas = StorageQuotas(encounters=1)

    is_problem(owner("POST", f"{table.at}/forks", {"at": 1}), 507, "quota-exceeded")


def test_a_repeat_of_what_was_appended_is_answered_past_the_quota(services: Services, owner: Api) -> None:
    table = opened(owner)
    key = {"Idempotency_Key": "once"}
    first = owner("POST", f"{table.at}/commands", ADD, **key)
    services.capacity.quotas = StorageQuotas(commands=1)

    again = owner("POST", f"{table.at}/commands", ADD, **key)

    assert (first.status_code, again.status_code) == (200, 200)
    assert json.loads(again.text)["n"] == json.loads(first.text)["n"]


def test_usage_is_the_sum_over_the_owners_encounters(services: Services, owner: Api) -> None:
    tables = [opened(owner), opened(owner)]
    name = services.encounters.find(tables[0].id).owner  # type: ignore[union-attr]  # it was opened
    usage = services.capacity.usage(name)
    sizes = services.log.sizes([table.id for table in tables])
    assert usage == Usage(2, sum(s.commands for s in sizes), sum(s.bytes for s in sizes))

    owner("POST", f"{tables[0].at}/commands", ADD)

    assert services.capacity.usage(name).commands == usage.commands + 1, "what this process appends is added"
    services.log.forget(tables[1].id)
    services.capacity.clock = lambda: services.clock() + USAGE_S
    assert services.capacity.usage(name).encounters == 1, "a removal gives its room back"


def test_a_store_that_is_nearly_full_refuses_appends_and_still_decides(
    services: Services, owner: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = opened(owner)
    monkeypatch.setattr(services.log, "memory", lambda: StoreMemory(used=90, limit=100))
    services.capacity.clock = lambda: services.clock() + 10
    before = owner.get(table.at)["appended"]

    answer = owner("POST", f"{table.at}/commands", ADD)

    is_problem(answer, 507, "store-full")
    assert answer.headers["Retry-After"] == "10"
    is_problem(owner("POST", "/v1/encounters", {"edition": "tiny@1"}), 507, "store-full")
    assert owner.get(table.at)["appended"] == before
    monkeypatch.setattr(services.log, "memory", lambda: StoreMemory(used=89, limit=100))
    services.capacity.clock = lambda: services.clock() + 20
    assert owner("POST", f"{table.at}/commands", ADD).status_code == 200


def test_metrics_show_the_memory_and_what_was_refused(
    services: Services, owner: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = opened(owner)
    monkeypatch.setattr(services.log, "memory", lambda: StoreMemory(used=5, limit=100))
    services.capacity.quotas = StorageQuotas(commands=1)
    owner("POST", f"{table.at}/commands", ADD)

    found = samples(operator(owner, services))

    assert found["rewound_store_memory_bytes", ()] == 5
    assert found["rewound_store_memory_limit_bytes", ()] == 100
    assert found["rewound_quota_refusals_total", (("quota", "commands"),)] == 1


# --- quotas of one owner ------------------------------------------------------------------------------------


def owner_id(services: Services, table: Table) -> str:
    entry = services.encounters.find(table.id)
    assert entry is not None
    return entry.owner


def test_an_owner_sees_its_usage_and_its_quotas(services: Services, owner: Api) -> None:
    table = opened(owner)
    services.capacity.quotas = StorageQuotas(commands=50)

    usage = owner.get("/v1/usage")

    assert usage["owner"] == owner_id(services, table)
    assert usage["encounters"] == {"used": 1, "limit": None}
    assert usage["commands"] == {"used": owner.get(table.at)["appended"], "limit": 50}
    is_problem(table.ada("GET", "/v1/usage"), 403, "forbidden")


def test_an_operator_gives_one_owner_other_quotas(services: Services, owner: Api) -> None:
    table = opened(owner)
    who, services.capacity.quotas = operator(owner, services), StorageQuotas(encounters=1, commands=900)
    at = f"/v1/owners/{owner_id(services, table)}"

    more = who("PATCH", f"{at}/quotas", {"encounters": 2})
    assert json.loads(more.text)["encounters"] == {"used": 1, "limit": 2}
    assert json.loads(more.text)["commands"]["limit"] == 900, "what is not sent is as in the settings"
    opened(owner)
    is_problem(owner("POST", "/v1/encounters", {"edition": "tiny@1"}), 507, "quota-exceeded")

    none = who("PATCH", f"{at}/quotas", {"commands": 0, "bytes": 1})
    assert [json.loads(none.text)[name]["limit"] for name in ("encounters", "commands", "bytes")] == [
        2,
        None,
        1,
    ]
    problem = is_problem(owner("POST", f"{table.at}/commands", ADD), 507, "quota-exceeded")
    assert (problem["quota"], problem["limit"]) == ("bytes", 1)

    assert json.loads(who("DELETE", f"{at}/quotas").text) == who.get(f"{at}/usage")
    assert who.get(f"{at}/usage")["encounters"]["limit"] == 1
    assert owner("POST", f"{table.at}/commands", ADD).status_code == 200


def test_only_an_operator_sees_and_changes_another_owner(services: Services, owner: Api) -> None:
    at = f"/v1/owners/{owner_id(services, opened(owner))}"
    for answer in (
        owner("GET", f"{at}/usage"),
        owner("PATCH", f"{at}/quotas", {"encounters": 0}),
        owner("DELETE", f"{at}/quotas"),
    ):
        is_problem(answer, 403, "forbidden")
    who = operator(owner, services)
    is_problem(who("GET", "/v1/owners/0123456789ab/usage"), 404, "not-found")
    is_problem(who("PATCH", "/v1/owners/0123456789ab/quotas", {"encounters": 1}), 404, "not-found")
    for wrong in ({"encounters": -1}, {"mb": 1}, {"commands": None}, {"bytes": True}):
        assert who("PATCH", f"{at}/quotas", wrong).status_code == 422
