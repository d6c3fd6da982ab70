"""Do the audits that were asked for: decide again beside the folding, and write down what was found.

The job record is the truth, so a ring only makes it sooner: every worker looks for jobs after each ring it
answers and every few seconds besides. A job is worked at by whoever wrote its name on it last; a worker that
died stops beating, and another begins anew. Two who work at one job find the same.

Of the encounter's secrets nothing is read for an audit: salts lie beside what they seal.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import Any, Final

import structlog

from service.audit import importing
from service.audit.certificate import certificate, signed
from service.audit.evidence import Evidence, stored
from service.audit.report import Report
from service.audit.signing import Signer
from service.audit.verify import Shelf, verify
from service.encounter import audits
from service.encounter.snapshot import folded_from
from service.log.errors import StoreFailure
from service.log.protocol import Log

RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"

EVERY_S: Final = 2.0
"""How long a job may wait when nobody rings."""

TICK_S: Final = 0.1
"""How soon a ring, or the worker's end, is noticed."""

BEAT_S: Final = 1.0
STALE_S: Final = 10.0
"""How old the last beat of whoever works at a job may be."""

_PAGE: Final = 50
_DEEPEST: Final = 1_000
"""Jobs looked through when a worker starts: what lies deeper was asked for long ago, by nobody who waits."""

_BREATH_S: Final = 0.002
"""Left to the threads that fold, between two stretches of deciding again."""

_logger: Final = structlog.get_logger()


class Stopped(Exception):
    """Say that the worker ends: the audit is left for another."""


class Auditor:
    """Does audits one after the other, and signs what it finds, until it is told to stop."""

    def __init__(
        self,
        log: Log,
        shelf: Shelf,
        *,
        worker: str,
        stopping: Event,
        signer: Callable[[], Signer] | None = None,
        durability: str | None = None,
    ) -> None:
        self._log = log
        self._shelf = shelf
        self.worker = worker
        self._stopping = stopping
        self._signer = signer
        self._durability = durability
        self._rung = Event()
        self._depth = _DEEPEST

    def look(self) -> None:
        """Look for jobs now."""
        self._rung.set()

    def run(self) -> None:
        """Do what is asked for; an outage of the store is waited out."""
        looked = 0.0
        while not self._stopping.wait(TICK_S):
            if not self._rung.is_set() and time.monotonic() - looked < EVERY_S:
                continue
            self._rung.clear()
            looked = time.monotonic()
            try:
                self.work()
            except StoreFailure as failure:
                _logger.warning("audits.store_down", why=type(failure).__name__)
            except Stopped:
                return

    def work(self) -> None:
        """Take in what was asked for, and do every job that nobody works at."""
        taken = importing.work(self._log, self._shelf)
        if taken:
            _logger.info("bundles.taken", count=taken)
        for job in self._open_jobs():
            self._do(job)

    # --- jobs ----------------------------------------------------------------------------------------

    def _open_jobs(self) -> Iterator[audits.Job]:
        """Yield the jobs that are to be done, the newest first."""
        before, seen = None, 0
        while seen < self._depth and (page := self._log.records(audits.SHELF, before, _PAGE)):
            for record in page:
                pointer = json.loads(record.blob)
                if not pointer.get("done"):
                    job = self._job(pointer)
                    if job is not None and self._is_free(job):
                        yield job
            before, seen = page[-1].number, seen + len(page)
        self._depth = _PAGE

    def _job(self, pointer: dict[str, Any]) -> audits.Job | None:
        blob = self._log.record(f"{audits.SHELF}/{pointer['encounter']}", pointer["audit"])
        return None if blob is None else json.loads(blob)

    @staticmethod
    def _is_free(job: audits.Job) -> bool:
        if job["status"] == RUNNING:
            return bool(time.time() - job["progress"]["beat"] > STALE_S)
        return bool(job["status"] == audits.PENDING)

    def _do(self, job: audits.Job) -> None:
        """Do one job to its end."""
        started = time.monotonic()
        encounter, audit = job["encounter"], job["audit"]
        progress = _Progress(self, job, self._stopping)
        try:
            evidence = self._evidence(encounter)
            progress(0, evidence.count)
            report = verify(evidence, self._shelf, span=self._span(job), progress=progress)
        except (StoreFailure, Stopped):
            raise
        except Exception as fault:  # noqa: BLE001 - whatever keeps an audit from its end is told to who asked
            _logger.error("audit.failed", encounter=encounter, audit=audit, error=type(fault).__name__)  # noqa: TRY400 - ids only
            self._finish(
                job | {"status": FAILED, "fault": f"the audit could not be done: {type(fault).__name__}"}
            )
            return
        verdict = str(report.verdict)
        self._finish(job | {"status": DONE, "verdict": verdict, "certificate": self._certificate(report)})
        ms = round((time.monotonic() - started) * 1000, 1)
        _logger.info("audit.done", encounter=encounter, audit=audit, verdict=report.verdict.name, ms=ms)

    def _certificate(self, report: Report) -> dict[str, Any]:
        data = certificate(report, durability=self._durability)
        return data if self._signer is None else signed(data, self._signer())

    def put(self, job: audits.Job) -> None:
        """Keep *job* as it is now."""
        audits.put(self._log, job)

    def _finish(self, job: audits.Job) -> None:
        progress = {**(job.get("progress") or {}), "worker": self.worker, "beat": int(time.time())}
        self.put(job | {"progress": progress})
        pointer = {"encounter": job["encounter"], "audit": job["audit"], "done": True}
        self._log.put_record(audits.SHELF, f"{job['encounter']}/{job['audit']}", json.dumps(pointer).encode())

    # --- evidence ------------------------------------------------------------------------------------

    def _evidence(self, encounter: str) -> Evidence:
        return self._with_claim(stored(self._log, encounter))

    def _with_claim(self, evidence: Evidence) -> Evidence:
        """Add the state that the store keeps, if its rules are ours: it must be what the commits give."""
        cached = self._log.state(evidence.encounter)
        if cached is None or not 0 < cached.n <= evidence.count:
            return evidence
        ruleset = self._shelf.get(evidence.edition or "")
        folded = None if ruleset is None else folded_from(evidence.encounter, ruleset, cached)
        return evidence if folded is None else replace(evidence, claimed=(folded.n, folded.state))

    def _span(self, job: audits.Job) -> tuple[int, int] | None:
        """Return the commits of the rounds that the job asks for; None for all."""
        if job["from"] is None and job["to"] is None:
            return None
        marks = self._log.marks(job["encounter"])
        head = self._log.head(job["encounter"])
        last = head.folded if head is not None else 0
        first = int(marks[f"round/{job['from']}"]) if job["from"] is not None else 1
        after = marks.get(f"round/{job['to'] + 1}") if job["to"] is not None else None
        return first, int(after) if after is not None else last


class _Progress:
    """Writes down how far an audit is, every second, and ends it with the worker."""

    def __init__(self, auditor: Auditor, job: audits.Job, stopping: Event) -> None:
        self._auditor = auditor
        self._job = job
        self._stopping = stopping
        self._next = 0.0

    def __call__(self, done: int, of: int) -> None:
        """Note that *done* of *of* commits were decided again; raises `Stopped`."""
        if self._stopping.is_set():
            raise Stopped
        now = time.monotonic()
        if now >= self._next:
            self._next = now + BEAT_S
            progress = {"done": done, "of": of, "worker": self._auditor.worker, "beat": int(time.time())}
            self._job |= {"status": RUNNING, "progress": progress}
            self._auditor.put(self._job)
        time.sleep(_BREATH_S)
