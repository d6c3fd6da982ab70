"""The collections of a memory log; records are numbered in the order in which they were first put."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from service.log.values import Record


class MemoryCollections:
    """Every collection of the store, under the given lock."""

    def __init__(self, lock: AbstractContextManager[Any]) -> None:
        self._lock = lock
        self._collections: dict[str, dict[str, Record]] = {}
        self._used: dict[str, float] = {}

    def put_record(self, collection: str, id_: str, blob: bytes) -> int:
        """Put or replace a record; return its number in the collection."""
        with self._lock:
            kept = self._collections.setdefault(collection, {})
            last = next(reversed(kept.values())).number if kept else 0
            number = kept[id_].number if id_ in kept else last + 1
            kept[id_] = Record(number, id_, blob)
            return number

    def append_records(self, collection: str, size: int, records: Sequence[tuple[str, bytes]]) -> bool:
        """Put new records if the last number is *size*."""
        with self._lock:
            kept = self._collections.setdefault(collection, {})
            last = next(reversed(kept.values())).number if kept else 0
            if last != size or any(id_ in kept for id_, _ in records):
                return False
            kept |= {id_: Record(size + at, id_, blob) for at, (id_, blob) in enumerate(records, 1)}
            return True

    def put_records(self, records: Sequence[tuple[str, str, bytes]]) -> None:
        """Put or replace records."""
        for collection, id_, blob in records:
            self.put_record(collection, id_, blob)

    def records_named(self, names: Sequence[tuple[str, str]]) -> list[bytes | None]:
        """Return records by collection and id."""
        return [self.record(collection, id_) for collection, id_ in names]

    def record(self, collection: str, id_: str) -> bytes | None:
        """Return one record."""
        with self._lock:
            found = self._collections.get(collection, {}).get(id_)
            return found.blob if found else None

    def records(self, collection: str, before: int | None = None, limit: int = 50) -> list[Record]:
        """Return up to *limit* records, newest first, numbered below *before*."""
        with self._lock:
            newest_first = reversed(self._collections.get(collection, {}).values())
            return [record for record in newest_first if before is None or record.number < before][:limit]

    def use_once(self, name: str, ttl_ms: int) -> bool:
        """Use up *name*; return whether it was unused."""
        now = time.monotonic()
        with self._lock:
            self._used = {used: until for used, until in self._used.items() if until > now}
            if name in self._used:
                return False
            self._used[name] = now + ttl_ms / 1000
            return True

    def drop_record(self, collection: str, id_: str) -> None:
        """Delete a record."""
        with self._lock:
            self._collections.get(collection, {}).pop(id_, None)

    def drop_collection(self, collection: str) -> None:
        """Delete all records of a collection."""
        with self._lock:
            self._collections.pop(collection, None)
