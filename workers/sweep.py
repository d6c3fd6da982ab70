"""Find what a lost ring left behind: read the dirty sets every two seconds and fold what waits too long.

The sweeper needs no RQ. One worker sweeps at a time, by lease. A group whose lease is held is being folded by
a worker that makes progress, for only progress prolongs a lease; any other group in which an encounter waits
is taken here.
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
"""How long an encounter may wait before it counts as left behind."""

LEASE: Final = "sweep"
_LIFE_MS: Final = 3_000


class SweepThread(PeriodicThread):
    """Sweeps all buckets until it is told to stop; *worker* is the name it leases by."""

    name = "sweep"
    every_s = EVERY_S

    def __init__(self, log: Log, fold: GroupFolding, worker: str, stopping: Event) -> None:
        super().__init__(stopping)
        self._log = log
        self._fold = fold
        self._worker = worker

    def look(self) -> None:
        """Have every bucket folded in which an encounter waits too long, if this worker sweeps."""
        if all(self._log.hold_leases([LEASE], self._worker, _LIFE_MS)):
            since = int(time.time() * 1000) - WAITED_MS
            self._fold.find({bucket_of(encounter) for encounter in self._log.dirty(ALL_BUCKETS, since)})
