"""Cache a bounded number of values; any number of threads may use a cache."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import Cache, LRUCache, TTLCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class RecentCache(Generic[K, V]):
    """The values that were used last, together at most *capacity*.

    Each value counts as one, or as what *size_of* returns for it; one that is larger than the whole capacity
    takes the whole. With *seconds* and *clock*, a value is dropped when it is that old.
    """

    def __init__(
        self,
        capacity: int,
        *,
        size_of: Callable[[V], int] | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        def size(value: V) -> int:
            return min(capacity, size_of(value)) if size_of is not None else 1

        sized = None if size_of is None else size
        self._values: Cache[K, V] = (
            LRUCache(capacity, sized)
            if seconds is None or clock is None
            else TTLCache(capacity, seconds, clock, sized)
        )
        self._lock = Lock()

    def __len__(self) -> int:
        with self._lock:
            return len(self._values)

    def get(self, key: K) -> V | None:
        """Return the value of *key*; None if it is not cached."""
        with self._lock:
            try:
                return self._values[key]
            except KeyError:
                return None

    def get_or_add(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of *key*, made and cached first if it is not cached; *make* must be quick."""
        with self._lock:
            try:
                return self._values[key]
            except KeyError:
                self._values[key] = made = make()
                return made

    def put(self, key: K, value: V) -> None:
        """Cache *value*, and drop those used longest ago if there are too many."""
        with self._lock:
            self._values[key] = value

    def drop(self, key: K) -> V | None:
        """Drop the value of *key* and return it; None if it was not cached."""
        with self._lock:
            return self._values.pop(key, None)

    def drop_all(self, which: Callable[[K, V], bool] = lambda _key, _value: True) -> list[K]:
        """Drop every value for which *which* returns True; return their keys."""
        with self._lock:
            dropped = [key for key, value in list(self._values.items()) if which(key, value)]
            for key in dropped:
                self._values.pop(key, None)
        return dropped
