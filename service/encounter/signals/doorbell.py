"""Ring for a fold: tell the workers, through RQ, that a shard has something to decide.

A ring carries a shard, never a command, and it may be lost: what it would have told stands in the shard's
dirty set. So a queue that is down is written to the log and forgotten.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

import structlog
from rq import Queue
from rq.serializers import JSONSerializer

from service.log.queue import QUEUE_FAILURES

FOLD: Final = "workers.jobs.fold_shard"
"""The one function that a ring names; workers run what is on their list and nothing else."""

QUEUE: Final = "fold"
RING_MS: Final = 2_000
"""How long a ring is waited for before another one may be made."""

_JOB_S: Final = 30
"""A ring that nobody answered for so long is worth nothing; a failed one is kept as long."""

_NO_LIMIT: Final = -1
_logger: Final = structlog.get_logger()


def shard_of(encounter: str, shards: int) -> int:
    """Return which of *shards* the encounter belongs to, for ever."""
    return int.from_bytes(sha256(encounter.encode()).digest()[:8], "big") % shards


class Ringer:
    """Enqueues folds through *client*, a client of RQ's server (`queue_client`)."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - redis-py's client has its home in the log
        self._queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)

    def ring(self, shard: int) -> bool:
        """Enqueue a fold of *shard*; whether the queue took it."""
        try:
            self._queue.enqueue_call(
                FOLD,
                args=(shard,),
                timeout=_NO_LIMIT,
                result_ttl=0,
                ttl=_JOB_S,
                failure_ttl=_JOB_S,
                description=FOLD,
            )
        except QUEUE_FAILURES as failure:
            _logger.warning("doorbell.silent", shard=shard, why=type(failure).__name__)
            return False
        return True

    def is_rung(self) -> bool:
        """Tell whether rings wait to be answered; a queue that cannot be asked has none."""
        try:
            return self._queue.count > 0
        except QUEUE_FAILURES:
            return False
