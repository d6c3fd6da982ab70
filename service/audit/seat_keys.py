"""Follow the keys of seats through a record: which key was set when, by whom, and what it spoke for.

The host, or a gm that helps it, can set, replace and put back the key of a seat. Only the record's own events
say so, so a reader must see each key and how many commands it signed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from service.record.commit import Commit, Request

Data = dict[str, Any]
Changes = Iterator[tuple[str, str | None]]


def changes_in(event: Mapping[str, Any]) -> Changes:
    """Yield each seat whose key *event* sets, with the key; None if the event removes it."""
    match event.get("type"):
        case "seat_key_set" if isinstance(event.get("seat"), str) and isinstance(event.get("key"), str):
            yield event["seat"], event["key"]
        case "seat_key_removed" if isinstance(event.get("seat"), str):
            yield event["seat"], None
        case "encounter_opened":
            opening = event.get("opening")
            seats = opening.get("seats") if isinstance(opening, dict) else None
            for seat in seats if isinstance(seats, list) else ():
                if isinstance(seat, dict) and all(
                    isinstance(seat.get(name), str) for name in ("seat", "key")
                ):
                    yield seat["seat"], seat["key"]
        case _:
            return


def keys_of(
    commits: Sequence[Commit], requests: Sequence[Request | None], pinned: Mapping[str, str]
) -> tuple[Data, ...]:
    """Return every key that a seat had, in the order of the record: from which commit on, and set by whom.

    Each has `seat`, `key`, `n` (the commit that set it), `by` (the seat that sent that command, None if it is
    withheld), how many `commands` of the seat it signed, and whether the reader `given` it knows it from
    elsewhere.
    """
    found: list[Data] = []
    current: dict[str, Data] = {}
    for commit, request in zip(commits, requests, strict=True):
        sender = None if request is None else request.actor.seat
        if request is not None and request.signed is not None and sender in current:
            current[sender]["commands"] += 1
        for event in commit.events:
            for seat, key in changes_in(event):
                known = current.pop(seat, None)
                if key is None:
                    continue
                if known is not None and known["key"] == key:
                    current[seat] = known
                    continue
                made = {"seat": seat, "key": key, "n": commit.n, "by": sender, "commands": 0}
                current[seat] = made | {"given": pinned.get(seat) == key}
                found.append(current[seat])
    return tuple(found)
