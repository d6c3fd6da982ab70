"""Forget forks whose time is over, in a thread of its own: nobody waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Final

import structlog

from service.encounter.lines.forgetting import forget_due
from service.log.errors import StoreFailure
from service.log.protocol import Log

EVERY_S: Final = 30.0
"""How often is looked. From its end on a fork is refused at the door, so that nobody sees the difference."""

_logger: Final = structlog.get_logger()


class Forgetting:
    """Forgets for one worker; several at once do no harm. *gone* hears each encounter that is forgotten."""

    def __init__(
        self,
        log: Log,
        stopping: Event,
        gone: Callable[[str], object],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._log = log
        self._stopping = stopping
        self._gone = gone
        self._clock = clock

    def run(self) -> None:
        """Look at once, then again and again until the worker stops; an outage of the store is waited out."""
        while True:
            try:
                self.look()
            except StoreFailure as failure:
                _logger.warning("forgetting.store_down", why=type(failure).__name__)
            if self._stopping.wait(EVERY_S):
                return

    def look(self) -> None:
        """Forget all that is due now."""
        while gone := forget_due(self._log, self._clock()):
            for encounter in gone:
                self._gone(encounter)
                _logger.info("encounter.forgotten", encounter=encounter)
