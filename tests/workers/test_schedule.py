"""Work that waits is found however much of it there is: three pages of everything."""

from __future__ import annotations

import time
from threading import Event
from typing import Any, cast

import pytest

from service.audit.notary import Notary
from service.audit.signing import Signer
from service.core.fold import Folder
from service.log.memory import MemoryLog
from service.record.timestamps import timestamp_of
from service.rules.registry import REGISTRY
from service.signals import heartbeats
from service.signals.webhook_addresses import WebhookAddressGuard
from service.stores import checkpoints, webhooks
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.jobs import AUDITS, DONE, PENDING, RUNNING, SIMULATIONS, Job, JobKind
from service.stores.webhooks import SCHEDULE, Webhook, WebhookDelivery
from tests.audit.evidence_of import kept
from tests.support.tiny_table import Sitting
from tests.support.waiting import until
from workers.job_runner import JobRunner
from workers.notary import CheckpointSigner
from workers.webhooks import WebhookSender

MANY = 160
"""More than three pages of fifty."""


class Worker(JobRunner):
    """Does jobs at once, and remembers in which order."""

    def __init__(self, log: MemoryLog, kind: JobKind) -> None:
        self.kind = kind
        super().__init__(log, worker="w", stopping=Event())
        self.done: list[str] = []

    def do(self, job: Job) -> None:
        """Do *job*; those called `broken` cannot be done."""
        self.done.append(job[self.kind.id])
        if job[self.kind.id].startswith("broken"):
            raise LookupError
        self.close(job | {"status": DONE})


def asked(log: MemoryLog, kind: JobKind, id_: str, at_ms: int = 0, **said: Any) -> None:
    """Write a job down as the API does."""
    job = {kind.id: id_, kind.of: "ada", "status": PENDING, "progress": None, "fingerprint": "f", **said}
    kind.put(log, job)
    log.set_due(kind.collection, [f"ada/{id_}"], at_ms, reschedule=False)


@pytest.mark.parametrize("kind", [AUDITS, SIMULATIONS], ids=lambda kind: kind.collection)
def test_every_job_is_done_however_many_were_asked_for_at_once(kind: JobKind) -> None:
    log = MemoryLog()
    worker = Worker(log, kind)
    worker.look()  # a worker that has run for a while
    for number in range(MANY):
        asked(log, kind, f"j{number:03}", number)

    worker.look()

    assert worker.done == [f"j{number:03}" for number in range(MANY)], "the one that waits longest is first"
    assert log.due(kind.collection, 2**53, 10) == []


def test_jobs_that_break_keep_no_other_from_being_done() -> None:
    log = MemoryLog()
    for number in range(MANY):
        asked(log, AUDITS, f"broken{number:03}", number)
    asked(log, AUDITS, "behind", MANY)
    worker = Worker(log, AUDITS)

    worker.look()

    assert worker.done[-1] == "behind"
    assert len(log.due("audits", 2**53, MANY * 2)) == MANY, "they are tried again later"


def test_a_job_is_one_workers_as_long_as_it_reports_and_anothers_after_its_death() -> None:
    log = MemoryLog()
    alive, dead = time.time(), time.time() - 60
    asked(log, AUDITS, "alive", status=RUNNING, progress={"updated": timestamp_of(alive)})
    asked(log, AUDITS, "dead", status=RUNNING, progress={"updated": timestamp_of(dead)})
    worker = Worker(log, AUDITS)

    worker.look()

    assert worker.done == ["dead"]


class Signs:
    """Stands for the notary: notes whose heads it was asked to sign."""

    def __init__(self) -> None:
        self.signed: list[str] = []

    def sign_head(self, encounter: str) -> list[checkpoints.TreeHead]:
        """Note *encounter*."""
        self.signed.append(encounter)
        return []


def test_every_request_for_a_checkpoint_is_answered_however_many_encounters_asked() -> None:
    log, notary = MemoryLog(), Signs()
    signing = CheckpointSigner(log, cast("Notary", notary), cast("Any", Signer), Event())
    for number in range(MANY):
        checkpoints.ask(log, f"e{number:03}", 1, number)
    signing.work()
    assert notary.signed == [f"e{number:03}" for number in range(MANY)]
    notary.signed.clear()

    checkpoints.ask(log, "e000", 5, MANY)  # the first of them asks again
    signing.work()
    signing.work()

    assert notary.signed == ["e000"]


def test_every_delivery_is_made_however_many_are_due_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = Sitting()
    sitting.open()
    for _ in range(320):  # more than three pages of a hundred
        sitting.do("add", amount=1)
    log, found = kept(sitting), []
    EncounterIndex(log).enter(
        EncounterEntry(sitting.encounter, "ada", "tiny@1", "", "2026-01-01T00:00:00.000Z")
    )
    webhooks.put(log, Webhook("wh1", "ada", "https://example.com/", "2000-01-01T00:00:00.000Z"))
    telling = WebhookSender(log, Folder(log, REGISTRY), bytes(32), WebhookAddressGuard(), Event())

    def answer(_webhook: Webhook, each: WebhookDelivery, *_: object) -> tuple[int, None]:
        found.append(each.n)
        return 200, None

    monkeypatch.setattr(telling, "_answer", answer)
    telling.schedule_deliveries(sitting.encounter)

    def all_done() -> bool:
        telling.look()
        return not log.due(SCHEDULE, 2**53, 1)

    until(all_done, "every delivery")
    assert sorted(found) == list(range(1, 322))


def test_a_worker_that_lives_is_seen_however_many_were_started_after_it() -> None:
    log, now = MemoryLog(), 10_000_000
    heartbeats.record_heartbeat(log, "old", now)
    for number in range(MANY):
        heartbeats.record_heartbeat(log, f"w{number}", now)

    heartbeats.record_heartbeat(log, "old", now)

    assert "old" in heartbeats.Heartbeats(log, lambda: now / 1000).alive()
    assert len(heartbeats.Heartbeats(log, lambda: now / 1000).alive()) == MANY + 1


def test_the_names_of_workers_that_ended_are_dropped() -> None:
    log, now = MemoryLog(), 10_000_000
    for number in range(MANY):
        heartbeats.record_heartbeat(log, f"w{number}", now)

    for beats in range(5):
        heartbeats.record_heartbeat(log, "alive", now + heartbeats.KEPT_MS + beats)

    assert [record.id for record in log.records(heartbeats.COLLECTION)] == ["alive"]
