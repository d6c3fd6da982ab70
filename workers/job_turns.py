"""Let the jobs of a worker share one processor in turns, so that a long job delays a short one by a turn.

One thread works at a time. It gives way at its next step once its turn is over and another waits; the one
that waits longest is next. So whatever folds competes with one thread of jobs, however many jobs there
are.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, get_ident
from typing import Final

TURN_S: Final = 0.05
"""How long a job works while another waits; its current step may take longer."""


class JobTurns:
    """The turns of the jobs of one worker. Thread-safe."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: deque[int] = deque()
        self._working: int | None = None
        self._since = 0.0

    @contextmanager
    def working(self) -> Iterator[None]:
        """Wait for a turn, and be the thread that works until the end."""
        self._begin()
        try:
            yield
        finally:
            self._end()

    def give_way(self) -> None:
        """Let a thread that waits work first, if this one's turn is over; do nothing in one without turns."""
        if self._working != get_ident() or time.monotonic() - self._since < TURN_S:
            return
        with self._changed:
            is_alone = not self._waiting
        if is_alone:
            return
        self._end()
        self._begin()

    def _begin(self) -> None:
        me = get_ident()
        with self._changed:
            self._waiting.append(me)
            self._changed.wait_for(lambda: self._working is None and self._waiting[0] == me)
            self._waiting.popleft()
            self._working = me
            self._since = time.monotonic()

    def _end(self) -> None:
        with self._changed:
            self._working = None
            self._changed.notify_all()
