"""Divide a record into intervals: what is derived from each is kept, so that nobody reads all of it.

Workers alone write what is derived. A reader that misses it asks a worker, at most once an hour.
"""

from __future__ import annotations

from typing import Final

from service.log.protocol import Log

EVERY: Final = 256
"""The commits of one interval: interval i ends with commit i * EVERY."""

SCHEDULE: Final = "snapshots"
"""The agenda of encounters that lack snapshots or occasions."""

ASK_MS: Final = 3_600_000
"""How long nobody asks again for the same."""


def ask(log: Log, encounter: str, what: str) -> None:
    """Have a worker derive what *encounter* lacks; *what* says which of it is missed."""
    if log.use_once(f"{SCHEDULE}/{encounter}/{what}", ASK_MS):
        log.set_due(SCHEDULE, [encounter], 0, reschedule=False)
