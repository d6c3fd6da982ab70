"""Notify the workers, through RQ, that a bucket has something to decide.

A notification names a bucket, never a command. A bucket that a worker listens to needs none. A notification
may be lost, because waiting encounters are in the bucket's dirty set: if the queue is down, that is logged
and otherwise ignored.
"""

from __future__ import annotations

from typing import Any, Final

import structlog
from rq import Queue
from rq.serializers import JSONSerializer

FOLD: Final = "workers.jobs.fold_bucket"
"""The one function that a job names; workers run the functions on their list and no other."""

QUEUE: Final = "fold"
NOTIFY_MS: Final = 2_000
"""Milliseconds before a bucket may be notified again."""

_JOB_S: Final = 30
"""Seconds after which an unserved job expires; a failed one is retained as long."""

_NO_LIMIT: Final = -1
_logger: Final = structlog.get_logger()


class RqNotifier:
    """Enqueues folds through *client*, a client of RQ's server (`queue_client`)."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - only service.log may import redis-py
        self._queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)

    def ring(self, bucket: int) -> bool:
        """Enqueue a fold of *bucket*; return whether the queue accepted it."""
        try:
            self._queue.enqueue_call(
                FOLD,
                args=(bucket,),
                timeout=_NO_LIMIT,
                result_ttl=0,
                ttl=_JOB_S,
                failure_ttl=_JOB_S,
                description=FOLD,
            )
        except Exception as failure:  # noqa: BLE001 - nothing that the queue raises may touch a command
            _logger.warning("doorbell.unreachable", bucket=bucket, why=type(failure).__name__)
            return False
        return True
