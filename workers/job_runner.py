"""Run requested jobs in a process beside a worker. A free one takes a job; that of a dead one starts again.

Jobs are scheduled. Some run at once, one of each owner, and share one processor in turns; so neither many
jobs of one owner nor a long one hold up another owner's. A ring only makes it sooner: every worker looks for
jobs after each ring that it answers, and every few seconds. A worker leases its job and prolongs the lease
while it lives. After its death the job is due again, and another worker starts it from the beginning. Two
workers that run the same job get the same result.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from threading import Condition, Event, Thread
from typing import Any, Final

import structlog

from service.log.errors import StoreFailure
from service.log.protocol import Log
from service.record.timestamps import seconds_of, timestamp_of
from service.stores.encounter_index import EncounterIndex
from service.stores.jobs import PENDING, RUNNING, Job, JobKind
from workers.job_turns import JobTurns
from workers.periodic import PeriodicThread, WorkerStopped

EVERY_S: Final = 2.0
"""Seconds between two looks if nobody rings."""

GAP_S: Final = 0.1
"""The least time between two looks."""

HEARTBEAT_S: Final = 1.0
STALE_S: Final = 10.0
"""How old a job's last heartbeat may be before another worker takes the job."""

AT_ONCE: Final = 4
"""Jobs that run at once."""

_PAGE: Final = 500
_logger: Final = structlog.get_logger()


class JobRunner(PeriodicThread):
    """Runs the jobs of one kind: of one owner one at a time, and the longest waiting owner's first."""

    every_s = EVERY_S
    gap_s = GAP_S
    kind: JobKind
    """The kind of jobs that it runs."""

    def __init__(self, log: Log, *, worker: str, stopping: Event, turns: JobTurns | None = None) -> None:
        """Run jobs in *log*; *turns* are shared with the other kinds of this worker."""
        super().__init__(stopping)
        self.name = self.kind.collection
        self.log = log
        self.worker = worker
        self.turns = turns or JobTurns()
        self._index = EncounterIndex(log)
        self._running: dict[str, Thread] = {}
        """The thread of the job of each owner."""
        self._failures: list[Exception] = []
        self._change = Condition()
        self._over: list[str] = []
        """The owners whose job is over."""

    @abstractmethod
    def do(self, job: Job) -> None:
        """Run one job to its end; may raise `StoreFailure` or `WorkerStopped`."""

    def look(self) -> None:
        """Run every due job that no other worker runs, and return when all that were begun are over."""
        try:
            while self._begin_due() or self._running:
                self._wait()
        finally:
            while self._running:
                self._wait()
        if self._failures:
            failures, self._failures = self._failures, []
            raise failures[0]

    def _begin_due(self) -> bool:
        """Begin due jobs while there is room, the longest waiting first; return whether one was begun."""
        if self._failures:
            return False
        if self.stopping.is_set():
            raise WorkerStopped
        has_begun = False
        for whose, id_ in self.kind.due(self.log, _now_ms(), _PAGE):
            owner = self._owner_of(whose)
            if len(self._running) >= AT_ONCE:
                break
            if owner not in self._running:
                self.prolong(whose, id_)  # first, so that it is no longer due
                thread = Thread(
                    target=self._run, args=(owner, whose, id_), name=f"{self.name}-job", daemon=True
                )
                self._running[owner] = thread
                thread.start()
                has_begun = True
        return has_begun

    def _wait(self) -> None:
        """Wait until a job is over, or for the next look at what is due."""
        with self._change:
            self._change.wait_for(lambda: self._over, GAP_S)
            over, self._over = self._over, []
        for owner in over:
            self._running.pop(owner).join()

    def _run(self, owner: str, whose: str, id_: str) -> None:
        """Run one job in a thread of its own, in turns with the others."""
        try:
            with self.turns.working():
                self._take(whose, id_)
        except (StoreFailure, WorkerStopped) as failure:
            self._failures.append(failure)
        except Exception as fault:  # noqa: BLE001 - one job's fault must not prevent the next
            _logger.error("job.crashed", kind=self.kind.collection, job=id_, error=type(fault).__name__)  # noqa: TRY400 - ids only
        finally:
            with self._change:
                self._over.append(owner)
                self._change.notify_all()

    def _take(self, whose: str, id_: str) -> None:
        """Run a leased job, unless it is finished or another worker runs it."""
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

    def _owner_of(self, whose: str) -> str:
        """Return the owner of a job; the encounter itself if the index does not know it."""
        if self.kind.of == "owner":
            return whose
        entry = self._index.find(whose)
        return whose if entry is None else entry.owner

    def prolong(self, whose: str, id_: str) -> None:
        """Lease a job for `STALE_S` seconds, so that no other worker takes it."""
        self.kind.lease(self.log, whose, id_, _now_ms() + int(STALE_S * 1000))

    def put(self, job: Job) -> None:
        """Store *job*."""
        self.kind.put(self.log, job)

    def progress(self, **counts: int) -> dict[str, Any]:
        """Return the progress of a job that this worker runs, as of now."""
        return {**counts, "worker": self.worker, "updated": timestamp_of(time.time())}

    def close(self, job: Job) -> None:
        """Store the finished *job*, and unschedule it."""
        self.put(job)
        self.kind.unschedule(self.log, job[self.kind.of], job[self.kind.id])
        _logger.info(
            "job.ended",
            kind=self.kind.collection,
            job=job[self.kind.id],
            of=job[self.kind.of],
            status=job["status"],
            worker=self.worker,
        )


def _now_ms() -> int:
    return int(time.time() * 1000)


def _is_free(job: Job) -> bool:
    if job["status"] == RUNNING:
        return bool(time.time() - seconds_of(job["progress"]["updated"]) > STALE_S)
    return bool(job["status"] == PENDING)


class JobProgress:
    """Stores a job's progress every second, gives way to others, and ends the job when the worker stops."""

    def __init__(self, runner: JobRunner, job: Job) -> None:
        self._runner = runner
        self._job = job
        self._next = 0.0

    def __call__(self, done: int, of: int) -> None:
        """Note that *done* of *of* steps are done; raises `WorkerStopped`."""
        if self._runner.stopping.is_set():
            raise WorkerStopped
        self._job |= {"status": RUNNING, "progress": self._runner.progress(done=done, of=of)}
        now = time.monotonic()
        if now >= self._next:
            self._next = now + HEARTBEAT_S
            self._runner.put(self._job)
            self._runner.prolong(self._job[self._runner.kind.of], self._job[self._runner.kind.id])
        self._runner.turns.give_way()
