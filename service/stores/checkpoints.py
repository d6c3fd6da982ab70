"""Keep the signed checkpoints of encounters where every process finds them, and know the latest of each.

A note is one record of the shelf `checkpoints/<encounter>`, named by size and root, so that none takes the
place of another; the shelf `checkpoints` has the latest size and root of each encounter, so that an answer
can carry it for the price of one look.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from service.log import SideStore

COLLECTION: Final = "checkpoints"
ASKED: Final = "checkpoints-asked"
"""The agenda of checkpoints that somebody wants: the encounter, and of how many commits at least."""

_PAGE: Final = 200


@dataclass(frozen=True)
class TreeHead:
    """A checkpoint as it is told: how many commits, the root over them in hexadecimal digits."""

    size: int
    root: str


def put(store: SideStore, encounter: str, point: TreeHead, note: str, epoch: int = 1) -> None:
    """Keep a signed *note*, and make it the latest; notes are put in the order of their sizes.

    *epoch* is that of the dice after the point, for whoever finds that what was signed is lost.
    """
    put_all(store, [SignedTreeHead(encounter, point, note, epoch)])


class SignedTreeHead(NamedTuple):
    """A checkpoint of *encounter*: its signed note, and the epoch of the dice after it."""

    encounter: str
    point: TreeHead
    note: str
    epoch: int


def put_all(store: SideStore, signed: Sequence[SignedTreeHead]) -> None:
    """Keep several, as `put` does each: all notes first, then which of each encounter is the latest."""
    store.put_records(
        [
            (f"{COLLECTION}/{each.encounter}", f"{each.point.size}-{each.point.root}", each.note.encode())
            for each in signed
        ]
    )
    latest = {each.encounter: each for each in signed}
    store.put_records([(COLLECTION, encounter, _told(each)) for encounter, each in latest.items()])


def _told(each: SignedTreeHead) -> bytes:
    told = {"size": each.point.size, "root": each.point.root, "epoch": each.epoch}
    return json.dumps(told).encode()


def read_latest(blob: bytes) -> TreeHead:
    """Return the checkpoint that a record of the shelf `checkpoints` tells."""
    told = json.loads(blob)
    return TreeHead(told["size"], told["root"])


def latest(store: SideStore, encounter: str) -> TreeHead | None:
    """Return the latest checkpoint of *encounter*, None if there is none."""
    told = _latest(store, encounter)
    return None if told is None else TreeHead(told["size"], told["root"])


def latest_of(store: SideStore, encounters: Sequence[str]) -> list[TreeHead | None]:
    """Return the latest checkpoint of each of *encounters*, read in one round trip."""
    blobs = store.records_named([(COLLECTION, each) for each in encounters])
    return [None if blob is None else read_latest(blob) for blob in blobs]


def epoch(store: SideStore, encounter: str) -> int:
    """Return the epoch after the latest checkpoint of *encounter*, 1 where none is known."""
    told = _latest(store, encounter)
    return 1 if told is None else int(told["epoch"])


def _latest(store: SideStore, encounter: str) -> dict[str, Any] | None:
    blob = store.record(COLLECTION, encounter)
    return None if blob is None else json.loads(blob)


def note(store: SideStore, encounter: str, point: TreeHead) -> str | None:
    """Return the note of *point*, None if there is none."""
    blob = store.record(f"{COLLECTION}/{encounter}", f"{point.size}-{point.root}")
    return None if blob is None else blob.decode()


def page(store: SideStore, encounter: str, before: int | None, limit: int) -> list[tuple[int, str]]:
    """Return notes, the latest first, each with its number on the shelf."""
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
    """Return up to *count* requests, the oldest first: the encounter, and of how many commits at least."""
    named = [name.rpartition("/") for name in store.due(ASKED, now_ms, count)]
    return [(encounter, int(size)) for encounter, _, size in named]


def answered(store: SideStore, encounter: str, size: int) -> None:
    """Note that a request was answered."""
    store.drop_due(ASKED, f"{encounter}/{size}")
