"""Archived encounters in a bucket: read, brought back and erased there; what is answered while it is away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from service.audit.notary import Notary
from service.log import Log
from service.log.memory import MemoryLog
from service.stores.archive import archive_log
from service.stores.archive.archive_log import with_archive
from service.stores.archive.entries import IDLE, RESTORING
from service.stores.archive.s3 import Account, S3Storage
from service.stores.archive.storage import ArchiveUnavailable
from service.stores.encounter_index import GRACE_S
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH, Worker
from tests.api.test_archive import ADD, ARCHIVE_KEYS, archiver, archiving, is_cold, played, told, version
from tests.api.test_removal import had
from tests.stores.archive.s3_stub import ACCESS, BUCKET, REGION, SECRET, S3Stub, s3_stub
from tests.support.tiny_table import SIGNER
from workers.archiving import STORAGE_PAUSE_S
from workers.retention import Retention

__all__ = ["played"]


@pytest.fixture
def bucket() -> Iterator[S3Stub]:
    with s3_stub() as stub:
        yield stub


@pytest.fixture
def storage(bucket: S3Stub) -> S3Storage:
    return S3Storage(BUCKET, "cold", Account(bucket.endpoint, REGION, ACCESS, SECRET))


@pytest.fixture
def log(storage: S3Storage) -> Iterator[Log]:
    """Give a log whose archive is a bucket."""
    kept = with_archive(MemoryLog(), storage, ARCHIVE_KEYS)
    yield kept
    kept.close()


def test_an_encounter_goes_to_the_bucket_and_comes_back(
    log: Log, storage: S3Storage, bucket: S3Stub, played: Table
) -> None:
    before = told(played)
    entry = archiver(log, storage).archive(played.id)

    assert list(bucket.files) == [f"cold/{entry.name}"]
    assert [asked.split()[0] for asked in bucket.asked] == ["PUT", "GET"]  # read again before the record goes
    assert is_cold(log, played.id)
    assert told(played) == before
    n = version(played)
    with archiving(log, storage):  # type: ignore[arg-type]  # any storage will do
        played.send(played.gm, ADD)
    assert version(played) == n + 1
    assert bucket.files == {}


@pytest.mark.parametrize("fault", ["status", "hang_up"])
def test_while_the_bucket_is_away_only_what_needs_it_is_answered_503(
    log: Log, storage: S3Storage, bucket: S3Stub, played: Table, owner: Api, fault: str
) -> None:
    other = Table.opened(owner)
    archiver(log, storage).archive(played.id)
    bucket.fault = fault

    for path in ("/state?at=4", "/commits", "/bundle"):
        problem = played.gm("GET", played.at + path)
        is_problem(problem, 503, "archive-unavailable")
        assert problem.headers["Retry-After"] == "2"
    assert other.send(other.gm, ADD).status_code == 200

    bucket.fault = ""
    assert played.gm("GET", f"{played.at}/state?at=4").status_code == 200


def test_a_command_is_nowhere_while_the_bucket_is_away(
    log: Log, storage: S3Storage, bucket: S3Stub, played: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_log, "WAIT_S", 0.2)
    n = version(played)
    archiver(log, storage).archive(played.id)
    bucket.fault = "status"
    with archiving(log, storage):  # type: ignore[arg-type]  # any storage will do
        is_problem(played.gm("POST", f"{played.at}/commands", ADD), 503, "archive-unavailable")
        assert is_cold(log, played.id)
        monkeypatch.setattr(archive_log, "WAIT_S", 30)
        bucket.fault = ""
        played.send(played.gm, ADD)

    assert version(played) == n + 1


def test_nothing_is_archived_for_a_minute_after_an_outage(
    log: Log, storage: S3Storage, bucket: S3Stub, played: Table
) -> None:
    now = [time.time()]
    working = archiver(log, storage, idle_s=1.0)
    working._clock = lambda: now[0]  # noqa: SLF001 - a clock that is set
    log.set_due(IDLE, [played.id], 0, reschedule=True)
    bucket.fault = "status"
    working.look()
    assert log.due(IDLE, int(now[0] * 1000), 9) == [played.id]
    bucket.fault = ""
    tried = len(bucket.asked)

    now[0] += STORAGE_PAUSE_S - 1
    working.look()
    assert (len(bucket.asked), is_cold(log, played.id)) == (tried, False)

    now[0] += 1
    working.look()
    assert is_cold(log, played.id)


def test_a_file_that_is_missing_keeps_no_other_from_coming_back(
    log: Log, storage: S3Storage, bucket: S3Stub, played: Table, owner: Api, worker: Worker
) -> None:
    lost = archiver(log, storage).archive(played.id)
    other = Table.opened(owner)
    assert worker.signing_memory is not None
    Notary(log, worker.signing_memory, lambda: SIGNER).sign_head(other.id)
    whole = archiver(log, storage).archive(other.id)
    gone = bucket.files.pop(f"cold/{lost.name}")
    log.set_due(RESTORING, [lost.encounter], 0, reschedule=True)
    log.set_due(RESTORING, [whole.encounter], 1, reschedule=True)

    archiver(log, storage).look()

    assert is_cold(log, lost.encounter)
    assert not is_cold(log, whole.encounter)
    assert log.due(RESTORING, 2**53, 9) == []
    is_problem(played.gm("GET", f"{played.at}/state?at=4"), 503, "archive-unavailable")
    bucket.files[f"cold/{lost.name}"] = gone
    assert played.gm("GET", f"{played.at}/state?at=4").status_code == 200


def test_removal_and_retention_erase_in_the_bucket(
    log: Log, storage: S3Storage, bucket: S3Stub, played: Table
) -> None:
    def keeping(later_s: float) -> Retention:
        gone: list[Any] = []
        return Retention(log, BOTH, storage, 2, Event(), gone.append, lambda: time.time() + later_s)

    assert played.gm("DELETE", played.at).status_code == 200
    raw, _ = had(played)
    archiver(log, storage).archive(played.id)

    keeping(3 * 86_400).look()
    bucket.fault = "status"
    with pytest.raises(ArchiveUnavailable):
        keeping(3 * 86_400 + GRACE_S + 1).look()
    bucket.fault = ""
    keeping(3 * 86_400 + GRACE_S + 1).look()

    assert bucket.files == {f"cold/{played.id}.jsonl": raw}
