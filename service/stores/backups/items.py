"""Spell the items of a backup as bytes: records, schedules, encounters, files of the archive.

An item is the length of its head (4 bytes), its head (JSON, with the lengths of its values), and its values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from service.log import Payload, Record, StoredEncounter

_LENGTH_BYTES: Final = 4


@dataclass(frozen=True)
class RecordsItem:
    """Records of one collection, with their numbers."""

    collection: str
    records: Sequence[Record]


@dataclass(frozen=True)
class ScheduleItem:
    """Everything on one schedule: names, each with its time in ms."""

    schedule: str
    names: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class EncounterItem:
    """One encounter, in the store or in the archive."""

    encounter: str
    stored: StoredEncounter | None
    """What the store has of it; None if it is archived, removed, or was never opened."""
    secret: bytes | None
    """Its seeds, encrypted with the service's secret key."""
    notes: Sequence[Record]
    """Its signed checkpoints."""
    entry: bytes | None = None
    """If it is archived: what the store has in its place."""
    file: bytes | None = None
    """If it is archived: its file."""


@dataclass(frozen=True)
class FileItem:
    """Another file of the archive: the bundle of a removed encounter."""

    name: str
    raw: bytes


Item = RecordsItem | ScheduleItem | EncounterItem | FileItem


def spell(item: Item) -> bytes:
    """Return *item* as bytes."""
    head: dict[str, Any]
    match item:
        case RecordsItem():
            named = [(each.number, each.id) for each in item.records]
            head = {"kind": "records", "collection": item.collection, "records": named}
            values = [each.blob for each in item.records]
        case ScheduleItem():
            head = {"kind": "schedule", "schedule": item.schedule, "names": list(item.names)}
            values = []
        case EncounterItem():
            head, values = _encounter(item)
        case _:
            head, values = {"kind": "file", "name": item.name}, [item.raw]
    spelled = json.dumps({**head, "sizes": [len(each) for each in values]}, separators=(",", ":")).encode()
    return len(spelled).to_bytes(_LENGTH_BYTES, "big") + spelled + b"".join(values)


def read_all(raw: bytes) -> Iterator[Item]:
    """Yield the items that *raw* has; raises `ValueError`, `LookupError` or `TypeError` for other bytes."""
    place = 0
    while place < len(raw):
        start = place + _LENGTH_BYTES
        end = start + int.from_bytes(raw[place:start], "big")
        head = json.loads(raw[start:end])
        values = []
        for size in head["sizes"]:
            values.append(raw[end : end + size])
            end += size
        if end > len(raw):
            raise ValueError("the last item is cut short")
        yield _item(head, values)
        place = end


def _item(head: Mapping[str, Any], values: Sequence[bytes]) -> Item:
    kind = head["kind"]
    if kind == "records":
        named = zip(head["records"], values, strict=True)
        return RecordsItem(head["collection"], [Record(number, id_, blob) for (number, id_), blob in named])
    if kind == "schedule":
        return ScheduleItem(head["schedule"], [(name, at) for name, at in head["names"]])
    if kind == "encounter":
        return _read_encounter(head, values)
    if kind == "file":
        return FileItem(head["name"], values[0])
    raise ValueError(f"an item of the unknown kind {kind!r}")


def _encounter(item: EncounterItem) -> tuple[dict[str, Any], list[bytes]]:
    head: dict[str, Any] = {
        "kind": "encounter",
        "encounter": item.encounter,
        "notes": [(each.number, each.id) for each in item.notes],
        "has": [value is not None for value in (item.secret, item.entry, item.file)],
    }
    values = [each.blob for each in item.notes]
    values += [value for value in (item.secret, item.entry, item.file) if value is not None]
    stored = item.stored
    if stored is not None:
        head["stored"] = {
            "hash": stored.hash,
            "frontier": stored.frontier.hex(),
            "commands": len(stored.commands),
            "commits": len(stored.commits),
            "sealed": [(each.n, each.index) for each in stored.sealed],
            "keys": stored.keys,
            "marks": list(stored.marks),
        }
        values += [*stored.commands, *stored.commits, *(each.raw for each in stored.sealed)]
        values += stored.marks.values()
    return head, values


def _read_encounter(head: Mapping[str, Any], values: Sequence[bytes]) -> EncounterItem:
    left = iter(values)
    notes = [Record(number, id_, next(left)) for number, id_ in head["notes"]]
    secret, entry, file = (next(left) if is_there else None for is_there in head["has"])
    said, stored = head.get("stored"), None
    if said is not None:
        stored = StoredEncounter(
            encounter=head["encounter"],
            hash=said["hash"],
            frontier=bytes.fromhex(said["frontier"]),
            commands=list(islice(left, said["commands"])),
            commits=list(islice(left, said["commits"])),
            sealed=[Payload(n, index, next(left)) for n, index in said["sealed"]],
            keys=dict(said["keys"]),
            marks={name: next(left) for name in said["marks"]},
            derived={},
        )
    return EncounterItem(head["encounter"], stored, secret, notes, entry, file)
