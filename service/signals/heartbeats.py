"""Record which workers are alive: each stores the time under its name, periodically.

The records are a collection of the log. A worker that ends leaves its last one behind; the others drop it a
minute later, so that the collection has only the workers of the last minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

from service.log.protocol import Log

COLLECTION: Final = "workers"
"""The collection of the names, and the schedule of those to drop."""
STALE_MS: Final = 10_000
"""The most by which the last heartbeat of a live worker may differ from this machine's clock."""
JUMP_S: Final = 1.0
"""Seconds by which the wall clock must jump against the monotonic one to count as set; less is drift."""
KEPT_MS: Final = 60_000
"""Milliseconds for which the name of an ended worker is retained."""

_PAGE: Final = 50


def record_heartbeat(log: Log, worker: str, now_ms: int) -> None:
    """Record that *worker* is alive, and drop a page of workers that ended."""
    log.put_record(COLLECTION, worker, b"%d" % now_ms)
    log.set_due(COLLECTION, [worker], now_ms + KEPT_MS, reschedule=True)
    for ended in log.due(COLLECTION, now_ms, _PAGE):
        log.drop_record(COLLECTION, ended)
        log.drop_due(COLLECTION, ended)


class Heartbeats:
    """Knows which workers are alive, even while this machine's clock is being set.

    A monotonic clock shows by how much the wall clock has jumped since the last read. A heartbeat counts if
    it is fresh by the wall clock now, or by the wall clock without its last jump.
    """

    def __init__(
        self, log: Log, clock: Callable[[], float], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._log = log
        self._clock = clock
        self._monotonic = monotonic
        self._lock = Lock()
        self._offset = self._jumped_from = clock() - monotonic()

    def alive(self) -> tuple[str, ...]:
        """Return the live workers, the latest started first; raise `StoreFailure`."""
        now = self._now_ms()
        found: list[str] = []
        before = None
        while page := self._log.records(COLLECTION, before, _PAGE):
            found += [
                record.id for record in page if any(abs(each - int(record.blob)) < STALE_MS for each in now)
            ]
            before = page[-1].number
        return tuple(found)

    def _now_ms(self) -> tuple[int, int]:
        """Return the time in milliseconds, and the time without the clock's last jump."""
        with self._lock:
            passed = self._monotonic()
            offset = self._clock() - passed
            if abs(offset - self._offset) > JUMP_S:
                self._jumped_from = self._offset
            self._offset = offset
            return int((passed + offset) * 1000), int((passed + self._jumped_from) * 1000)
