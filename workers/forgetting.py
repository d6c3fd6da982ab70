"""Delete expired forks, in a thread of its own because nobody waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Final

import structlog

from service.log.protocol import Log
from service.stores.expired_forks import delete_expired
from workers.periodic import PeriodicThread

EVERY_S: Final = 30.0
"""Seconds between two looks. The API refuses a fork from its expiry on, so the delay is invisible."""

_logger: Final = structlog.get_logger()


class ForkExpiry(PeriodicThread):
    """One worker's thread that deletes expired forks; *gone* is called with each. Several may run."""

    name = "forgetting"
    every_s = EVERY_S

    def __init__(
        self,
        log: Log,
        stopping: Event,
        gone: Callable[[str], object],
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(stopping)
        self._log = log
        self._gone = gone
        self._clock = clock

    def look(self) -> None:
        """Delete all forks that have expired."""
        while gone := delete_expired(self._log, self._clock()):
            for encounter in gone:
                self._gone(encounter)
                _logger.info("encounter.forgotten", encounter=encounter)
