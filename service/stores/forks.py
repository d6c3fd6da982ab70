"""List the forks of an encounter and of an owner, except those that are over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from service.log import SideStore
from service.stores.encounter_index import EncounterEntry, EncounterIndex

OF_PARENT: Final = "forks"
OF_OWNER: Final = "forks-of-owners"


def add(store: SideStore, entry: EncounterEntry) -> None:
    """List a fork; called before it is opened."""
    for collection in _collections(entry):
        store.put_record(collection, entry.encounter, b"")


def drop(store: SideStore, entry: EncounterEntry) -> None:
    """Remove a fork from both lists."""
    for collection in _collections(entry):
        store.drop_record(collection, entry.encounter)


def of_parent(store: SideStore, register: EncounterIndex, parent: str) -> list[EncounterEntry]:
    """Return the forks of *parent*, the newest first."""
    return list(_found(store, register, f"{OF_PARENT}/{parent}"))


def of_owner(store: SideStore, register: EncounterIndex, owner: str) -> list[EncounterEntry]:
    """Return the forks of *owner*'s encounters, over all makers, the newest first."""
    return list(_found(store, register, f"{OF_OWNER}/{owner}"))


def _collections(entry: EncounterEntry) -> tuple[str, ...]:
    return () if entry.parent is None else (f"{OF_PARENT}/{entry.parent}", f"{OF_OWNER}/{entry.owner}")


def _found(store: SideStore, register: EncounterIndex, collection: str) -> Iterator[EncounterEntry]:
    before: int | None = None
    while page := store.records(collection, before, 100):
        for record in page:
            entry = register.find(record.id)
            if entry is not None:
                yield entry
        before = page[-1].number
