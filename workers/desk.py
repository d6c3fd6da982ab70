"""Do jobs that were asked for, beside the folding: whoever is free takes one; a dead worker's is begun anew.

The job record is the truth, so a ring only makes it sooner: every worker looks for jobs after each ring it
answers and every few seconds besides. A job is worked at by whoever wrote its name on it last; a worker that
died stops beating, and another begins anew. Two who work at one job find the same.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator
from threading import Event
from typing import Final

from service.encounter.stores.jobs import PENDING, RUNNING, Job, Kind
from service.log.protocol import Log
from workers.lookout import Lookout, Stopped

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
"""Left to the threads that fold, between two stretches of work."""


class Desk(Lookout):
    """Does the jobs of one kind, one after the other, until it is told to stop."""

    every_s = EVERY_S
    tick_s = TICK_S
    kind: Kind
    """The kind of jobs it does."""

    def __init__(self, log: Log, *, worker: str, stopping: Event) -> None:
        super().__init__(stopping)
        self.name = self.kind.shelf
        self.log = log
        self.worker = worker
        self._depth = _DEEPEST

    @abstractmethod
    def do(self, job: Job) -> None:
        """Do one job to its end; may raise `StoreFailure` or `Stopped`."""

    def look(self) -> None:
        """Do every job that nobody works at."""
        for job in self._open_jobs():
            self.do(job)

    def put(self, job: Job) -> None:
        """Keep *job* as it is now."""
        self.kind.put(self.log, job)

    def close(self, job: Job) -> None:
        """Keep *job* as it came out: nobody looks for it any more."""
        self.put(job)
        self.kind.close(self.log, job)

    def _open_jobs(self) -> Iterator[Job]:
        """Yield the jobs that are to be done, the newest first."""
        before, seen = None, 0
        while seen < self._depth and (page := self.kind.pointers(self.log, before, _PAGE)):
            for pointer in page:
                job = None if pointer.is_done else self.kind.find(self.log, pointer.whose, pointer.id)
                if job is not None and _is_free(job):
                    yield job
            before, seen = page[-1].number, seen + len(page)
        self._depth = _PAGE


def _is_free(job: Job) -> bool:
    if job["status"] == RUNNING:
        return bool(time.time() - job["progress"]["beat"] > STALE_S)
    return bool(job["status"] == PENDING)


class Progress:
    """Writes down how far a job is, every second, and ends it with the worker."""

    def __init__(self, desk: Desk, job: Job) -> None:
        self._desk = desk
        self._job = job
        self._next = 0.0

    def __call__(self, done: int, of: int) -> None:
        """Note that *done* of *of* are done; raises `Stopped`."""
        if self._desk.stopping.is_set():
            raise Stopped
        now = time.monotonic()
        if now >= self._next:
            self._next = now + BEAT_S
            progress = {"done": done, "of": of, "worker": self._desk.worker, "beat": int(time.time())}
            self._job |= {"status": RUNNING, "progress": progress}
            self._desk.put(self._job)
        time.sleep(_BREATH_S)
