"""Follow the keys of seats through a record: which key was set when, by whom, and what it spoke for.

The host, or a gm that helps it, can set, replace and put back the key of a seat. Only the record's own events
say so, so a reader must see each key and how many commands it signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from service.record.commit import Commit, Request
from service.rules.contests.acceptance import LineAccepted
from service.rules.opening import EncounterOpened
from service.rules.table.seats import SeatKeyRemoved, SeatKeySet

Data = dict[str, Any]


def keys_after(commit: Commit, keys: Mapping[str, str]) -> Mapping[str, str]:
    """Return the keys of seats after *commit*, by seat, where *keys* are those before it."""
    for event in commit.events:
        match event.get("type"):
            case SeatKeySet.type if _are_texts(event, "seat", "key"):
                keys = {**keys, event["seat"]: event["key"]}
            case SeatKeyRemoved.type if _are_texts(event, "seat"):
                keys = {seat: key for seat, key in keys.items() if seat != event["seat"]}
            case EncounterOpened.type:
                keys = {**keys, **dict(_opened(event.get("opening")))}
            case LineAccepted.type:
                keys = keys_of_seats(event.get("seats"))
            case _:
                pass
    return keys


def keys_at_end(commits: Iterable[Commit]) -> Mapping[str, str]:
    """Return the keys that *commits* leave the seats with, by seat."""
    keys: Mapping[str, str] = {}
    for commit in commits:
        keys = keys_after(commit, keys)
    return keys


def keys_of_seats(seats: object) -> Mapping[str, str]:
    """Return the keys in *seats*, an object of seats as a state has it, by seat."""
    known: Mapping[str, Any] = seats if isinstance(seats, dict) else {}
    return {
        name: seat["key"]
        for name, seat in known.items()
        if isinstance(seat, dict) and _are_texts(seat, "key")
    }


def _opened(opening: object) -> Iterator[tuple[str, str]]:
    """Yield the seats that an opening creates with a key, each with it."""
    seats = opening.get("seats") if isinstance(opening, dict) else None
    for seat in seats if isinstance(seats, list) else ():
        if isinstance(seat, dict) and _are_texts(seat, "seat", "key"):
            yield seat["seat"], seat["key"]


def _are_texts(data: Mapping[str, Any], *names: str) -> bool:
    return all(isinstance(data.get(name), str) for name in names)


def keys_of(
    commits: Sequence[Commit], requests: Sequence[Request | None], pinned: Mapping[str, str]
) -> tuple[Data, ...]:
    """Return every key that a seat had, in the order of the record and of seats: since when, and set by whom.

    Each has `seat`, `key`, `n` (the commit that set it), `by` (the seat that sent that command, None if it is
    withheld), how many `commands` of the seat it signed, and whether the reader `given` it knows it from
    elsewhere.
    """
    found: list[Data] = []
    current: dict[str, Data] = {}
    keys: Mapping[str, str] = {}
    for commit, request in zip(commits, requests, strict=True):
        sender = None if request is None else request.actor.seat
        if request is not None and request.signed is not None and sender in current:
            current[sender]["commands"] += 1
        before, keys = keys, keys_after(commit, keys)
        for seat in before.keys() - keys.keys():
            del current[seat]
        for seat, key in sorted(keys.items()):
            if before.get(seat) != key:
                made = {"seat": seat, "key": key, "n": commit.n, "by": sender, "commands": 0}
                current[seat] = made | {"given": pinned.get(seat) == key}
                found.append(current[seat])
    return tuple(found)
