"""Schedules in a Valkey or Redis server: a sorted set of names by the time at which each is due."""

from collections.abc import Sequence

from service.log import keys
from service.log.valkey.routing import Router


class ValkeySchedules:
    """Things to do later."""

    _wire: Router

    def set_due(self, schedule: str, names: Sequence[str], at_ms: int, *, reschedule: bool) -> None:
        """Schedule *names*; see `Schedules.set_due`."""
        scored = [part for name in names for part in (at_ms, name)]
        self._wire.change("ZADD", keys.schedule(schedule), *(() if reschedule else ("NX",)), *scored)

    def due(self, schedule: str, upto_ms: int, count: int) -> list[str]:
        """Return up to *count* names that are due, the longest due first."""
        found = self._wire.read(
            "ZRANGE", keys.schedule(schedule), "-inf", upto_ms, "BYSCORE", "LIMIT", 0, count
        )
        return [name.decode() for name in found]

    def drop_due(self, schedule: str, *names: str) -> None:
        """Remove *names* from the schedule."""
        if names:
            self._wire.change("ZREM", keys.schedule(schedule), *names)
