"""Look every so often until the worker stops, whatever befalls one look: what every thread of a worker does.

Laws. The first look is at once. A ring only makes the next one sooner, and many rings make one look. An
outage of the store is waited out and said once; any other fault of a look is said and ends nothing: a worker
whose thread died would look well.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from threading import Event
from typing import Final

import structlog

from service.log.errors import StoreFailure

END_S: Final = 1.0
"""How soon a thread that is rung for notices the worker's end by itself; a worker that ends rings."""

_logger: Final = structlog.get_logger()


class WorkerStopped(Exception):
    """Say that a look was left, because the worker ends; what it did not do is left for another."""


class PeriodicThread(ABC):
    """Looks in a thread of its own; a class of them says what is looked at, and how often."""

    name: str
    """What it is called in the log."""

    every_s: float
    """How long a look may be after the one before, if nobody rings."""

    gap_s: float | None = None
    """The least time between two looks, however often somebody rings; None where nobody rings."""

    def __init__(self, stopping: Event) -> None:
        self.stopping = stopping
        self._rung = Event()
        self._is_down = False

    @abstractmethod
    def look(self) -> None:
        """Do what there is to do now; may raise `StoreFailure` or `WorkerStopped`."""

    def ring(self) -> None:
        """See that somebody looks soon; any thread may."""
        self._rung.set()

    def run(self) -> None:
        """Look again and again until told to stop."""
        while True:
            self._rung.clear()
            self._look_safely()
            if not self._rest():
                return

    def _rest(self) -> bool:
        """Wait until it is time for the next look; False where the worker ends."""
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
                _logger.warning("lookout.store_down", of=self.name, why=type(failure).__name__)
            self._is_down = True
        except Exception as fault:  # noqa: BLE001 - the next look comes, whatever was wrong with this one
            _logger.error("lookout.failed", of=self.name, error=type(fault).__name__)  # noqa: TRY400 - ids only
