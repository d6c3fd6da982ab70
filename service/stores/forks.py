"""List the what-ifs of an encounter, and those of an owner: what is over is on neither list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from service.log import Log
from service.stores.encounter_index import EncounterEntry, EncounterIndex

OF_PARENT: Final = "forks"
OF_OWNER: Final = "forks-of-owners"


def add(log: Log, entry: EncounterEntry) -> None:
    """Have a what-if listed, before it is open."""
    for shelf in _shelves(entry):
        log.put_record(shelf, entry.encounter, b"")


def drop(log: Log, entry: EncounterEntry) -> None:
    """List a what-if no more."""
    for shelf in _shelves(entry):
        log.drop_record(shelf, entry.encounter)


def of_parent(log: Log, register: EncounterIndex, parent: str) -> list[EncounterEntry]:
    """Return the what-ifs that go on from *parent*, the newest first."""
    return list(_found(log, register, f"{OF_PARENT}/{parent}"))


def of_owner(log: Log, register: EncounterIndex, owner: str) -> list[EncounterEntry]:
    """Return the what-ifs of *owner*, whoever made them, the newest first."""
    return list(_found(log, register, f"{OF_OWNER}/{owner}"))


def _shelves(entry: EncounterEntry) -> tuple[str, ...]:
    return () if entry.parent is None else (f"{OF_PARENT}/{entry.parent}", f"{OF_OWNER}/{entry.owner}")


def _found(log: Log, register: EncounterIndex, shelf: str) -> Iterator[EncounterEntry]:
    before: int | None = None
    while page := log.records(shelf, before, 100):
        for record in page:
            entry = register.find(record.id)
            if entry is not None:
                yield entry
        before = page[-1].number
