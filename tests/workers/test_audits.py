"""Do audits as a worker does: found on the shelf, done once, told to who asked, taken over from the dead."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from service.audit.notary import Notary
from service.audit.signing import publish
from service.audit.signing_memory import SigningMemory
from service.core.snapshot import snapshot_of
from service.log import CommitWrite, Log
from service.log.memory import MemoryLog
from service.log.values import CachedState
from service.record.commit import load_commit
from service.record.timestamps import timestamp_of
from service.stores.jobs import AUDITS, Job
from tests.support.in_process_service import House
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER, Sitting, eid
from workers import audits as work
from workers.audits import Auditor
from workers.job_runner import STALE_S
from workers.periodic import WorkerStopped

SHELF = {TINY.edition: TINY}


@pytest.fixture
def sitting() -> Sitting:
    made = Sitting()
    made.open()
    made.do("add", amount=3)
    made.do("roll")
    made.do("end_round")
    made.do("roll")
    return made


@pytest.fixture
def log(sitting: Sitting) -> Log:
    """Give a log in which the sitting was folded."""
    log = MemoryLog()
    for n, (raw, made) in enumerate(zip(sitting.requests, sitting.written, strict=True), 1):
        log.append(sitting.encounter, raw, scope="gm", key=str(n), fingerprint="f", create=n == 1)
        prev = load_commit(made.raw).prev
        fold = CommitWrite(n, prev, made.hash, made.raw, raw, sealed=made.envelope_payloads, marks=made.marks)
        log.commit(sitting.encounter, fold)
    return log


def auditor(log: Log, worker: str = "one", stopping: Event | None = None, registry: Any = SHELF) -> Auditor:
    return Auditor(log, registry, worker=worker, stopping=stopping or Event())


def asked(log: Log, encounter: str, id_: str = "a1", /, **said: object) -> Job:
    """Return a job as the API writes it."""
    job: Job = {
        "audit": id_,
        "encounter": encounter,
        "status": "pending",
        "requested": "2026-01-02T00:00:00.000Z",
        "first_round": None,
        "last_round": None,
        "verdict": None,
        "progress": None,
        "certificate": None,
        "fingerprint": "f",
        **said,
    }
    AUDITS.put(log, job)
    log.set_due("audits", [f"{encounter}/{id_}"], 0, reschedule=False)
    return job


def job_of(log: Log, encounter: str, id_: str = "a1") -> Job:
    job = AUDITS.find(log, encounter, id_)
    assert job is not None
    return job


def test_what_was_asked_for_is_done_and_told(log: Log, sitting: Sitting) -> None:
    asked(log, sitting.encounter)

    auditor(log).look()

    job = job_of(log, sitting.encounter)
    assert (job["status"], job["verdict"]) == ("done", "valid_unsigned_to_epoch(1)")
    assert job["certificate"]["verdict"]["name"] == "valid_unsigned_to_epoch"
    assert job["fingerprint"] == "f", "what the API wrote stays"


def test_an_audit_that_is_done_says_that_all_is_done(log: Log, sitting: Sitting) -> None:
    asked(log, sitting.encounter)
    auditor(log).look()
    progress = job_of(log, sitting.encounter)["progress"]
    assert (progress["done"], progress["of"]) == (len(sitting.written), len(sitting.written))


def test_lines_that_ended_a_moment_ago_are_signed_before_they_are_audited(tmp_path: Path) -> None:
    with House() as house, closing(SigningMemory(tmp_path / "signing-memory.db")) as memory:
        publish(house.log, SIGNER, 0)
        line = house.open(TINY, {})
        house.send(line, "gm", "end_round")
        house.send(line, "gm", "add", amount=1)
        after = house.accept(line, house.proposed(line, "undo", commit=3))
        asked(house.log, after)
        notary = Notary(house.log, memory, lambda: SIGNER)
        Auditor(house.log, SHELF, worker="one", stopping=Event(), sign=notary.sign_head).look()

        assert job_of(house.log, after)["verdict"] == "valid_to_epoch(1)"


def test_the_rounds_that_were_asked_for_are_decided_alone(log: Log, sitting: Sitting) -> None:
    rounds: dict[str, object] = {"first_round": 2, "last_round": 2}
    asked(log, sitting.encounter, **rounds)

    auditor(log).look()

    first = int(log.marks(sitting.encounter)["round/2"])
    assert job_of(log, sitting.encounter)["certificate"]["decided"] == {"from": first, "to": 5}


def test_what_is_done_is_not_done_again(log: Log, sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(log, sitting.encounter)
    auditor(log).look()
    monkeypatch.setattr(work, "verify_fight", None)

    auditor(log, "two").look()

    assert job_of(log, sitting.encounter)["progress"]["worker"] == "one"


def test_an_audit_shows_from_its_first_moment_how_far_it_is(
    log: Log, sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is read or signed, how much there is to do stands in the job."""
    asked(log, sitting.encounter)
    shown: list[Any] = []

    def stored(log: Log, encounter: str, _: object) -> None:
        shown.append(job_of(log, encounter))

    monkeypatch.setattr(work, "stored", stored)

    auditor(log).look()

    (job,) = shown
    assert job["status"] == "running"
    assert (job["progress"]["done"], job["progress"]["of"]) == (0, len(sitting.written))


