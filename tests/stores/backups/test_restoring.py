"""A store that was captured while it was used is restored elsewhere, and its dice do not fall again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from service.audit.notary import Notary
from service.audit.signing_memory import SigningMemory
from service.core.fold import Folder
from service.key_files import Keyring
from service.log import Log
from service.log.memory import MemoryLog
from service.record.commit import load_commit
from service.stores import api_keys
from service.stores.archive.storage import DirectoryStorage
from service.stores.backups import restoring
from service.stores.backups.capture import captured
from service.stores.backups.container import BackupRefused
from service.stores.backups.items import Item
from service.stores.backups.restoring import RestoredEncounter
from service.stores.disputes import Disputes
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.usecases.restored import suspend
from tests.support.folding import fold_whole
from tests.support.tiny_game import EDITION, SHELF
from tests.support.tiny_table import KEY, SIGNER, Sitting, eid, player, request
from tests.workers.test_notary import signing_of
from workers import notary
from workers.fold import CommandFolder, RecordNotAsSigned

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
    fold_whole(CommandFolder(log, Folder(log, SHELF), Keyring.of(KEY)), encounter)


def restored(
    items: Sequence[Item], storage: DirectoryStorage
) -> tuple[MemoryLog, dict[str, RestoredEncounter]]:
    """Restore *items* into a new log; return it and what each encounter has."""
    log = MemoryLog()
    restoring.begin(log, BACKUP)
    found = restoring.put_encounters(log, storage, items, lambda item: item.stored, NOW)
    restoring.put_records(log, items)
    restoring.done(log, BACKUP)
    return log, found


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
    again, found_by_id = restored(items, storage)

    assert {encounter: each.is_open for encounter, each in found_by_id.items()} == {eid(): True}
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


def test_the_dice_of_lost_play_fall_again_unless_the_restored_encounter_waits_for_its_gm(
    storage: DirectoryStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TABLE-EPOCH-2: the gm moves the dice; a restore that was cut short is repeated, and moves nothing."""
    monkeypatch.setattr(notary, "RECHECK_S", 0.0)
    log, sitting = MemoryLog(), Sitting()
    sitting.open()
    played(log, sitting)
    items = list(captured(log, storage, RUNNING))
    rolls = [request(n, "roll", {}) for n in range(2, 8)]
    for n, raw in enumerate(rolls, 2):
        log.append(eid(), raw, scope="s", key=str(n), fingerprint="f")
    fold(log, eid())
    again, found = restored(items, storage)
    suspend(again, eid(), found[eid()], found[eid()].epoch + 2, "ada")
    dispute = suspend(again, eid(), found[eid()], found[eid()].epoch + 2, "ada")
    signing = signing_of(again, SigningMemory(tmp_path / "memory.db"))
    folding = CommandFolder(again, Folder(again, SHELF), Keyring.of(KEY), signing)
    again.append(eid(), rolls[0], scope="s", key="2", fingerprint="f")
    with pytest.raises(RecordNotAsSigned):
        fold_whole(folding, eid())
    assert (dispute.size, dispute.epoch) == (1, 3)
    said = {"reason": "restored", "lost": dispute.public_data["lost"], "epoch": dispute.epoch}
    again.append(eid(), request(3, "accept_history", said), scope="s", key="3", fingerprint="f")
    Disputes(again).accept(eid(), said, 3)
    for n, raw in enumerate(rolls, 4):
        again.append(eid(), raw, scope="s", key=str(n), fingerprint="f")
    fold_whole(folding, eid())

    outcomes = [load_commit(entry.raw).outcome for entry in again.commits(eid(), 1, 2)]
    assert outcomes == ["quarantined", "accepted"]
    assert Folder(again, SHELF).current(eid()).state.epoch == 4
    assert len(faces(log, eid())) == len(faces(again, eid())) == len(rolls)
    assert faces(again, eid()) != faces(log, eid())
    Notary(again, SigningMemory(tmp_path / "memory.db"), lambda: SIGNER).recompute(eid())
    accepted = Disputes(again).find(eid())
    assert accepted is not None
    assert accepted.resumes == 3, "a history that was accepted stays accepted"


def test_a_restored_history_is_not_withdrawn_because_it_is_the_signed_one(
    storage: DirectoryStorage, tmp_path: Path
) -> None:
    log, sitting = MemoryLog(), Sitting()
    sitting.open()
    played(log, sitting)
    memory = SigningMemory(tmp_path / "memory.db")
    again, found = restored(list(captured(log, storage, RUNNING)), storage)
    Notary(again, memory, lambda: SIGNER).sign_head(eid())
    dispute = suspend(again, eid(), found[eid()], found[eid()].epoch, "ada")

    Notary(again, memory, lambda: SIGNER).recompute(eid())
    assert Disputes(again).standing(eid()) == dispute
    Disputes(again).accept(eid(), dispute.public_data, 2)
    Notary(again, memory, lambda: SIGNER).check(eid())
    assert memory.seen(eid()) is not None, "what was signed and is still there is not forgotten"


def test_a_closed_encounter_is_not_open(storage: DirectoryStorage) -> None:
    log, sitting = MemoryLog(), Sitting()
    sitting.open()
    sitting.do("choose", player("ada"), number=2)
    sitting.do("close", reason="done")
    played(log, sitting)
    head = log.head(eid())
    assert head is not None
    assert json.loads(log.commits(eid(), head.folded - 1, 1)[0].raw)["outcome"] == "accepted"
    _, found = restored(list(captured(log, storage, RUNNING)), storage)
    assert not found[eid()].is_open
