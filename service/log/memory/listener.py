"""Subscribe to what a memory log publishes, with a queue for each subscription."""

import queue
from collections.abc import Sequence
from typing import Generic, Self, TypeVar

Heard = TypeVar("Heard")


class MemoryListener(Generic[Heard]):
    """One subscription to *buckets*; `close` removes it from the list of listeners."""

    def __init__(self, listeners: "list[MemoryListener[Heard]]", buckets: Sequence[int]) -> None:
        self._listeners = listeners
        self._buckets = set(buckets)
        self._heard: queue.SimpleQueue[Heard | None] = queue.SimpleQueue()
        listeners.append(self)

    def hear(self, bucket: int, message: Heard) -> bool:
        """Queue a message from the log if it follows the bucket; return whether it does."""
        if bucket not in self._buckets:
            return False
        self._heard.put(message)
        return True

    def get(self, timeout: float) -> Heard | None:
        """Return the next message; None if none comes within *timeout* seconds."""
        try:
            return self._heard.get(timeout=timeout) if timeout > 0 else self._heard.get_nowait()
        except queue.Empty:
            return None

    def follow(self, buckets: Sequence[int]) -> None:
        """Also listen to these buckets from now on."""
        self._buckets = self._buckets | set(buckets)

    def leave(self, buckets: Sequence[int]) -> None:
        """Stop listening to these buckets."""
        self._buckets = self._buckets - set(buckets)

    def interrupt(self) -> None:
        """Make the current or next `get` return None."""
        self._heard.put(None)

    def close(self) -> None:
        """End the subscription."""
        if self in self._listeners:
            self._listeners.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