def test_what_another_works_at_is_left_until_it_stops_reporting(log: Log, sitting: Sitting) -> None:
    now = time.time()
    running = {"done": 1, "of": 5, "worker": "one", "updated": timestamp_of(now)}
    asked(log, sitting.encounter, "a1", status="running", progress=running)
    stale = running | {"updated": timestamp_of(now - STALE_S - 1)}
    asked(log, sitting.encounter, "a2", status="running", progress=stale)

    auditor(log, "two").look()

    assert job_of(log, sitting.encounter, "a1")["status"] == "running"
    assert job_of(log, sitting.encounter, "a2")["status"] == "done"


def test_an_audit_that_cannot_be_done_is_told_as_failed(log: Log) -> None:
    asked(log, eid(9))

    auditor(log).look()

    job = job_of(log, eid(9))
    assert job["status"] == "failed"
    assert job["fault"] == "the audit could not be done: NoSuchEncounter"


def test_rules_that_are_not_at_hand_bound_the_audit(log: Log, sitting: Sitting) -> None:
    asked(log, sitting.encounter)

    auditor(log, registry={}).look()

    assert job_of(log, sitting.encounter)["verdict"] == "unknown_edition(1)"


def test_a_worker_that_stops_leaves_its_audit_for_another(log: Log, sitting: Sitting) -> None:
    asked(log, sitting.encounter)
    stopping = Event()
    stopping.set()

    with pytest.raises(WorkerStopped):
        auditor(log, stopping=stopping).look()

    assert job_of(log, sitting.encounter)["status"] == "pending"


def test_the_state_that_the_store_keeps_is_held_to_the_record(log: Log, sitting: Sitting) -> None:
    """A kept state is used by every process that starts; one that is not the record's must be found."""
    cached = snapshot_of(sitting.folded)
    other = Sitting(sitting.encounter)
    other.open()
    for _ in range(4):
        other.do("add", amount=9)
    lie = snapshot_of(other.folded)
    asked(log, sitting.encounter, "a1")
    log.put_state(sitting.encounter, cached)
    auditor(log).look()
    asked(log, sitting.encounter, "a2")
    log.put_state(sitting.encounter, CachedState(cached.n, cached.hash, cached.ruleset_digest, lie.blob))
    auditor(log).look()

    assert job_of(log, sitting.encounter, "a1")["verdict"] == "valid_unsigned_to_epoch(1)"
    assert job_of(log, sitting.encounter, "a2")["verdict"].startswith("state_mismatch(5")


def test_jobs_are_found_however_many_were_done_since_the_worker_started(log: Log, sitting: Sitting) -> None:
    asked(log, sitting.encounter, "old")
    for number in range(120):
        asked(log, sitting.encounter, f"n{number}", status="done", progress={"updated": timestamp_of(0)})

    auditor(log).look()

    assert job_of(log, sitting.encounter, "old")["status"] == "done"
