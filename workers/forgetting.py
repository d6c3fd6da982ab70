"""Forget forks whose time is over, in a thread of its own: nobody waits for it."""

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
"""How often is looked. From its end on a fork is refused at the door, so that nobody sees the difference."""

_logger: Final = structlog.get_logger()


class ForkExpiry(PeriodicThread):
    """Forgets for one worker; several at once do no harm. *gone* hears each encounter that is forgotten."""

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
        """Forget all that is due now."""
        while gone := delete_expired(self._log, self._clock()):
            for encounter in gone:
                self._gone(encounter)
                _logger.info("encounter.forgotten", encounter=encounter)
