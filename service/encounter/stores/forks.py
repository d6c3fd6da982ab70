"""List the what-ifs of an encounter, and those of an owner: what is over is on neither list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from service.encounter.stores.register import Register, Registered
from service.log import Log

OF_PARENT: Final = "forks"
OF_OWNER: Final = "forks-of-owners"


def note(log: Log, entry: Registered) -> None:
    """Have a what-if listed, before it is open."""
    for shelf in _shelves(entry):
        log.put_record(shelf, entry.encounter, b"")


def drop(log: Log, entry: Registered) -> None:
    """List a what-if no more."""
    for shelf in _shelves(entry):
        log.drop_record(shelf, entry.encounter)


def of_parent(log: Log, register: Register, parent: str) -> list[Registered]:
    """Return the what-ifs that go on from *parent*, the newest first."""
    return list(_found(log, register, f"{OF_PARENT}/{parent}"))


def of_owner(log: Log, register: Register, owner: str) -> list[Registered]:
    """Return the what-ifs of *owner*, whoever made them, the newest first."""
    return list(_found(log, register, f"{OF_OWNER}/{owner}"))


def _shelves(entry: Registered) -> tuple[str, ...]:
    return () if entry.parent is None else (f"{OF_PARENT}/{entry.parent}", f"{OF_OWNER}/{entry.owner}")


def _found(log: Log, register: Register, shelf: str) -> Iterator[Registered]:
    before: int | None = None
    while page := log.records(shelf, before, 100):
        for record in page:
            entry = register.find(record.id)
            if entry is not None:
                yield entry
        before = page[-1].number
