"""Record that a worker is alive, and kill it if it hangs.

A record with the time is written every second, for the readiness check. A decision that takes longer than
`LONGEST_S` must be an endless loop: the process kills itself, and the command's next try is counted.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from threading import Event
from typing import Final

import structlog

from service.log.protocol import Log
from service.signals.heartbeats import record_heartbeat
from workers.fold import CommandFolder
from workers.periodic import PeriodicThread

EVERY_S: Final = 1.0
LONGEST_S: Final = 20.0
"""The longest time for a decision; ordinary ones take a tenth of a second at most."""

_logger: Final = structlog.get_logger()


class HeartbeatThread(PeriodicThread):
    """Writes one worker's heartbeat, and watches its *foldings*."""

    name = "heartbeat"
    every_s = EVERY_S

    def __init__(
        self,
        log: Log,
        worker: str,
        foldings: Iterable[CommandFolder],
        stopping: Event,
        longest_s: float,
    ) -> None:
        super().__init__(stopping)
        self._log = log
        self._worker = worker
        self._foldings = tuple(foldings)
        self._longest_s = longest_s

    def look(self) -> None:
        """Check the folders, then write one heartbeat."""
        self._watch()
        record_heartbeat(self._log, self._worker, int(time.time() * 1000))

    def _watch(self) -> None:
        for folding in self._foldings:
            since = folding.deciding_since
            if since is not None and time.monotonic() - since > self._longest_s:
                _logger.critical("worker.hung", worker=self._worker)
                os.kill(os.getpid(), signal.SIGKILL)
