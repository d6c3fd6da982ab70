"""Store the public log: its entries in order, the hashes of its tiles, its checkpoints.

One log is for the whole service. Entries are proposed on a schedule and appended by a worker
(`service.audit.log_writer`). An entry's id is its leaf hash, so the same statement stands there once, however
often it is proposed. Every append is a compare-and-set on the number of entries.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Final

from service.log import SideStore
from service.record.log_entries import LogEntry, leaf_hash

ENTRIES: Final = "public-log"
"""Entries by leaf hash: the index in 8 bytes, then the entry's bytes."""
INDEX: Final = "public-log-of"
"""Of each encounter: its entries, by leaf hash, with their index as text."""
TILES: Final = "public-log-tiles"
"""Of each level from 1 on: the roots of full tiles of the level below, in order."""
CHECKPOINTS: Final = "public-log-checkpoints"
"""Signed notes by size; cosignatures are added to them."""
WITNESSES: Final = "public-log-witnesses"
"""By a witness's name: what is known of it, as JSON."""
PENDING: Final = "public-log-pending"
"""The schedule of proposed entries."""

WIDTH: Final = 256
_INDEX_BYTES: Final = 8
_RECENT: Final = 16
_PAGE: Final = 200


class PublicLog:
    """The public log in *store*."""

    def __init__(self, store: SideStore) -> None:
        self._store = store

    # --- proposing -----------------------------------------------------------------------------------

    def propose(self, entries: Sequence[LogEntry]) -> None:
        """Ask for *entries* to be appended; an entry that was proposed or appended before stays once."""
        if entries:
            texts = [entry.to_bytes().decode() for entry in entries]
            self._store.set_due(PENDING, texts, int(time.time() * 1000), reschedule=False)

    def proposed(self, count: int) -> list[bytes]:
        """Return up to *count* proposed entries, the oldest proposal first."""
        return [text.encode() for text in self._store.due(PENDING, int(time.time() * 1000), count)]

    def settle(self, raw: bytes) -> None:
        """Drop the proposal of an entry that is in the log."""
        self._store.drop_due(PENDING, raw.decode())

    # --- entries -------------------------------------------------------------------------------------

    def size(self) -> int:
        """Return the number of entries."""
        return self._last(ENTRIES)

    def missing(self, entries: Iterable[bytes]) -> list[bytes]:
        """Return those of *entries* that are not in the log."""
        listed = list(dict.fromkeys(entries))
        found = self._store.records_named([(ENTRIES, leaf_hash(raw).hex()) for raw in listed])
        return [raw for raw, blob in zip(listed, found, strict=True) if blob is None]

    def append(self, size: int, entries: Sequence[bytes]) -> bool:
        """Append new *entries* if the log has *size* of them, and return whether it had."""
        records = [
            (leaf_hash(raw).hex(), at.to_bytes(_INDEX_BYTES, "big") + raw)
            for at, raw in enumerate(entries, size)
        ]
        return self._store.append_records(ENTRIES, size, records)

    def index(self, entries: Iterable[tuple[str, bytes]]) -> None:
        """List appended entries, each given with its encounter, among those of the encounter."""
        listed = [(encounter, leaf_hash(raw).hex()) for encounter, raw in entries]
        found = self._store.records_named([(ENTRIES, id_) for _, id_ in listed])
        self._store.put_records(
            [
                (f"{INDEX}/{encounter}", id_, str(int.from_bytes(blob[:_INDEX_BYTES], "big")).encode())
                for (encounter, id_), blob in zip(listed, found, strict=True)
                if blob is not None
            ]
        )

    def entries(self, start: int, end: int) -> list[bytes]:
        """Return the entries from *start* to before *end*, as many of them as there are."""
        found = self._store.records(ENTRIES, end + 1, end - start) if end > start else []
        return [record.blob[_INDEX_BYTES:] for record in reversed(found)]

    def of(self, encounter: str) -> list[tuple[int, bytes]]:
        """Return the entries of an encounter with their indices, in the order of the log."""
        listed, before = [], None
        while page := self._store.records(f"{INDEX}/{encounter}", before, _PAGE):
            listed += page
            before = page[-1].number
        found = self._store.records_named([(ENTRIES, record.id) for record in listed])
        return sorted(
            (int.from_bytes(blob[:_INDEX_BYTES], "big"), blob[_INDEX_BYTES:])
            for blob in found
            if blob is not None
        )

    # --- tiles ---------------------------------------------------------------------------------------

    def tile(self, level: int, number: int, width: int) -> list[bytes]:
        """Return the first *width* hashes of a tile; fewer if the log has fewer."""
        start = number * WIDTH
        if level == 0:
            return [leaf_hash(raw) for raw in self.entries(start, start + width)]
        found = self._store.records(f"{TILES}/{level}", start + width + 1, width)
        return [record.blob for record in reversed(found) if record.number > start]

    def tiles(self, level: int) -> int:
        """Return how many hashes *level* (from 1 on) has."""
        return self._last(f"{TILES}/{level}")

    def put_hash(self, level: int, at: int, hash_: bytes) -> None:
        """Store the hash number *at* of *level*, unless it is stored."""
        self._store.append_records(f"{TILES}/{level}", at, [(str(at), hash_)])

    # --- checkpoints ---------------------------------------------------------------------------------

    def put_checkpoint(self, size: int, note: str) -> None:
        """Store the note of *size*; it replaces one with fewer cosignatures."""
        self._store.put_record(CHECKPOINTS, str(size), note.encode())

    def checkpoint(self, size: int) -> str | None:
        """Return the note of *size*."""
        blob = self._store.record(CHECKPOINTS, str(size))
        return None if blob is None else blob.decode()

    def latest(self) -> tuple[int, str] | None:
        """Return the size and the note of the greatest checkpoint; None if there is none."""
        recent = [
            (int(record.id), record.blob.decode())
            for record in self._store.records(CHECKPOINTS, None, _RECENT)
        ]
        return max(recent, default=None)

    def sizes(self) -> list[int]:
        """Return the sizes of all checkpoints, rising."""
        found: list[int] = []
        before = None
        while page := self._store.records(CHECKPOINTS, before, _PAGE):
            found += [int(record.id) for record in page]
            before = page[-1].number
        return sorted(found)

    # --- witnesses -----------------------------------------------------------------------------------

    def witness(self, name: str) -> bytes | None:
        """Return what is known of a witness."""
        return self._store.record(WITNESSES, name)

    def put_witness(self, name: str, blob: bytes) -> None:
        """Store what is known of a witness."""
        self._store.put_record(WITNESSES, name, blob)

    def _last(self, collection: str) -> int:
        last = self._store.records(collection, None, 1)
        return last[0].number if last else 0
