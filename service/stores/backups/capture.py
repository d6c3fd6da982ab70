"""Read the whole store while it is in use, so that each encounter in it is consistent.

Laws. What points at commits is read before them, so that nothing in a backup is beyond them: first the
cursors of webhooks, then schedules, records, and each encounter with its signed checkpoints before its head.
What was acknowledged before the reading began is read. An encounter that was opened meanwhile is left out.
Removals are read once more at the end, because an encounter may have been removed meanwhile.

Left out is what is derived or short-lived: snapshots, cached states, counts of attempts, leases, heartbeats,
used tickets, the queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from service.log import Log, Record
from service.stores import checkpoints, encounter_index, removals, webhooks
from service.stores.archive import entries
from service.stores.archive.storage import FileMissing, Storage
from service.stores.backups.container import PREFIX
from service.stores.backups.items import EncounterItem, FileItem, Item, RecordsItem, ScheduleItem

RESTORES: Final = "restores"
"""The collection that names the backups which were put into this store."""

_PAGE: Final = 500
_CURSORS: Final = f"{webhooks.CURSORS}/"
_NOTES: Final = f"{checkpoints.COLLECTION}/"
_AT_THE_END: Final = (removals.CLOSED, removals.REMOVING)
_TRIES: Final = 5


def captured(log: Log, storage: Storage, running: frozenset[str]) -> Iterator[Item]:
    """Yield everything that *log* and its archive in *storage* have.

    Collections and schedules in *running* say how the service runs now, and are left out.
    """
    left_out = running | {RESTORES}
    names = [name for name in log.collections() if name not in left_out and not name.startswith(_NOTES)]
    names.sort(key=lambda name: not name.startswith(_CURSORS))
    cursors = sum(name.startswith(_CURSORS) for name in names)
    for name in names[:cursors]:
        yield from _records(log, name)
    yield from _schedules(log, [each for each in log.schedules() if each not in left_out])
    found: list[str] = []
    for page in (page for name in names[cursors:] for page in _records(log, name)):
        yield page
        if page.collection == encounter_index.COLLECTION:
            found += [record.id for record in page.records]
    for encounter in found:
        yield _encounter(log, storage, encounter)
    yield from _records(log, removals.COLLECTION)
    yield from _schedules(log, _AT_THE_END)
    for file in storage.names(""):
        if not file.startswith(PREFIX) and not file.endswith(entries.SUFFIX):
            yield FileItem(file, storage.get(file))


def _schedules(log: Log, schedules: Iterable[str]) -> Iterator[ScheduleItem]:
    for schedule in schedules:
        yield ScheduleItem(schedule, log.scheduled(schedule))


def _records(log: Log, collection: str) -> Iterator[RecordsItem]:
    before = None
    while page := log.records(collection, before, _PAGE):
        yield RecordsItem(collection, page)
        before = page[-1].number


def _encounter(log: Log, storage: Storage, encounter: str) -> EncounterItem:
    """Return *encounter*, which may be archived or brought back while it is read."""
    notes: list[Record] = [each for page in _records(log, _NOTES + encounter) for each in page.records]
    for _ in range(_TRIES):
        stored = log.copy(encounter)
        if stored is not None:
            return EncounterItem(encounter, stored, log.secret(encounter), notes)
        entry = entries.find(log, encounter)
        if entry is not None:
            try:
                file = storage.get(entry.name)
            except FileMissing:
                continue  # it was brought back, and its file deleted
            return EncounterItem(encounter, None, log.secret(encounter), notes, entry.blob, file)
        if log.head(encounter) is None:
            break
    return EncounterItem(encounter, None, None, notes)
