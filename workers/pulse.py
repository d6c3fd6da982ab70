"""Show that a worker lives, and end it if it hangs.

A record with the time is written every second; readiness reads it. A command that is decided for longer than
any honest one may take is a loop: the process kills itself, and the command's next try is counted.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from threading import Event
from typing import Final

import structlog

from service.encounter.signals.pulse import beat
from service.log.errors import StoreFailure
from service.log.protocol import Log
from workers.fold import Folding

EVERY_S: Final = 1.0
LONGEST_S: Final = 20.0
"""What a decision may take at the very most; the longest honest ones take a tenth of a second."""

_logger: Final = structlog.get_logger()


class Pulse:
    """Beats for one worker, and watches its *foldings*."""

    def __init__(
        self,
        log: Log,
        worker: str,
        foldings: Iterable[Folding],
        stopping: Event,
        longest_s: float,
    ) -> None:
        self._log = log
        self._worker = worker
        self._foldings = tuple(foldings)
        self._stopping = stopping
        self._longest_s = longest_s

    def run(self) -> None:
        """Beat every second until the worker stops; an outage of the store is waited out."""
        down = False
        while True:
            self._watch()
            try:
                beat(self._log, self._worker, int(time.time() * 1000))
                down = False
            except StoreFailure as failure:
                if not down:
                    _logger.warning("pulse.store_down", why=type(failure).__name__)
                down = True
            if self._stopping.wait(EVERY_S):
                return

    def _watch(self) -> None:
        for folding in self._foldings:
            since = folding.deciding_since
            if since is not None and time.monotonic() - since > self._longest_s:
                _logger.critical("worker.hangs", worker=self._worker)
                os.kill(os.getpid(), signal.SIGKILL)
