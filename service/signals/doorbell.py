"""Ring for a fold: notify the workers, through RQ, that a bucket has something to decide.

A ring carries a bucket, never a command. Nobody rings for a bucket that a worker listens to. A ring may be
lost, because what waits stands in the bucket's dirty set: a queue that is down is logged and forgotten.
"""

from __future__ import annotations

from typing import Any, Final

import structlog
from rq import Queue
from rq.serializers import JSONSerializer

from service.log.queue import QUEUE_FAILURES

FOLD: Final = "workers.jobs.fold_bucket"
"""The one function that a ring names; workers run what is on their list and nothing else."""

QUEUE: Final = "fold"
RING_MS: Final = 2_000
"""How long a ring is waited for before another one may be made."""

_JOB_S: Final = 30
"""A ring that nobody answered for so long is worth nothing; a failed one is kept as long."""

_NO_LIMIT: Final = -1
_logger: Final = structlog.get_logger()


class RqNotifier:
    """Enqueues folds through *client*, a client of RQ's server (`queue_client`)."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - redis-py's client has its home in the log
        self._queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)

    def ring(self, bucket: int) -> bool:
        """Enqueue a fold of *bucket*; whether the queue took it."""
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
        except QUEUE_FAILURES as failure:
            _logger.warning("doorbell.silent", bucket=bucket, why=type(failure).__name__)
            return False
        return True
