"""Divide a record into intervals with stored derived data, so that no reader needs all commits.

Only workers write derived data. A reader that misses some asks a worker, at most once an hour.
"""

from __future__ import annotations

from typing import Final

from service.log.protocol import Log

EVERY: Final = 256
"""The commits of one interval: interval i ends with commit i * EVERY."""

SCHEDULE: Final = "snapshots"
"""The schedule of encounters that lack snapshots or occasions."""

ASK_MS: Final = 3_600_000
"""Milliseconds before the same is asked for again."""


def ask(log: Log, encounter: str, what: str) -> None:
    """Have a worker derive what *encounter* lacks; *what* names the missing data."""
    if log.use_once(f"{SCHEDULE}/{encounter}/{what}", ASK_MS):
        log.set_due(SCHEDULE, [encounter], 0, reschedule=False)
