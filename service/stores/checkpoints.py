"""Store the signed checkpoints of encounters for all processes, and the latest of each.

A note is one record in the collection `checkpoints/<encounter>`, named by size and root, so that no note
replaces another. The collection `checkpoints` has the latest size and root of each encounter, so that a
response can carry it for one read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from service.log import SideStore

COLLECTION: Final = "checkpoints"
ASKED: Final = "checkpoints-asked"
"""The schedule of requested checkpoints: the encounter, and the least number of commits."""

_PAGE: Final = 200


@dataclass(frozen=True)
class TreeHead:
    """The tree of a checkpoint: its number of commits, and the root over them in hexadecimal digits."""

    size: int
    root: str


def put(store: SideStore, encounter: str, point: TreeHead, note: str, epoch: int = 1) -> None:
    """Store a signed *note* as the latest checkpoint; callers put notes by rising size.

    *epoch* is that of the dice after the checkpoint; it is used if the signed commits are lost.
    """
    put_all(store, [SignedTreeHead(encounter, point, note, epoch)])


class SignedTreeHead(NamedTuple):
    """A checkpoint of *encounter*: its signed note, and the epoch of the dice after it."""

    encounter: str
    point: TreeHead
    note: str
    epoch: int


def put_all(store: SideStore, signed: Sequence[SignedTreeHead]) -> None:
    """Store several as `put` does: all notes first, then the latest of each encounter."""
    store.put_records(
        [
            (f"{COLLECTION}/{each.encounter}", f"{each.point.size}-{each.point.root}", each.note.encode())
            for each in signed
        ]
    )
    latest = {each.encounter: each for each in signed}
    store.put_records([(COLLECTION, encounter, _to_bytes(each)) for encounter, each in latest.items()])


def _to_bytes(each: SignedTreeHead) -> bytes:
    fields = {"size": each.point.size, "root": each.point.root, "epoch": each.epoch}
    return json.dumps(fields).encode()


def read_latest(blob: bytes) -> TreeHead:
    """Return the checkpoint in a record of the collection `checkpoints`."""
    fields = json.loads(blob)
    return TreeHead(fields["size"], fields["root"])


def latest(store: SideStore, encounter: str) -> TreeHead | None:
    """Return the latest checkpoint of *encounter*; None if there is none."""
    fields = _latest(store, encounter)
    return None if fields is None else TreeHead(fields["size"], fields["root"])


def latest_of(store: SideStore, encounters: Sequence[str]) -> list[TreeHead | None]:
    """Return the latest checkpoint of each of *encounters*, read in one round trip."""
    blobs = store.records_named([(COLLECTION, each) for each in encounters])
    return [None if blob is None else read_latest(blob) for blob in blobs]


def epoch(store: SideStore, encounter: str) -> int:
    """Return the epoch after the latest checkpoint of *encounter*; 1 if there is none."""
    fields = _latest(store, encounter)
    return 1 if fields is None else int(fields["epoch"])


def _latest(store: SideStore, encounter: str) -> dict[str, Any] | None:
    blob = store.record(COLLECTION, encounter)
    return None if blob is None else json.loads(blob)


def note(store: SideStore, encounter: str, point: TreeHead) -> str | None:
    """Return the note of *point*; None if there is none."""
    blob = store.record(f"{COLLECTION}/{encounter}", f"{point.size}-{point.root}")
    return None if blob is None else blob.decode()


def page(store: SideStore, encounter: str, before: int | None, limit: int) -> list[tuple[int, str]]:
    """Return notes, the latest first, each with its number in the collection."""
    records = store.records(f"{COLLECTION}/{encounter}", before, limit)
    return [(record.number, record.blob.decode()) for record in records]


def all_notes(store: SideStore, encounter: str) -> list[str]:
    """Return every note of *encounter*, the first one first."""
    found: list[str] = []
    before = None
    while records := page(store, encounter, before, _PAGE):
        found += [text for _, text in records]
        before = records[-1][0]
    return found[::-1]


def ask(store: SideStore, encounter: str, size: int, now_ms: int) -> None:
    """Ask for a checkpoint of at least *size* commits; a worker signs it."""
    store.set_due(ASKED, [f"{encounter}/{size}"], now_ms, reschedule=False)


def asked(store: SideStore, now_ms: int, count: int) -> list[tuple[str, int]]:
    """Return up to *count* requests, the oldest first: the encounter, and the least number of commits."""
    named = [name.rpartition("/") for name in store.due(ASKED, now_ms, count)]
    return [(encounter, int(size)) for encounter, _, size in named]


def answered(store: SideStore, encounter: str, size: int) -> None:
    """Remove a request that was answered."""
    store.drop_due(ASKED, f"{encounter}/{size}")
