"""Hear what a server publishes on the channels of buckets, on an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import hiredis

from service.log.errors import Unavailable
from service.log.loop_line import LoopLine
from service.log.routing import Router
from service.log.wire import Reply, Wire


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
        self._confirmed: asyncio.Future[None] = loop.create_future()
        self._ended: asyncio.Future[None] = loop.create_future()

    async def begin(self) -> None:
        """Return when the server has confirmed every channel; raises `Unavailable`."""
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

    async def last(self) -> None:
        """Wait until the subscription ends, which raises `Unavailable`."""
        await self._ended

    def close(self) -> None:
        """End the subscription."""
        for line in self._lines.values():
            line.close()

    def _take(self, message: Reply) -> None:
        if isinstance(message, list) and message[0] == b"smessage":
            self._heard(message[2])
        elif isinstance(message, list) and message[0] == b"ssubscribe":
            self._awaited.discard(message[1])
            if not self._awaited and not self._confirmed.done():
                self._confirmed.set_result(None)
        else:  # an error, or the slot of a channel has moved to another node
            self._end(f"it answered {message!r}")

    def _end(self, why: str) -> None:
        if not self._ended.done():
            self._ended.set_exception(Unavailable(f"{self._router.url} has ended a subscription: {why}"))
