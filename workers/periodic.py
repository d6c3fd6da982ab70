"""The base of a worker's threads: look at regular intervals until the worker stops.

Laws. The first look is immediate. A ring only makes the next look sooner, and several rings make one look. An
outage of the store is logged once and waited out. Any other fault of a look is logged and does not end the
thread, because a worker without one of its threads would look healthy.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from threading import Event
from typing import Final

import structlog

from service.log.errors import StoreFailure

END_S: Final = 1.0
"""How soon a waiting thread notices by itself that the worker stops; a stopping worker also rings."""

_logger: Final = structlog.get_logger()


class WorkerStopped(Exception):
    """The worker stops, so a look was broken off; another worker does the rest."""


class PeriodicThread(ABC):
    """A look at regular intervals; a subclass defines the look and the intervals."""

    name: str
    """The thread's name in the log."""

    every_s: float
    """Seconds between two looks if nobody rings."""

    gap_s: float | None = None
    """The least seconds between two looks, however often it is rung; None if rings are ignored."""

    def __init__(self, stopping: Event) -> None:
        self.stopping = stopping
        self._rung = Event()
        self._is_down = False

    @abstractmethod
    def look(self) -> None:
        """Do the work that is due now; may raise `StoreFailure` or `WorkerStopped`."""

    def ring(self) -> None:
        """Make the next look come sooner. Thread-safe."""
        self._rung.set()

    def run(self) -> None:
        """Look repeatedly until the worker stops."""
        while True:
            self._rung.clear()
            self._look_safely()
            if not self._rest():
                return

    def _rest(self) -> bool:
        """Wait for the next look; return False if the worker stops."""
        if self.gap_s is None:
            return not self.stopping.wait(self.every_s)
        until = time.monotonic() + self.every_s
        if self.stopping.wait(self.gap_s):
            return False
        while not self.stopping.is_set() and not self._rung.is_set():
            left = until - time.monotonic()
            if left <= 0:
                break
            self._rung.wait(min(left, END_S))
        return not self.stopping.is_set()

    def _look_safely(self) -> None:
        try:
            self.look()
            self._is_down = False
        except WorkerStopped:
            return
        except StoreFailure as failure:
            if not self._is_down:
                _logger.warning("thread.store_down", thread=self.name, why=type(failure).__name__)
            self._is_down = True
        except Exception as fault:  # noqa: BLE001 - one look's fault must not prevent the next
            _logger.error("thread.failed", thread=self.name, error=type(fault).__name__)  # noqa: TRY400 - ids only
