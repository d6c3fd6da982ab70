"""Record that a worker is alive, and kill it if it hangs.

A record with the time is written every second, for the readiness check. A decision that takes longer than
`LONGEST_S` must be an endless loop: the process kills itself, and the command's next try is counted.
"""

from __future__ import annotations

import os
import signal
import time
from threading import Event
from typing import Final, Protocol

import structlog

from service.log.protocol import Log
from service.signals.heartbeats import record_heartbeat
from workers.periodic import PeriodicThread

EVERY_S: Final = 1.0
LONGEST_S: Final = 20.0
"""The longest time for a decision; ordinary ones take a tenth of a second at most."""

_logger: Final = structlog.get_logger()


class Deciding(Protocol):
    """Something that decides commands, as `CommandFolder` does."""

    @property
    def deciding_since(self) -> float | None:
        """When the current decision began (monotonic seconds); None between decisions."""
        ...


class HangWatch(PeriodicThread):
    """Kills the process if its *folding* hangs."""

    name = "hangs"
    every_s = EVERY_S

    def __init__(self, worker: str, folding: Deciding, stopping: Event, longest_s: float) -> None:
        super().__init__(stopping)
        self.worker = worker
        self._folding = folding
        self._longest_s = longest_s

    def look(self) -> None:
        """Check the folding."""
        since = self._folding.deciding_since
        if since is not None and time.monotonic() - since > self._longest_s:
            _logger.critical("worker.hung", worker=self.worker)
            os.kill(os.getpid(), signal.SIGKILL)


class HeartbeatThread(HangWatch):
    """Writes one worker's heartbeat, and watches its *folding*."""

    name = "heartbeat"

    def __init__(self, log: Log, worker: str, folding: Deciding, stopping: Event, longest_s: float) -> None:
        super().__init__(worker, folding, stopping, longest_s)
        self._log = log

    def look(self) -> None:
        """Check the folding, then write one heartbeat."""
        super().look()
        record_heartbeat(self._log, self.worker, int(time.time() * 1000))
