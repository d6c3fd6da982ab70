"""Send an event loop's changes to one server: all that wait in one round trip, each once.

One batch is in flight at a time, and the next leaves when all replies have come. So under load the server
syncs its log once for many changes, and a single change waits for no other.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

import hiredis

from service.log.errors import OutcomeUnknown, StoreFailure, WouldWait
from service.log.valkey.loop_line import LoopLine
from service.log.valkey.routing import Router
from service.log.valkey.wire import ANSWER_S, DID_NOTHING, Command, Reply, Wire, raise_translated

BATCH: Final = 256
"""The most changes in one batch."""

_MOVED: Final = ("MOVED ", "ASK ", "TRYAGAIN ", "CLUSTERDOWN ", "READONLY ", "Function not found")
"""Prefixes of a node's errors that mean it did nothing; the router knows how to proceed."""


class Pipe:
    """The changes of one loop for one node."""

    def __init__(self, router: Router, wire: Wire) -> None:
        self._router = router
        self._wire = wire
        self._loop = asyncio.get_running_loop()
        self._line: LoopLine | None = None
        self._closed = 0
        self._opening: asyncio.Task[None] | None = None
        self._is_scheduled = False
        self._waiting: deque[tuple[bytes, asyncio.Future[Reply]]] = deque()
        self._sent: deque[asyncio.Future[Reply]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def change(self, command: Command) -> asyncio.Future[Reply]:
        """Send one change, once; its future raises `StoreUnavailable`, `StoreFull` or `OutcomeUnknown`.

        It raises `WouldWait` if the router must first find the node; nothing was done then.
        """
        future: asyncio.Future[Reply] = self._loop.create_future()
        packed = hiredis.pack_command(tuple(command))  # type: ignore[arg-type] # it takes any mix of them
        self._waiting.append((packed, future))
        self._schedule()
        return future

    def _schedule(self) -> None:
        if not (self._is_scheduled or self._sent or self._opening):
            self._is_scheduled = True
            self._loop.call_soon(self._send)  # with all others of this turn of the loop

    def _send(self) -> None:
        self._is_scheduled = False
        if self._line is not None and self._router.closed != self._closed:
            self._drop()
        if self._line is None:
            self._opening = self._loop.create_task(self._open())
            return
        batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
        if batch:
            self._sent.extend(future for _, future in batch)
            self._timer = self._loop.call_later(ANSWER_S, self._fail, "no answer came in time")
            self._line.write(b"".join(packed for packed, _ in batch))

    async def _open(self) -> None:
        try:
            self._closed = self._router.closed
            self._line = await LoopLine.open(self._wire, self._hear, self._fail)
        except StoreFailure as failure:  # nothing was sent
            while self._waiting:
                _raise_in(self._waiting.popleft()[1], failure)
        finally:
            self._opening = None
        if self._waiting:
            self._send()

    def _hear(self, reply: Reply) -> None:
        if not self._sent:
            self._fail("the server sent an unasked reply")
            return
        future = self._sent.popleft()
        if isinstance(reply, Exception):
            _raise_in(future, self._meant(reply))
        elif not future.done():
            future.set_result(reply)
        if not self._sent:
            self._stop_timer()
            if self._waiting:
                self._send()

    def _meant(self, error: Exception) -> Exception:
        """Return the meaning of the server's *error* for a change."""
        if str(error).removeprefix("ERR ").startswith(_MOVED) or isinstance(error, DID_NOTHING):
            return WouldWait()
        try:
            raise_translated(error, self._wire.url, changes=True)
        except Exception as meant:  # noqa: BLE001 - the waiting caller gets it
            return meant

    def _fail(self, why: str) -> None:
        """Close the connection: what was sent is unknown, and what waits is sent on a new one."""
        self._drop()
        while self._sent:
            _raise_in(self._sent.popleft(), OutcomeUnknown(f"{self._wire.url} did not answer: {why}"))
        if self._waiting:
            self._schedule()

    def _drop(self) -> None:
        self._stop_timer()
        if self._line is not None:
            self._line.close()
            self._line = None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _raise_in(future: asyncio.Future[Reply], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
