"""Put a backup into an empty store.

Laws. Encounters come first, then schedules, then records: until the index of encounters and the API keys are
there nobody can see half of it. A restore that was cut short may be done again, into the same store and from
the same backup; any other store that has data is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from service.log import Log, StoredEncounter
from service.record.canonical import commit_hash
from service.record.commit import load_commit
from service.record.frontier import Frontier
from service.record.subjects import ENDED, is_about
from service.stores import checkpoints
from service.stores.archive.entries import read
from service.stores.archive.storage import Storage
from service.stores.backups.capture import RESTORES
from service.stores.backups.container import BackupRefused
from service.stores.backups.items import EncounterItem, FileItem, Item, RecordsItem, ScheduleItem

_BEGUN: Final = "begun"
_DONE: Final = "done"


@dataclass(frozen=True)
class RestoredEncounter:
    """What was restored of one encounter."""

    commits: int
    is_open: bool
    """Whether it has no end, so that it may be played on."""
    root: str = ""
    """The root of the tree over the commits, as hexadecimal digits; empty if there are none."""
    epoch: int = 1
    """The epoch of the dice after the last commit."""


def begin(log: Log, backup: str) -> None:
    """Note that *backup* is being restored; raises `BackupRefused` if the store has other data."""
    if log.has_data() and _state(log, backup) != _BEGUN:
        raise BackupRefused(
            "the store has data: restore into an empty one, with no service running on it "
            "(another REWOUND_DATA_DIR, or servers that were never used)"
        )
    _note(log, backup, _BEGUN)


def done(log: Log, backup: str) -> None:
    """Note that all of *backup* was restored."""
    _note(log, backup, _DONE)


def cut_short(log: Log) -> str | None:
    """Return the backup whose restore was begun and not finished; None if there is none."""
    for record in log.records(RESTORES, None, 1):
        if json.loads(record.blob)["state"] == _BEGUN:
            return record.id
    return None


def put_encounters(
    log: Log,
    storage: Storage,
    items: Iterable[Item],
    opened: Callable[[EncounterItem], StoredEncounter | None],
    now: float,
) -> dict[str, RestoredEncounter]:
    """Put every encounter and every archived file; return what each encounter has, by id.

    *opened* reads the file of an archived encounter. Commands that wait are noted as waiting since *now*, in
    seconds since 1970.
    """
    restored: dict[str, RestoredEncounter] = {}
    for item in items:
        if isinstance(item, FileItem):
            storage.put(item.name, item.raw)
        elif isinstance(item, EncounterItem):
            log.put_numbered(f"{checkpoints.COLLECTION}/{item.encounter}", item.notes)
            if item.secret is not None:
                log.put_secret(item.encounter, item.secret)
            whole = opened(item)
            if whole is not None:
                _put(log, storage, item, whole, int(now * 1000))
                restored[item.encounter] = _restored(whole.commits)
    return restored


def _restored(commits: Sequence[bytes]) -> RestoredEncounter:
    frontier = Frontier()
    for raw in commits:
        frontier = frontier.append(commit_hash(raw))
    return RestoredEncounter(
        commits=len(commits),
        is_open=not any(is_about(raw, ENDED) for raw in commits),
        root=frontier.root().hex() if commits else "",
        epoch=load_commit(commits[-1]).epoch if commits else 1,
    )


def _put(log: Log, storage: Storage, item: EncounterItem, whole: StoredEncounter, now_ms: int) -> None:
    encounter = item.encounter
    if log.archived(encounter) is not None:
        return  # an earlier try came this far
    log.restore(whole)
    if item.entry is not None and item.file is not None:
        entry = read(item.entry)
        storage.put(entry.name, item.file)
        if not log.evict(encounter, entry.n, entry.hash, item.entry, entry.size):
            raise BackupRefused(f"{encounter}: its archived file has other commits than its entry names")
    elif len(whole.commands) > len(whole.commits):
        log.mark_dirty(encounter, now_ms)


def put_records(log: Log, items: Iterable[Item]) -> None:
    """Put every schedule and every record."""
    for item in items:
        if isinstance(item, ScheduleItem):
            log.put_scheduled(item.schedule, item.names)
        elif isinstance(item, RecordsItem):
            log.put_numbered(item.collection, item.records)


def _state(log: Log, backup: str) -> str | None:
    blob = log.record(RESTORES, backup)
    return None if blob is None else str(json.loads(blob)["state"])


def _note(log: Log, backup: str, state: str) -> None:
    log.put_record(RESTORES, backup, json.dumps({"state": state}).encode())
