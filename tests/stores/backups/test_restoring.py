"""A store that was captured while it was used is restored elsewhere, and its dice do not fall again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from service.core.fold import Folder
from service.key_files import Keyring
from service.log import Log
from service.log.memory import MemoryLog
from service.stores import api_keys
from service.stores.archive.storage import DirectoryStorage
from service.stores.backups import restoring
from service.stores.backups.capture import captured
from service.stores.backups.container import BackupRefused
from service.stores.backups.items import Item
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.usecases.restored import advance_dice
from tests.support.tiny_game import EDITION, SHELF
from tests.support.tiny_table import KEY, Sitting, eid, player, request
from workers.fold import CommandFolder

BACKUP = "backup-20260101T000000Z-abcdef"
NOW = 1_800_000_000.0
RUNNING = frozenset({"workers"})


@pytest.fixture
def storage(tmp_path: Path) -> DirectoryStorage:
    return DirectoryStorage(tmp_path / "archive")


def played(log: Log, sitting: Sitting, *, start: int = 0) -> None:
    """Append and decide what was sent in *sitting* after number *start*."""
    if start == 0:
        log.put_secret(sitting.encounter, sitting.secrets.encrypt(KEY))
        EncounterIndex(log).enter(
            EncounterEntry(sitting.encounter, "ada", EDITION, "", "2026-01-02T00:00:00Z")
        )
    for n, raw in enumerate(sitting.requests[start:], start + 1):
        log.append(sitting.encounter, raw, scope="s", key=str(n), fingerprint="f", create=n == 1)
    fold(log, sitting.encounter)


def fold(log: Log, encounter: str) -> None:
    CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY)).fold(encounter, lambda: True)


def restored(items: Sequence[Item], storage: DirectoryStorage) -> tuple[MemoryLog, dict[str, bool]]:
    """Restore *items* into a new log; tell of each encounter whether it is open."""
    log = MemoryLog()
    restoring.begin(log, BACKUP)
    found = restoring.put_encounters(log, storage, items, lambda item: item.stored, NOW)
    restoring.put_records(log, items)
    restoring.done(log, BACKUP)
    return log, {encounter: each.is_open for encounter, each in found.items()}


def faces(log: Log, encounter: str) -> list[list[int]]:
    """Return the dice of every roll on the record."""
    commits = [json.loads(entry.raw) for entry in log.commits(encounter, 0, 500)]
    return [[die["face"] for die in roll["dice"]] for commit in commits for roll in commit["rolls"]]


def test_what_is_captured_is_restored_with_its_keys_and_owners(storage: DirectoryStorage) -> None:
    log, sitting = MemoryLog(), Sitting()
    sitting.open()
    sitting.do("roll")
    played(log, sitting)
    token, _ = api_keys.create(log, "ada", NOW)
    log.put_record("workers", "w1", b"1")
    items = list(captured(log, storage, RUNNING))
    again, are_open = restored(items, storage)

    assert are_open == {eid(): True}
    assert again.copy(eid()) == log.copy(eid())
    assert again.secret(eid()) == log.secret(eid())
    assert again.collections() == sorted([*set(log.collections()) - RUNNING, "restores"])
    found = api_keys.find(again, token, NOW)
    assert found is not None
    assert found.name == "ada"


def test_a_store_with_data_takes_no_restore_but_the_one_that_was_cut_short(
    storage: DirectoryStorage,
) -> None:
    log = MemoryLog()
    restoring.begin(log, BACKUP)
    assert restoring.cut_short(log) == BACKUP
    restoring.begin(log, BACKUP)
    with pytest.raises(BackupRefused, match="the store has data"):
        restoring.begin(log, BACKUP.replace("abc", "cba"))
    restoring.done(log, BACKUP)
    assert restoring.cut_short(log) is None
    with pytest.raises(BackupRefused, match="the store has data"):
        restoring.begin(log, BACKUP)


@pytest.mark.parametrize("epochs", [0, 1, 3])
def test_the_dice_of_lost_play_fall_again_unless_the_epoch_advances(
    storage: DirectoryStorage, epochs: int
) -> None:
    log, sitting = MemoryLog(), Sitting()
    sitting.open()
    played(log, sitting)
    items = list(captured(log, storage, RUNNING))
    rolls = [request(n, "roll", {}) for n in range(2, 8)]
    for n, raw in enumerate(rolls, 2):
        log.append(eid(), raw, scope="s", key=str(n), fingerprint="f")
    fold(log, eid())
    again, _ = restored(items, storage)
    if epochs:
        for _ in range(2):  # a restore that was cut short is repeated
            advance_dice(again, eid(), BACKUP, epochs, NOW)
        fold(again, eid())
    start = Folder(again, SHELF).current(eid())
    for n, raw in enumerate(rolls, 2):
        again.append(eid(), raw, scope="s", key=str(n), fingerprint="f")
    fold(again, eid())

    assert start.state.epoch == 1 + epochs
    assert start.n == 1 + epochs
    assert len(faces(log, eid())) == len(rolls)
    assert (faces(again, eid()) == faces(log, eid())) == (epochs == 0)


def test_a_closed_encounter_is_not_open(storage: DirectoryStorage) -> None:
    log, sitting = MemoryLog(), Sitting()
    sitting.open()
    sitting.do("choose", player("ada"), number=2)
    sitting.do("close", reason="done")
    played(log, sitting)
    head = log.head(eid())
    assert head is not None
    assert json.loads(log.commits(eid(), head.folded - 1, 1)[0].raw)["outcome"] == "accepted"
    _, are_open = restored(list(captured(log, storage, RUNNING)), storage)
    assert are_open == {eid(): False}
