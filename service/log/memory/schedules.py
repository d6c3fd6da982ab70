"""The schedules of a memory log."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any


class MemorySchedules:
    """Every schedule of the store, under the inheriting log's lock."""

    _lock: AbstractContextManager[Any]

    def __init__(self) -> None:
        self._schedules: dict[str, dict[str, int]] = {}

    def set_due(self, schedule: str, names: Sequence[str], at_ms: int, *, reschedule: bool) -> None:
        """Schedule *names*; see `Schedules.set_due`."""
        with self._lock:
            kept = self._schedules.setdefault(schedule, {})
            kept |= {name: at_ms for name in names if reschedule or name not in kept}

    def due(self, schedule: str, upto_ms: int, count: int) -> list[str]:
        """Return up to *count* names that are due, the longest due first."""
        with self._lock:
            waiting = sorted((at, name) for name, at in self._schedules.get(schedule, {}).items())
            return [name for at, name in waiting if at <= upto_ms][:count]

    def drop_due(self, schedule: str, *names: str) -> None:
        """Remove *names* from the schedule."""
        with self._lock:
            for name in names:
                self._schedules.get(schedule, {}).pop(name, None)
