"""Limit the bytes that a process holds for its clients: bodies on their way in, answers on their way out.

A client may send a body slowly, or read an answer slowly, for minutes, and on many connections at once. So
the process counts what it holds of each connection. Above the limit it drops a connection of the address that
has the most: the one that has held its bytes longest. Whoever holds little is never dropped for another.
"""

from __future__ import annotations

from typing import Final, Protocol

MOST_HELD: Final = 256 * 2**20
"""The most bytes of all bodies and answers that one process holds: eight of the largest bundles."""


class HoldingConnection(Protocol):
    """A connection for which the process holds bytes."""

    address: str

    def drop(self) -> None:
        """Abort the connection, because its bytes are too many."""
        ...


class HeldBytes:
    """The bytes that one process holds for its clients, by connection, the longest held first."""

    def __init__(self, most: int = MOST_HELD) -> None:
        self._most = most
        self._sizes: dict[HoldingConnection, int] = {}
        self._of_address: dict[str, int] = {}
        self.total = 0

    def hold(self, holder: HoldingConnection, size: int) -> None:
        """Count *size* bytes of *holder* in place of those before, and drop connections above the limit."""
        self._count(holder, size - self._sizes.get(holder, 0))
        self._sizes[holder] = size
        while self.total > self._most:
            most = max(self._of_address, key=self._of_address.__getitem__)
            dropped = next(each for each in self._sizes if each.address == most)
            self.release(dropped)
            dropped.drop()

    def release(self, holder: HoldingConnection) -> None:
        """Hold no more bytes of *holder*."""
        size = self._sizes.pop(holder, None)
        if size is not None:
            self._count(holder, -size)

    def _count(self, holder: HoldingConnection, more: int) -> None:
        self.total += more
        left = self._of_address.get(holder.address, 0) + more
        if left:
            self._of_address[holder.address] = left
        else:
            self._of_address.pop(holder.address, None)
