"""The agendas of the log in memory."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any


class MemorySchedules:
    """Every agenda of the store, under the lock of whoever inherits it."""

    _lock: AbstractContextManager[Any]

    def __init__(self) -> None:
        self._agendas: dict[str, dict[str, int]] = {}

    def set_due(self, agenda: str, names: Sequence[str], at_ms: int, *, anew: bool) -> None:
        """Put *names* on the agenda; see `Agendas.set_due`."""
        with self._lock:
            kept = self._agendas.setdefault(agenda, {})
            kept |= {name: at_ms for name in names if anew or name not in kept}

    def due(self, agenda: str, upto_ms: int, count: int) -> list[str]:
        """Read up to *count* names that are due, the longest due first."""
        with self._lock:
            waiting = sorted((at, name) for name, at in self._agendas.get(agenda, {}).items())
            return [name for at, name in waiting if at <= upto_ms][:count]

    def drop_due(self, agenda: str, name: str) -> None:
        """Take *name* from the agenda."""
        with self._lock:
            self._agendas.get(agenda, {}).pop(name, None)
