"""Trace what happens to a command after its request: its decision, and each delivery of its commit.

The context of a command's trace is beside it in the store. A thread of its own looks it up, and makes the
span afterwards with the times that were noted, so that nobody waits for a trace. Too many at once are
dropped.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from queue import Full, Queue
from threading import Lock, Thread
from typing import Final

import structlog

from service import tracing
from service.caches import RecentCache
from service.log.errors import LogError
from service.log.protocol import Log

_WAITING: Final = 10_000
"""Spans that may wait for the thread."""
_KNOWN: Final = 1_000
"""Contexts that are kept, because a commit may be delivered to many."""
_END_S: Final = 5.0

_logger: Final = structlog.get_logger()


@dataclass(frozen=True)
class _Noted:
    name: str
    kind: tracing.Kind
    encounter: str
    n: int
    begun: int
    ended: int
    attributes: dict[str, str | int]


class CommandTraces:
    """Makes the spans of commands in *log*; does nothing while traces are off."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._noted: Queue[_Noted | None] = Queue(_WAITING)
        self._thread: Thread | None = None
        self._lock = Lock()
        self._contexts: RecentCache[tuple[str, int], str] = RecentCache(_KNOWN)
        self._drops = False

    def note(
        self, name: str, kind: tracing.Kind, encounter: str, n: int, begun: int, **attributes: str | int
    ) -> None:
        """Make a span of what was done to command *n* from *begun* (nanoseconds) until now."""
        if not tracing.is_on():
            return
        self._start()
        try:
            self._noted.put_nowait(_Noted(name, kind, encounter, n, begun, time.time_ns(), attributes))
        except Full:
            if not self._drops:
                _logger.warning("traces.dropped")
            self._drops = True

    def close(self) -> None:
        """Wait until the noted spans are made, for a few seconds."""
        if self._thread is None:
            return
        self._noted.put(None)
        self._thread.join(_END_S)
        self._thread = None

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._go, name="traces", daemon=True)
                self._thread.start()

    def _go(self) -> None:
        while (noted := self._noted.get()) is not None:
            self._make(noted)

    def _make(self, noted: _Noted) -> None:
        """Make one span; none if its command is not traced or the store cannot say."""
        place = (noted.encounter, noted.n)
        parent = self._contexts.get(place)
        if parent is None:
            try:
                parent = self._log.trace(*place)
            except LogError:
                return
            self._contexts.put(place, parent)
        if parent:
            about = {"rewound.encounter": noted.encounter, "rewound.n": noted.n, **noted.attributes}
            tracing.record(noted.name, noted.kind, parent, noted.begun, noted.ended, about)
