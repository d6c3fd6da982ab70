"""A fight is counted and listed once, however many lines of play it has, and owns the bytes of all."""

from __future__ import annotations

import json

from service.log import Log
from service.stores.capacity import Capacity
from service.stores.encounter_index import EncounterIndex
from service.stores.owner_quotas import StorageQuotas
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.test_amendments import ADD, accepted, did, made
from tests.api.test_lines import undone


def owner_of(services: Services, table: Table) -> str:
    entry = services.encounters.find(table.id)
    assert entry is not None
    return entry.owner


def counted(log: Log, owner: str) -> Capacity:
    """Return what a process counts that has counted nothing before."""
    return Capacity(log, EncounterIndex(log), lambda: 0.0)


def abandoned(owner: Api) -> int:
    """Return what the dice of a new encounter say of the owner's earlier ones."""
    table = Table.opened(owner)
    number: int = owner.get(f"{table.at}/state")["state"]["dice"]["abandoned_before"]
    return number


def lines_of(table: Table, log: Log) -> list[str]:
    return [each["line"] for each in table.gm.get(f"{table.at}/lines")["lines"]]


def test_a_fight_with_lines_is_one_encounter_of_its_owner_with_the_bytes_of_all(
    table: Table, services: Services, log: Log
) -> None:
    did(table, ADD, ADD, ADD)
    owner = owner_of(services, table)
    before = counted(log, owner).usage(owner)
    undone(table, 4)
    did(table, ADD)
    made(table.gm("POST", f"{table.at}/redo", {"preview": True}), 409)
    made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))

    used = counted(log, owner).usage(owner)
    lines = lines_of(table, log)
    assert used.encounters == before.encounters == 1
    assert used.bytes == sum(size.bytes for size in log.sizes(lines)) > before.bytes
    first, *later = (log.commits(line, 0, 100) for line in lines)
    own = [
        sum(json.loads(each.raw)["encounter"] == line for each in commits)
        for line, commits in zip(lines[1:], later, strict=True)
    ]
    assert used.commands == len(first) + sum(own)


def test_an_owner_at_the_limit_of_encounters_can_undo_and_rule(
    table: Table, services: Services, log: Log
) -> None:
    services.capacity.quotas = StorageQuotas(encounters=1)
    did(table, ADD, ADD)
    for _ in range(3):
        undone(table, 4)
        did(table, ADD)
    assert counted(log, owner_of(services, table)).usage(owner_of(services, table)).encounters == 1
    is_problem(table.gm("POST", "/v1/encounters", {"edition": "tiny@1"}), 507, "quota-exceeded")


def test_a_fight_is_listed_once_and_abandoned_once_whoever_accepts_and_how(owner: Api, table: Table) -> None:
    """The command `accept_amendment` is the same acceptance as the request."""
    assert abandoned(owner) == 1
    did(table, ADD, ADD)
    for kind in ("request", "command"):
        proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True}))
        if kind == "request":
            accepted(table, proposal)
        else:
            assert table.send(table.gm, proposal["acceptance"]).status_code == 200
        listed = [each for each in owner.get("/v1/encounters")["encounters"] if each["encounter"] == table.id]
        assert [each["line"] for each in listed] == [proposal["line"]], kind
        assert listed[0]["status"] == "open"
        did(table, ADD)
    assert abandoned(owner) == 2, "the fight that goes on is not finished by its undos"
