"""Subscribe on an event loop to the channels of buckets."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence

import hiredis

from service.log.errors import StoreUnavailable
from service.log.valkey.loop_line import LoopLine
from service.log.valkey.routing import Router
from service.log.valkey.wire import Reply, Wire


class LoopSubscription:
    """A subscription to *channels*; *heard* is called with the bytes of every message."""

    def __init__(self, router: Router, channels: Sequence[str], heard: Callable[[bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        self._router = router
        self._closed = router.closed
        self._channels = channels
        self._heard = heard
        self._lines: dict[Wire, LoopLine] = {}
        self._awaited: set[bytes] = set()
        self._followed: dict[bytes, asyncio.Future[None]] = {}
        """Channels beside the first ones, each with its confirmation."""
        self._left: Counter[bytes] = Counter()
        """How many confirmations are to come that a channel was left."""
        self._confirmed: asyncio.Future[None] = loop.create_future()
        self._ended: asyncio.Future[None] = loop.create_future()

    async def begin(self) -> None:
        """Return when the server has confirmed every channel; raise `StoreUnavailable`."""
        loop = asyncio.get_running_loop()
        parted = await loop.run_in_executor(None, self._router.by_slot, self._channels)
        for channels in parted:
            node = await loop.run_in_executor(None, self._router.node_of, channels[0])
            if node not in self._lines:
                self._lines[node] = await LoopLine.open(node, self._take, self._end)
            self._awaited |= {channel.encode() for channel in channels}
            command = ("SSUBSCRIBE", *channels)
            self._lines[node].write(hiredis.pack_command(command))  # type: ignore[arg-type]  # as in `Pipe`
        await asyncio.wait((self._confirmed, self._ended), return_when=asyncio.FIRST_COMPLETED)
        if self._ended.done():
            self._ended.result()

    async def follow(self, channel: str) -> None:
        """Hear *channel* too; returns when the server has confirmed it. Raises `StoreUnavailable`."""
        name = channel.encode()
        confirmed = self._followed.get(name)
        if confirmed is None:
            confirmed = self._followed[name] = asyncio.get_running_loop().create_future()
            self._send("SSUBSCRIBE", channel)
        await asyncio.wait((confirmed, self._ended), return_when=asyncio.FIRST_COMPLETED)
        if self._ended.done():
            self._ended.result()

    def leave(self, channel: str) -> None:
        """Hear *channel* no more."""
        name = channel.encode()
        confirmed = self._followed.pop(name, None)
        if confirmed is not None and not self._ended.done():
            self._left[name] += 1
            self._send("SUNSUBSCRIBE", channel)

    def _send(self, command: str, channel: str) -> None:
        """Send *command* to the node that keeps *channel*; where it has changed the subscription ends."""
        try:
            line = self._lines[self._router.node_of(channel)]
        except (StoreUnavailable, KeyError):
            self._end(f"{channel} has moved")
            return
        line.write(hiredis.pack_command((command, channel)))  # type: ignore[arg-type]  # as in `Pipe`

    async def last(self) -> None:
        """Wait until the subscription ends, which raises `StoreUnavailable`."""
        await self._ended

    def close(self) -> None:
        """End the subscription."""
        for line in self._lines.values():
            line.close()

    def _take(self, message: Reply) -> None:
        if isinstance(message, list) and message[0] == b"smessage":
            self._heard(message[2])
        elif isinstance(message, list) and message[0] == b"ssubscribe":
            self._confirm(message[1])
        elif isinstance(message, list) and message[0] == b"sunsubscribe" and self._left[message[1]]:
            self._left[message[1]] -= 1
        else:  # an error, or the slot of a channel has moved to another node
            self._end(f"it answered {message!r}")

    def _confirm(self, channel: bytes) -> None:
        self._awaited.discard(channel)
        if not self._awaited and not self._confirmed.done():
            self._confirmed.set_result(None)
        followed = self._followed.get(channel)
        if followed is not None and not followed.done():
            followed.set_result(None)

    def _end(self, why: str) -> None:
        if not self._ended.done():
            self._ended.set_exception(StoreUnavailable(f"{self._router.url} has ended a subscription: {why}"))
