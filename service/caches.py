"""Cache a bounded number of values; any number of threads may use a cache."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


SLOW_FOR_S: Final = 60.0
"""How long what was slow once counts as slow."""

_SLOW: Final = 10_000
"""How many keys are known as slow at once."""


class RecentCache(Generic[K, V]):
    """The values that were used last, together at most *capacity*; None is no value.

    Each value counts as one, or as what *size_of* returns for it; one that is larger than the whole capacity
    takes the whole. With *seconds* and *clock*, a value is dropped when it is that old, or, *by_use*, when it
    was not used for so long.
    """

    def __init__(
        self,
        capacity: int,
        *,
        size_of: Callable[[V], int] | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] | None = None,
        by_use: bool = False,
    ) -> None:
        self._capacity = capacity
        self._is_by_use = by_use
        self._size_of = size_of
        self._seconds = seconds
        self._clock = clock
        self._values: OrderedDict[K, V] = OrderedDict()
        """The value that was used last is the last one."""
        self._sizes: dict[K, int] = {}
        """Of values that count by their size."""
        self._size = 0
        self._ends: dict[K, float] = {}
        """When a value is too old, of values that become so."""
        self._lock = Lock()

    def __len__(self) -> int:
        with self._lock:
            return sum(not self._is_old(key) for key in self._values)

    def get(self, key: K) -> V | None:
        """Return the value of *key*; None if it is not cached."""
        with self._lock:
            value = self._values.get(key)
            if value is None or (self._ends and self._is_old(key)):
                return None
            self._values.move_to_end(key)
            if self._is_by_use:
                self._renew(key)
            return value

    def get_or_add(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of *key*, made and cached first if it is not cached; *make* must be quick."""
        value = self.get(key)
        if value is not None:
            return value
        with self._lock:
            value = self._values.get(key)
            if value is None or self._is_old(key):
                value = make()
                self._put(key, value)
            return value

    def put(self, key: K, value: V) -> None:
        """Cache *value*, and drop those used longest ago if there are too many."""
        with self._lock:
            self._put(key, value)

    def drop(self, key: K) -> V | None:
        """Drop the value of *key* and return it; None if it was not cached."""
        with self._lock:
            is_old = self._is_old(key)
            value = self._remove(key)
            return None if is_old else value

    def drop_all(self, which: Callable[[K, V], bool] = lambda _key, _value: True) -> list[K]:
        """Drop every value for which *which* returns True; return their keys."""
        with self._lock:
            dropped = [
                key for key, value in self._values.items() if not self._is_old(key) and which(key, value)
            ]
            for key in dropped:
                self._remove(key)
        return dropped

    def _is_old(self, key: K) -> bool:
        ends = self._ends.get(key)
        return ends is not None and self._clock is not None and self._clock() >= ends

    def _renew(self, key: K) -> None:
        assert self._clock is not None, "a cache with seconds has a clock"
        assert self._seconds is not None, "only values that become too old are renewed"
        self._ends[key] = self._clock() + self._seconds

    def _put(self, key: K, value: V) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if self._seconds is not None:
            self._renew(key)
        while self._is_by_use and self._is_old(first := next(iter(self._values))):
            self._remove(first)
        if self._size_of is None:
            if len(self._values) > self._capacity:
                self._remove(next(iter(self._values)))
            return
        size = min(self._capacity, self._size_of(value))
        self._size += size - self._sizes.get(key, 0)
        self._sizes[key] = size
        while self._size > self._capacity:
            self._remove(next(iter(self._values)))

    def _remove(self, key: K) -> V | None:
        self._ends.pop(key, None)
        self._size -= self._sizes.pop(key, 0)
        return self._values.pop(key, None)


class SlowKeys(Generic[K]):
    """The keys of what was slow within the last minute, by a *clock*."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._until: RecentCache[K, bool] = RecentCache(_SLOW, seconds=SLOW_FOR_S, clock=clock)

    def __contains__(self, key: K) -> bool:
        return self._until.get(key) is not None

    def add(self, key: K) -> None:
        """Note that *key* was slow now."""
        self._until.put(key, True)  # noqa: FBT003 - a cache of nothing else
