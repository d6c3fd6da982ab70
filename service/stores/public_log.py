"""Store the public log: its entries in order, the hashes of its tiles, its checkpoints.

One log is for the whole service. Entries are proposed on a schedule and appended by a worker
(`service.audit.log_writer`). An entry's id is its leaf hash, so the same statement stands there once, however
often it is proposed. Every append is a compare-and-set on the number of entries.
"""

from __future__ import annotations

import json
import time
from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass
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
STATE: Final = "public-log-state"
_DISPUTE: Final = "dispute"
_SIGNED: Final = "signed"

COSIGNED: Final = "cosigned"
DOWN: Final = "down"
REFUSED: Final = "refused"
FORKED: Final = "forked"
"""The witness has cosigned another history of this log, or a longer one."""
OUTCOMES: Final = (COSIGNED, DOWN, REFUSED, FORKED)

WIDTH: Final = 256
_INDEX_BYTES: Final = 8
_RECENT: Final = 16
_PAGE: Final = 200


@dataclass(frozen=True)
class WitnessState:
    """What the service knows of a witness."""

    size: int = 0
    """The size of the last checkpoint that it cosigned."""
    outcome: str = ""
    at: int = 0
    """Seconds since 1970 of the last outcome."""


@dataclass(frozen=True)
class LogDispute:
    """Why the log stands still: the store does not hold the log that was signed."""

    why: str
    signed: int
    """The size of the signed checkpoint."""
    stored: int


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

    def settle(self, entries: Iterable[bytes]) -> None:
        """Drop the proposals of *entries*, which are in the log."""
        self._store.drop_due(PENDING, *(raw.decode() for raw in entries))

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

    def sizes_after(self, size: int, count: int) -> list[int]:
        """Return the sizes of the first *count* checkpoints of more than *size* entries, rising.

        Checkpoints are stored as they are signed, so their sizes rise with their numbers, except that two
        workers may have stored theirs the other way round.
        """
        low, high = 0, self._last(CHECKPOINTS)
        while low < high:  # find the last checkpoint of no more entries
            middle = (low + high + 1) // 2
            (found,) = self._store.records(CHECKPOINTS, middle + 1, 1)
            low, high = (middle, high) if int(found.id) <= size else (low, middle - 1)
        near = self._store.records(CHECKPOINTS, low + count + _RECENT + 1, count + 2 * _RECENT)
        return sorted(int(record.id) for record in near if int(record.id) > size)[:count]

    # --- state ---------------------------------------------------------------------------------------

    def dispute(self) -> LogDispute | None:
        """Return why the log stands still; None if it does not."""
        blob = self._store.record(STATE, _DISPUTE)
        return None if blob is None else LogDispute(**json.loads(blob))

    def put_dispute(self, dispute: LogDispute | None) -> None:
        """Store why the log stands still; None: it goes on."""
        if dispute is not None:
            self._store.put_record(STATE, _DISPUTE, json.dumps(asdict(dispute)).encode())
        elif self._store.record(STATE, _DISPUTE) is not None:
            self._store.drop_record(STATE, _DISPUTE)

    def signed_at(self) -> float:
        """Return when the newest checkpoint was signed, in seconds since 1970; 0 if it is not known."""
        blob = self._store.record(STATE, _SIGNED)
        return 0.0 if blob is None else float(blob)

    def put_signed_at(self, seconds: float) -> None:
        """Store when the newest checkpoint was signed."""
        self._store.put_record(STATE, _SIGNED, str(seconds).encode())

    def witness(self, name: str) -> WitnessState:
        """Return what is known of a witness."""
        return self._witness_of(self._store.record(WITNESSES, name))

    def witnesses(self) -> dict[str, WitnessState]:
        """Return what is known of each witness, by name."""
        found = self._store.records(WITNESSES, None, _PAGE)
        return {record.id: self._witness_of(record.blob) for record in reversed(found)}

    def put_witness(self, name: str, state: WitnessState) -> None:
        """Store what is known of a witness."""
        self._store.put_record(WITNESSES, name, json.dumps(asdict(state)).encode())

    def keep_witnesses(self, names: Container[str]) -> None:
        """Forget every witness that is not among *names*."""
        for name in self.witnesses():
            if name not in names:
                self._store.drop_record(WITNESSES, name)

    @staticmethod
    def _witness_of(blob: bytes | None) -> WitnessState:
        return WitnessState() if blob is None else WitnessState(**json.loads(blob))

    def _last(self, collection: str) -> int:
        last = self._store.records(collection, None, 1)
        return last[0].number if last else 0
