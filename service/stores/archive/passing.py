"""A log that passes every call on to another one, so that a subclass states only what it does differently.

It has every call of the port, so that a call which the port does not have fails, and mypy misses none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from service.log import (
    ALL_BUCKETS,
    Appended,
    CachedState,
    CommandNotification,
    CommitWrite,
    EncounterSize,
    Entry,
    Listener,
    Log,
    Outcome,
    Record,
    StaleCommit,
    StoredEncounter,
    StoreMemory,
    StreamHead,
    SubmitOptions,
    Submitted,
)
from service.log.protocol import AppendOptions
from service.log.values import ArchivedTotals, StoreDisk


class PassingLog:
    """The calls of the port that do not read one encounter."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def append(self, encounter: str, request: bytes, **options: Unpack[AppendOptions]) -> Appended:
        """Pass it on; see `EventLog.append`."""
        return self.log.append(encounter, request, **options)

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        """Pass it on; see `EventLog.commit`."""
        return self.log.commit(encounter, *folds)

    def commit_all(self, batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[StaleCommit | None]:
        """Pass it on; see `EventLog.commit_all`."""
        return self.log.commit_all(batch)

    def sizes(self, encounters: Sequence[str]) -> list[EncounterSize]:
        """Pass it on; see `EventLog.sizes`."""
        return self.log.sizes(encounters)

    def tails(
        self, after: Sequence[tuple[str, int]], count: int
    ) -> list[tuple[StreamHead | None, list[Entry]]]:
        """Pass it on; see `EventLog.tails`."""
        return self.log.tails(after, count)

    def marks_named(self, name: str, encounters: Sequence[str]) -> list[bytes | None]:
        """Pass it on; see `EventLog.marks_named`."""
        return self.log.marks_named(name, encounters)

    def put_secret(self, encounter: str, blob: bytes) -> bool:
        """Pass it on; see `EventLog.put_secret`."""
        return self.log.put_secret(encounter, blob)

    def replace_secret(self, encounter: str, blob: bytes) -> bool:
        """Pass it on; see `EventLog.replace_secret`."""
        return self.log.replace_secret(encounter, blob)

    def secret(self, encounter: str) -> bytes | None:
        """Pass it on; see `EventLog.secret`."""
        return self.log.secret(encounter)

    def put_state(self, encounter: str, state: CachedState) -> None:
        """Pass it on; see `EventLog.put_state`."""
        self.log.put_state(encounter, state)

    def put_snapshot(self, encounter: str, snapshot: CachedState) -> bool:
        """Pass it on; see `EventLog.put_snapshot`."""
        return self.log.put_snapshot(encounter, snapshot)

    def put_occasions(self, encounter: str, n: int, blob: bytes) -> bool:
        """Pass it on; see `EventLog.put_occasions`."""
        return self.log.put_occasions(encounter, n, blob)

    def forget(self, encounter: str) -> None:
        """Pass it on; see `EventLog.forget`."""
        self.log.forget(encounter)

    def trace(self, encounter: str, n: int) -> str:
        """Pass it on; see `EventLog.trace`."""
        return self.log.trace(encounter, n)

    def tried(self, encounter: str, n: int) -> int:
        """Pass it on; see `EventLog.tried`."""
        return self.log.tried(encounter, n)

    def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Pass it on; see `Doorbell.submit`."""
        return self.log.submit(encounter, request, **options)

    def mark_dirty(self, encounter: str, at_ms: int) -> None:
        """Pass it on; see `Doorbell.mark_dirty`."""
        self.log.mark_dirty(encounter, at_ms)

    def dirty(self, buckets: Sequence[int], older_than: int, count: int = 1000) -> list[str]:
        """Pass it on; see `Doorbell.dirty`."""
        return self.log.dirty(buckets, older_than, count)

    def clean(self, encounter: str) -> bool:
        """Pass it on; see `Doorbell.clean`."""
        return self.log.clean(encounter)

    def answer_notification(self, bucket: int) -> None:
        """Pass it on; see `Doorbell.answer_notification`."""
        self.log.answer_notification(bucket)

    def hold_leases(self, names: Sequence[str], token: str, ttl_ms: int) -> list[bool]:
        """Pass it on; see `Doorbell.hold_leases`."""
        return self.log.hold_leases(names, token, ttl_ms)

    def release_lease(self, name: str, token: str) -> bool:
        """Pass it on; see `Doorbell.release_lease`."""
        return self.log.release_lease(name, token)

    def notify(self, encounter: str) -> None:
        """Pass it on; see `Doorbell.notify`."""
        self.log.notify(encounter)

    def listen_commands(self, buckets: Sequence[int] = ALL_BUCKETS) -> Listener[CommandNotification]:
        """Pass it on; see `Doorbell.listen_commands`."""
        return self.log.listen_commands(buckets)

    def listen_outcomes(self, buckets: Sequence[int] = ALL_BUCKETS) -> Listener[Outcome]:
        """Pass it on; see `Doorbell.listen_outcomes`."""
        return self.log.listen_outcomes(buckets)

    def put_record(self, collection: str, id_: str, blob: bytes) -> int:
        """Pass it on; see `Collections.put_record`."""
        return self.log.put_record(collection, id_, blob)

    def append_records(self, collection: str, size: int, records: Sequence[tuple[str, bytes]]) -> bool:
        """Pass it on; see `Collections.append_records`."""
        return self.log.append_records(collection, size, records)

    def put_records(self, records: Sequence[tuple[str, str, bytes]]) -> None:
        """Pass it on; see `Collections.put_records`."""
        self.log.put_records(records)

    def record(self, collection: str, id_: str) -> bytes | None:
        """Pass it on; see `Collections.record`."""
        return self.log.record(collection, id_)

    def records_named(self, names: Sequence[tuple[str, str]]) -> list[bytes | None]:
        """Pass it on; see `Collections.records_named`."""
        return self.log.records_named(names)

    def records(self, collection: str, before: int | None = None, limit: int = 50) -> list[Record]:
        """Pass it on; see `Collections.records`."""
        return self.log.records(collection, before, limit)

    def drop_record(self, collection: str, id_: str) -> None:
        """Pass it on; see `Collections.drop_record`."""
        self.log.drop_record(collection, id_)

    def drop_collection(self, collection: str) -> None:
        """Pass it on; see `Collections.drop_collection`."""
        self.log.drop_collection(collection)

    def use_once(self, name: str, ttl_ms: int) -> bool:
        """Pass it on; see `Collections.use_once`."""
        return self.log.use_once(name, ttl_ms)

    def set_due(self, schedule: str, names: Sequence[str], at_ms: int, *, reschedule: bool) -> None:
        """Pass it on; see `Schedules.set_due`."""
        self.log.set_due(schedule, names, at_ms, reschedule=reschedule)

    def due(self, schedule: str, upto_ms: int, count: int) -> list[str]:
        """Pass it on; see `Schedules.due`."""
        return self.log.due(schedule, upto_ms, count)

    def drop_due(self, schedule: str, *names: str) -> None:
        """Pass it on; see `Schedules.drop_due`."""
        self.log.drop_due(schedule, *names)

    def dump(self, encounter: str) -> StoredEncounter | None:
        """Pass it on; see `ArchivedEncounters.dump`."""
        return self.log.dump(encounter)

    def evict(self, encounter: str, n: int, hash_: str, entry: bytes, size: int) -> bool:
        """Pass it on; see `ArchivedEncounters.evict`."""
        return self.log.evict(encounter, n, hash_, entry, size)

    def archived(self, encounter: str) -> bytes | None:
        """Pass it on; see `ArchivedEncounters.archived`."""
        return self.log.archived(encounter)

    def archived_totals(self) -> ArchivedTotals:
        """Pass it on; see `ArchivedEncounters.archived_totals`."""
        return self.log.archived_totals()

    def restore(self, stored: StoredEncounter, entry: bytes = b"", over: int = 0) -> bool:
        """Pass it on; see `ArchivedEncounters.restore`."""
        return self.log.restore(stored, entry, over)

    def has_data(self) -> bool:
        """Pass it on; see `WholeStore.has_data`."""
        return self.log.has_data()

    def collections(self) -> list[str]:
        """Pass it on; see `WholeStore.collections`."""
        return self.log.collections()

    def schedules(self) -> list[str]:
        """Pass it on; see `WholeStore.schedules`."""
        return self.log.schedules()

    def scheduled(self, schedule: str, count: int | None = None) -> list[tuple[str, int]]:
        """Pass it on; see `WholeStore.scheduled`."""
        return self.log.scheduled(schedule, count)

    def waiting_since(self) -> int | None:
        """Pass it on; see `WholeStore.waiting_since`."""
        return self.log.waiting_since()

    def disk(self) -> StoreDisk:
        """Pass it on; see `WholeStore.disk`."""
        return self.log.disk()

    def put_numbered(self, collection: str, records: Sequence[Record]) -> None:
        """Pass it on; see `WholeStore.put_numbered`."""
        self.log.put_numbered(collection, records)

    def put_scheduled(self, schedule: str, names: Sequence[tuple[str, int]]) -> None:
        """Pass it on; see `WholeStore.put_scheduled`."""
        self.log.put_scheduled(schedule, names)

    def copy(self, encounter: str) -> StoredEncounter | None:
        """Pass it on; see `WholeStore.copy`."""
        return self.log.copy(encounter)

    def memory(self) -> StoreMemory:
        """Pass it on; see `Log.memory`."""
        return self.log.memory()

    def ping(self) -> None:
        """Pass it on; see `Log.ping`."""
        self.log.ping()

    def close(self) -> None:
        """Pass it on; see `Log.close`."""
        self.log.close()
