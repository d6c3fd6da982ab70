"""Hear what the log in memory publishes: one queue a subscription."""

import queue
from typing import Generic, Self, TypeVar

Heard = TypeVar("Heard")


class MemoryListener(Generic[Heard]):
    """One subscription; takes itself off the list of listeners at its end."""

    def __init__(self, listeners: "list[MemoryListener[Heard]]") -> None:
        self._listeners = listeners
        self._heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        listeners.append(self)

    def hear(self, message: Heard) -> None:
        """Take a message from the log."""
        self._heard.put(message)

    def get(self, timeout: float) -> Heard | None:
        """Wait up to *timeout* seconds for the next message."""
        try:
            return self._heard.get(timeout=timeout) if timeout > 0 else self._heard.get_nowait()
        except queue.Empty:
            return None

    def close(self) -> None:
        """End the subscription."""
        if self in self._listeners:
            self._listeners.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
