"""Answer the doorbell: RQ's worker, in this process, for our jobs alone.

RQ's server may be wiped or down at any moment. Whatever comes of that ends one RQ worker; another is made,
and meanwhile the sweeper folds. Nothing here leans on RQ's own recovery.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Event
from types import FrameType
from typing import Any, Final

import structlog
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import TimerDeathPenalty
from rq.worker import WorkerStatus

from service.signals.doorbell import QUEUE
from workers.jobs import Function, allowing

_TTL_S: Final = 30
"""How long RQ waits for a job before it shows itself again, and how soon it forgets a worker that died."""

_MAINTENANCE_S: Final = 60
_PAUSES_S: Final = (0.1, 0.5, 1.0, 2.0)
"""Pauses before another RQ worker is made, growing while it fails."""

_logger: Final = structlog.get_logger()


class FoldJobWorker(SimpleWorker):
    """One life of RQ's worker: no fork, no commands from Redis, no signals of its own, ids in the log."""

    death_penalty_class = TimerDeathPenalty  # with jobs of no time limit: no alarm signal amid a commit
    max_connection_wait_time = 2.0
    log_result_lifespan = False

    def subscribe(self) -> None:
        """Take no orders: RQ would let anybody on its server stop the worker."""

    def unsubscribe(self) -> None:
        """Leave what was never subscribed to."""

    def _install_signal_handlers(self) -> None:
        """Leave the process's signals alone."""

    def handle_exception(self, job: Job, *exc_info: Any) -> None:  # noqa: ANN401 - as RQ declares it
        """Log that a job failed, without its data."""
        _logger.error("job.failed", job=job.id, error=exc_info[0].__name__)

    def interrupt(self) -> None:
        """End after the job at hand; raises `StopRequested` if there is none. For a signal handler."""
        self._stop_requested = True
        if self.get_state() != WorkerStatus.BUSY:
            raise StopRequested


class FoldJobThread:
    """Answers rings until told to stop, through however many lives of RQ's worker."""

    def __init__(self, client: Any, functions: Mapping[str, Function], stopping: Event) -> None:  # noqa: ANN401 - redis-py's client has its home in the log
        self._client = client
        self._job_class = allowing(functions)
        self._stopping = stopping
        self._worker: FoldJobWorker | None = None

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Stop after the command at hand."""
        self._stopping.set()
        if self._worker is not None:
            self._worker.interrupt()

    def run(self) -> None:
        """Answer until stopped."""
        failures = 0
        while not self._stopping.is_set():
            try:
                self._live()
                failures = 0
            except StopRequested:
                return
            except Exception as error:  # noqa: BLE001 - whatever RQ meets, the worker goes on folding
                _logger.warning("queue.lost", why=type(error).__name__)
                failures += 1
            # Not the event's `wait`: a signal that sets the event while its lock is held here would hang.
            time.sleep(_PAUSES_S[min(failures, len(_PAUSES_S) - 1)])

    def _live(self) -> None:
        queue = Queue(QUEUE, connection=self._client, serializer=JSONSerializer, job_class=self._job_class)
        worker = FoldJobWorker(
            [queue],
            connection=self._client,
            job_class=self._job_class,
            serializer=JSONSerializer,
            worker_ttl=_TTL_S,
            maintenance_interval=_MAINTENANCE_S,
            log_job_description=False,
        )
        self._worker = worker
        try:
            if not self._stopping.is_set():  # a signal until now found nobody to interrupt
                worker.work(logging_level="CRITICAL")
        finally:
            self._worker = None
