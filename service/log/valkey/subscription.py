"""Subscribe to the channels of buckets, on connections of its own.

Channels are *sharded*: a message stays on the node that has the bucket. Plain channels would repeat it to
every node of a cluster. A subscription ends with the first error and does not recover.
"""

import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Generic, NoReturn, Self, TypeVar

from service.log.errors import StoreFailure, StoreUnavailable
from service.log.valkey.routing import Router
from service.log.valkey.wire import Raw, Wire, raise_translated

CONFIRMED_S: Final = 5.0
"""Seconds within which a server must confirm a subscription."""

Heard = TypeVar("Heard")


class Subscription(Generic[Heard]):
    """One thread's subscription to the channels that *channel_of* names; *load* parses a message."""

    def __init__(
        self,
        router: Router,
        channel_of: Callable[[int], str],
        load: Callable[[bytes], Heard],
        buckets: Sequence[int],
    ) -> None:
        self._router = router
        self._closed = router.closed
        self._channel_of = channel_of
        self._load = load
        self._heard: deque[Heard] = deque()
        self._awaited: set[tuple[bytes, bytes]] = set()
        """The outstanding confirmations: their kind and channel."""
        self._waker, self._woken = socket.socketpair()
        self._woken.setblocking(False)  # noqa: FBT003 - the library's signature
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._lines: dict[Wire, Raw] = {}
        router.subscribers.add(self)
        try:
            self.follow(buckets)
        except BaseException:
            self.close()
            raise

    def follow(self, buckets: Sequence[int]) -> None:
        """Also listen to these buckets; return when the server has confirmed it."""
        self._ask("ssubscribe", buckets)

    def leave(self, buckets: Sequence[int]) -> None:
        """Stop listening to these buckets; messages heard until now are still returned."""
        self._ask("sunsubscribe", buckets)

    def get(self, timeout: float) -> Heard | None:
        """Return the next message; None if none comes within *timeout* seconds."""
        ends = time.monotonic() + timeout
        while not self._heard:
            left = max(0.0, ends - time.monotonic())
            if self._hear(left) or left == 0.0:
                break
        return self._heard.popleft() if self._heard else None

    def interrupt(self) -> None:
        """Make the current `get`, or the next one that finds nothing, return None."""
        with suppress(OSError):  # closed meanwhile
            self._waker.send(b"!")

    def close(self) -> None:
        """End the subscription."""
        self._selector.close()
        self._waker.close()
        self._woken.close()
        for line in self._lines.values():
            line.disconnect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, command: str, buckets: Sequence[int]) -> None:
        """Send *command* for the channels of *buckets* and wait until each is confirmed."""
        kind = command.encode()
        by_node: dict[Wire, list[Sequence[str]]] = {}
        for channels in self._router.by_slot([self._channel_of(bucket) for bucket in buckets]):
            by_node.setdefault(self._router.node_of(channels[0]), []).append(channels)
        try:
            for wire, several in by_node.items():
                line = self._line_to(wire)
                line.send_packed_command(line.pack_commands([(command, *channels) for channels in several]))
                self._awaited |= {(kind, each.encode()) for channels in several for each in channels}
            ends = time.monotonic() + CONFIRMED_S
            while self._awaited:
                self._hear(max(0.0, ends - time.monotonic()))
                if time.monotonic() > ends:
                    break
        except Exception as error:  # noqa: BLE001 - it is translated
            self._learn(error)
        if self._awaited:
            self._learn(StoreUnavailable(f"{self._router.url} did not confirm a subscription"))

    def _learn(self, error: Exception) -> NoReturn:
        """Raise the meaning of *error*; first read the map of slots again, for the next subscription."""
        with suppress(StoreFailure):
            self._router.refresh_if_cluster()
        raise_translated(error, self._router.url, changes=False)

    def _line_to(self, node: Wire) -> Raw:
        line = self._lines.get(node)
        if line is None:
            line = self._lines[node] = node.dedicated()
            self._selector.register(line._sock, selectors.EVENT_READ, line)  # noqa: SLF001 - redis-py has no public name for it
        return line

    def _hear(self, timeout: float) -> bool:
        """Read what arrives within *timeout* seconds; return whether `interrupt` was called."""
        interrupted = False
        for key, _ in self._selector.select(timeout):
            if key.data is None:
                interrupted = True
                with suppress(BlockingIOError):
                    self._woken.recv(4096)
            else:
                self._read(key.data)
        if self._router.closed != self._closed:
            raise StoreUnavailable(f"the connections to {self._router.url} were closed")
        return interrupted

    def _read(self, line: Raw) -> None:
        """Read every message that has arrived on *line*."""
        try:
            while line.can_read(0):
                self._take(line.read_response())
        except Exception as error:  # noqa: BLE001 - it is translated
            self._learn(error)

    def _take(self, message: Raw) -> None:
        kind, channel, value = message
        if kind == b"smessage":
            self._heard.append(self._load(value))
        elif (kind, channel) not in self._awaited:  # the channel's slot has moved to another node
            self._learn(StoreUnavailable(f"{self._router.url} has ended a subscription"))
        self._awaited.discard((kind, channel))
