"""Do jobs that were asked for, beside the folding: whoever is free takes one; a dead worker's is begun anew.

Jobs are scheduled, and the one that waits longest is done first, however many were asked for after it. A ring
only makes it sooner: every worker looks for jobs after each ring it answers and every few seconds besides. A
worker leases the job that it does and prolongs the lease as long as it lives; after its death the job is due
again, and another worker begins anew. Two workers that do one job find the same.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from threading import Event
from typing import Final

import structlog

from service.log.errors import StoreFailure
from service.log.protocol import Log
from service.stores.jobs import PENDING, RUNNING, Job, JobKind
from workers.periodic import PeriodicThread, WorkerStopped

EVERY_S: Final = 2.0
"""How long a job may wait when nobody rings."""

GAP_S: Final = 0.1
"""How soon after one look another may come."""

BEAT_S: Final = 1.0
STALE_S: Final = 10.0
"""How old the last beat of whoever works at a job may be."""

_PAGE: Final = 50
_BREATH_S: Final = 0.002
"""Left to the threads that fold, between two stretches of work."""

_logger: Final = structlog.get_logger()


class JobRunner(PeriodicThread):
    """Does the jobs of one kind, one after the other, until it is told to stop."""

    every_s = EVERY_S
    gap_s = GAP_S
    kind: JobKind
    """The kind of jobs it does."""

    def __init__(self, log: Log, *, worker: str, stopping: Event) -> None:
        super().__init__(stopping)
        self.name = self.kind.collection
        self.log = log
        self.worker = worker

    @abstractmethod
    def do(self, job: Job) -> None:
        """Do one job to its end; may raise `StoreFailure` or `WorkerStopped`."""

    def look(self) -> None:
        """Do every job that nobody does, the one that waits longest first."""
        while found := self.kind.due(self.log, _now_ms(), _PAGE):
            for whose, id_ in found:
                self._take(whose, id_)

    def _take(self, whose: str, id_: str) -> None:
        """Lease a job and do it, unless it is done or another worker's."""
        self.prolong(whose, id_)
        job = self.kind.find(self.log, whose, id_)
        if job is None or job["status"] not in (PENDING, RUNNING):
            self.kind.unschedule(self.log, whose, id_)
        elif _is_free(job):
            try:
                self.do(job)
            except WorkerStopped:
                self.put(job | {"status": PENDING})
                self.kind.lease(self.log, whose, id_, _now_ms())
                raise
            except StoreFailure:
                raise
            except Exception as fault:  # noqa: BLE001 - tried again when its lease ends
                _logger.error("job.broken", kind=self.kind.collection, job=id_, error=type(fault).__name__)  # noqa: TRY400 - ids only

    def prolong(self, whose: str, id_: str) -> None:
        """Keep a job from other workers for as long as a beat of this one counts."""
        self.kind.lease(self.log, whose, id_, _now_ms() + int(STALE_S * 1000))

    def put(self, job: Job) -> None:
        """Keep *job* as it is now."""
        self.kind.put(self.log, job)

    def close(self, job: Job) -> None:
        """Keep *job* as it came out, and take it from the schedule."""
        self.put(job)
        self.kind.unschedule(self.log, job[self.kind.of], job[self.kind.id])


def _now_ms() -> int:
    return int(time.time() * 1000)


def _is_free(job: Job) -> bool:
    if job["status"] == RUNNING:
        return bool(time.time() - job["progress"]["beat"] > STALE_S)
    return bool(job["status"] == PENDING)


class JobProgress:
    """Writes down how far a job is, every second, and ends it with the worker."""

    def __init__(self, desk: JobRunner, job: Job) -> None:
        self._desk = desk
        self._job = job
        self._next = 0.0

    def __call__(self, done: int, of: int) -> None:
        """Note that *done* of *of* are done; raises `WorkerStopped`."""
        if self._desk.stopping.is_set():
            raise WorkerStopped
        now = time.monotonic()
        if now >= self._next:
            self._next = now + BEAT_S
            progress = {"done": done, "of": of, "worker": self._desk.worker, "beat": int(time.time())}
            self._job |= {"status": RUNNING, "progress": progress}
            self._desk.put(self._job)
            self._desk.prolong(self._job[self._desk.kind.of], self._job[self._desk.kind.id])
        time.sleep(_BREATH_S)
