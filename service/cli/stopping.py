"""Count requests to stop: ctrl-C, SIGTERM or SIGHUP."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Counts the signals to stop.

    They count even if this process was started with them ignored, as a shell does for background jobs.
    """

    def __init__(self) -> None:
        self.asked = 0
        self._interrupts = False
        for number in _STOPPING:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - as signals are handed out
        self.asked += 1
        if self._interrupts:
            raise KeyboardInterrupt

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Let a signal raise `KeyboardInterrupt` at once while the context lasts."""
        self._interrupts = True
        try:
            if self.is_stopping():
                raise KeyboardInterrupt
            yield
        finally:
            self._interrupts = False

    def is_stopping(self) -> bool:
        """Return whether to stop."""
        return self.asked > 0

    def is_hurried(self) -> bool:
        """Return whether to stop without waiting for processes to finish."""
        return self.asked > 1
