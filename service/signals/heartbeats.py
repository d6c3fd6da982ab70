"""Know which workers live: each writes the time beside its name, again and again.

The records lie on a shelf of the log. A worker that ends leaves its last one behind; those that live drop it
a minute later, so that the shelf holds no more names than workers of the last minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

from service.log.protocol import Log

SHELF: Final = "workers"
"""The shelf of the names, and the agenda of those to drop."""
STALE_MS: Final = 10_000
"""How old the last beat of a worker that lives may be, or how far ahead the clock of its machine."""
JUMP_S: Final = 1.0
"""Seconds by which a clock of the day must differ from a steady one to have been set; less is drift."""
KEPT_MS: Final = 60_000
"""How long the name of a worker that ended is kept."""

_PAGE: Final = 50


def beat(log: Log, worker: str, now_ms: int) -> None:
    """Write that *worker* lives, and drop a page of those that ended."""
    log.put_record(SHELF, worker, b"%d" % now_ms)
    log.set_due(SHELF, [worker], now_ms + KEPT_MS, reschedule=True)
    for ended in log.due(SHELF, now_ms, _PAGE):
        log.drop_record(SHELF, ended)
        log.drop_due(SHELF, ended)


class Heartbeats:
    """Knows which workers live, also while somebody sets the clock of this machine.

    A steady clock shows by how much the clock of the day has jumped since the last look. A beat counts if it
    is fresh by what the clock of the day shows now, or by what it would show without its last jump.
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
        """Return the workers that live, those that were started last first; raises `StoreFailure`."""
        now = self._now_ms()
        found: list[str] = []
        before = None
        while page := self._log.records(SHELF, before, _PAGE):
            found += [
                record.id for record in page if any(abs(each - int(record.blob)) < STALE_MS for each in now)
            ]
            before = page[-1].number
        return tuple(found)

    def _now_ms(self) -> tuple[int, int]:
        """Return the time, and what it would be without the last jump."""
        with self._lock:
            passed = self._monotonic()
            offset = self._clock() - passed
            if abs(offset - self._offset) > JUMP_S:
                self._jumped_from = self._offset
            self._offset = offset
            return int((passed + offset) * 1000), int((passed + self._jumped_from) * 1000)
