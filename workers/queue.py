"""Answer the doorbell: RQ's worker in this process, for our jobs alone.

RQ's server may be wiped or down at any moment. Such a fault ends one RQ worker; another is made, and until
then the sweeper folds. Nothing here relies on RQ's own recovery.
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
"""RQ's `worker_ttl`: how long it waits for a job before a heartbeat, and how soon it drops a dead worker."""

_MAINTENANCE_S: Final = 60
_PAUSES_S: Final = (0.1, 0.5, 1.0, 2.0)
"""Pauses before the next RQ worker is made, longer after each failure."""

_logger: Final = structlog.get_logger()


class FoldJobWorker(SimpleWorker):
    """One run of RQ's worker without forks, commands from Redis or signal handlers; it logs only ids."""

    death_penalty_class = TimerDeathPenalty  # with jobs of no time limit: no alarm signal amid a commit
    max_connection_wait_time = 2.0
    log_result_lifespan = False

    def subscribe(self) -> None:
        """Accept no commands, because RQ would let any client of its server stop the worker."""

    def unsubscribe(self) -> None:
        """Do nothing, since nothing was subscribed to."""

    def _install_signal_handlers(self) -> None:
        """Install no handlers; the process has its own."""

    def handle_exception(self, job: Job, *exc_info: Any) -> None:  # noqa: ANN401 - as RQ declares it
        """Log a job's failure without the job's data."""
        _logger.error("job.failed", job=job.id, error=exc_info[0].__name__)

    def interrupt(self) -> None:
        """Stop after the current job; raises `StopRequested` if there is none. For a signal handler."""
        self._stop_requested = True
        if self.get_state() != WorkerStatus.BUSY:
            raise StopRequested


class FoldJobThread:
    """Answers rings until the worker stops, and makes a new RQ worker after each failure."""

    def __init__(self, client: Any, functions: Mapping[str, Function], stopping: Event) -> None:  # noqa: ANN401 - only `service.log` may import redis-py
        self._client = client
        self._job_class = allowing(functions)
        self._stopping = stopping
        self._worker: FoldJobWorker | None = None

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Stop after the current job."""
        self._stopping.set()
        if self._worker is not None:
            self._worker.interrupt()

    def run(self) -> None:
        """Answer rings until the worker stops."""
        failures = 0
        while not self._stopping.is_set():
            try:
                self._live()
                failures = 0
            except StopRequested:
                return
            except Exception as error:  # noqa: BLE001 - the worker goes on folding after any fault of RQ
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
            if not self._stopping.is_set():  # an earlier signal found no worker to interrupt
                worker.work(logging_level="CRITICAL")
        finally:
            self._worker = None
