"""Note that somebody asked to stop: ctrl-C, or a signal of the system's."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Notes how often somebody asked to stop.

    The signals count also where this process was started with them ignored, as a shell does for jobs in the
    background.
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
        """Raise `KeyboardInterrupt` wherever this process is when it is asked, as long as this lasts."""
        self._interrupts = True
        try:
            if self.is_stopping():
                raise KeyboardInterrupt
            yield
        finally:
            self._interrupts = False

    def is_stopping(self) -> bool:
        """Tell whether to stop."""
        return self.asked > 0

    def is_hurried(self) -> bool:
        """Tell whether to stop without waiting for anybody."""
        return self.asked > 1
