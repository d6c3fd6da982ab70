"""Make up for lost rings: read the dirty sets every two seconds and fold encounters that wait too long.

The sweeper does not need RQ. One worker sweeps at a time, by lease. A group whose lease is held has a worker
that makes progress, because only progress prolongs a lease. If an encounter waits in any other group, this
worker takes the group.
"""

from __future__ import annotations

import time
from threading import Event
from typing import Final

from service.log import ALL_BUCKETS, Log, bucket_of
from workers.groups import GroupFolding
from workers.periodic import PeriodicThread

EVERY_S: Final = 2.0
WAITED_MS: Final = 1_500
"""How long an encounter may wait before the sweeper folds it."""

LEASE: Final = "sweep"
_LIFE_MS: Final = 3_000


class SweepThread(PeriodicThread):
    """Sweeps all buckets; *worker* is the name under which it holds the lease."""

    name = "sweep"
    every_s = EVERY_S

    def __init__(self, log: Log, fold: GroupFolding, worker: str, stopping: Event) -> None:
        super().__init__(stopping)
        self._log = log
        self._fold = fold
        self._worker = worker

    def look(self) -> None:
        """Fold every bucket in which an encounter waits too long, if this worker holds the lease."""
        if all(self._log.hold_leases([LEASE], self._worker, _LIFE_MS)):
            since = int(time.time() * 1000) - WAITED_MS
            self._fold.find({bucket_of(encounter) for encounter in self._log.dirty(ALL_BUCKETS, since)})
