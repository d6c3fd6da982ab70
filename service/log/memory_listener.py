"""Hear what the log in memory publishes: one queue a subscription."""

import queue
from collections.abc import Sequence
from typing import Generic, Self, TypeVar

Heard = TypeVar("Heard")


class MemoryListener(Generic[Heard]):
    """One subscription to *buckets*; takes itself off the list of listeners at its end."""

    def __init__(self, listeners: "list[MemoryListener[Heard]]", buckets: Sequence[int]) -> None:
        self._listeners = listeners
        self._buckets = set(buckets)
        self._heard: queue.SimpleQueue[Heard | None] = queue.SimpleQueue()
        listeners.append(self)

    def hear(self, bucket: int, message: Heard) -> bool:
        """Take a message from the log if it is of a bucket that is followed; whether it is."""
        if bucket not in self._buckets:
            return False
        self._heard.put(message)
        return True

    def get(self, timeout: float) -> Heard | None:
        """Wait up to *timeout* seconds for the next message."""
        try:
            return self._heard.get(timeout=timeout) if timeout > 0 else self._heard.get_nowait()
        except queue.Empty:
            return None

    def follow(self, buckets: Sequence[int]) -> None:
        """Hear these buckets from now on, too."""
        self._buckets = self._buckets | set(buckets)

    def leave(self, buckets: Sequence[int]) -> None:
        """Hear these buckets no more."""
        self._buckets = self._buckets - set(buckets)

    def interrupt(self) -> None:
        """Have the `get` that waits, or the next one, return None."""
        self._heard.put(None)

    def close(self) -> None:
        """End the subscription."""
        if self in self._listeners:
            self._listeners.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
