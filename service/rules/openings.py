"""The parts of an opening that every ruleset shares: ids and seats, and their faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from re import compile as pattern
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias

from service.rules.kernel import values
from service.rules.kernel.hexadecimal import expected_hex, is_hex
from service.rules.kernel.records import record
from service.rules.kernel.values import Controlled, SeatId, SeatKey
from service.rules.table.seats import Role
from service.rules.table.table import GM, WATCHERS, Seat

ID: Final = pattern(values.ID)
"""Ids of creatures, seats, sides and groups; the names of rolls contain them."""

Id: TypeAlias = values.Id
Fault = tuple[str, str]
"""A fault of an opening: (JSON pointer, detail)."""


class Relation(NamedTuple):
    """What the fields of a record have to be to each other; what each may be alone, its type says."""

    pointer: str
    """Where the fault is: a JSON pointer from the record."""
    expected: str
    holds: Callable[[Any], bool]


def broken(relations: Iterable[Relation], found: object, at: str) -> Iterator[Fault]:
    """Yield those of *relations* that do not hold in the record *found*, which is at *at*."""
    for each in relations:
        if not each.holds(found):
            yield f"{at}{each.pointer}", each.expected


@record
class SeatEntry:
    """A seat that the opening creates: a player's with its creatures, an observer's or an auditor's."""

    many: ClassVar[int] = 100
    seat: SeatId
    role: Role = "player"
    """The role of the seat: `gm`, `player`, `observer` or `auditor`."""
    creatures: Controlled = ()
    key: SeatKey | None = None


def seats_of(entries: Iterable[SeatEntry]) -> dict[str, Seat]:
    """Return the first seats of an encounter: the GM's, and those of *entries*."""
    return {GM: Seat(role=GM)} | {
        entry.seat: Seat(role=entry.role, creatures=entry.creatures, key=entry.key) for entry in entries
    }


def seat_faults(entries: Sequence[SeatEntry], creatures: Iterable[str]) -> Iterator[Fault]:
    """Yield the faults of the seats in an opening that has *creatures*."""
    holders = dict.fromkeys(creatures, "")
    names: dict[str, int] = {}
    for i, seat in enumerate(entries):
        at = f"/seats/{i}"
        if seat.seat == GM or seat.seat in names:
            yield f"{at}/seat", "an id no other seat has, and not gm"
        names[seat.seat] = i
        if seat.key is not None and not is_hex(seat.key):
            yield f"{at}/key", expected_hex("a key")
        if seat.role in WATCHERS and seat.creatures:
            yield f"{at}/creatures", f"an {seat.role} controls no creature"
        for j, creature in enumerate(seat.creatures):
            if creature not in holders:
                yield f"{at}/creatures/{j}", f"one of {', '.join(holders)}"
            elif holders[creature]:
                yield f"{at}/creatures/{j}", f"{holders[creature]} controls it already"
            else:
                holders[creature] = seat.seat
