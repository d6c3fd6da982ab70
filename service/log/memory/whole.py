"""Read a whole memory log, and put records at their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from service.log import keys
from service.log.memory.archive import Encounter
from service.log.values import Record, StoredEncounter, StoreDisk


class MemoryWhole:
    """Everything that the log has, under its lock."""

    _lock: AbstractContextManager[Any]
    _encounters: dict[str, Encounter]
    _collections: dict[str, dict[str, Record]]
    _schedules: dict[str, dict[str, int]]
    _dirty: dict[int, dict[str, int]]

    def has_data(self) -> bool:
        """Return whether there is anything."""
        return bool(self._encounters or self.collections() or self.schedules())

    def collections(self) -> list[str]:
        """Return the names of all collections."""
        with self._lock:
            return sorted(name for name, records in self._collections.items() if records)

    def schedules(self) -> list[str]:
        """Return the names of all schedules."""
        with self._lock:
            return sorted(name for name, due in self._schedules.items() if due)

    def scheduled(self, schedule: str, count: int | None = None) -> list[tuple[str, int]]:
        """Return every name on a schedule, or the first *count*, with its time."""
        with self._lock:
            due = self._schedules.get(schedule, {})
            return sorted(due.items(), key=lambda each: (each[1], each[0]))[:count]

    def put_numbered(self, collection: str, records: Sequence[Record]) -> None:
        """Put or replace records, each at its own number."""
        with self._lock:
            kept = self._collections.get(collection, {}) | {each.id: each for each in records}
            ordered = sorted(kept.values(), key=lambda each: each.number)
            self._collections[collection] = {each.id: each for each in ordered}

    def put_scheduled(self, schedule: str, names: Sequence[tuple[str, int]]) -> None:
        """Put or move names on a schedule, each to its time."""
        with self._lock:
            self._schedules.setdefault(schedule, {}).update(names)

    def waiting_since(self) -> int | None:
        """Return since when the encounter waits that has waited longest; see `WholeStore.waiting_since`."""
        with self._lock:
            return min((at for bucket in self._dirty.values() for at in bucket.values()), default=None)

    def disk(self) -> StoreDisk:
        """Return that nothing is on disk."""
        return StoreDisk(log_bytes=0, rewrites=True)

    def copy(self, encounter: str) -> StoredEncounter | None:
        """Read one encounter as it is at one moment; see `WholeStore.copy`."""
        with self._lock:
            kept = self._encounters.get(encounter)
            if kept is None or kept.head is None:
                return None
            return StoredEncounter(
                encounter=encounter,
                hash=kept.head.hash,
                frontier=kept.head.frontier,
                commands=list(kept.commands),
                commits=list(kept.commits),
                sealed=list(kept.sealed),
                keys={
                    keys.key_field(scope, key): f"{known.n} {known.fingerprint}"
                    for (scope, key), known in kept.keys.items()
                },
                marks=dict(kept.marks),
                derived={},
            )
