"""HTTP/1.1 on one socket: requests in turn, each with an answer, within limits of size and time.

Errors of this layer are problems. A small answer is one write. A large one is written in pieces, each when
the client has read the one before, so that the transport copies no more than a piece.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final, Protocol

import structlog
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.exchange import Reply
from service.api.loop.adapter import WITHOUT_LENGTH, Client, StreamClient
from service.api.loop.framing import FIELDS, HEAD_BYTES, LINE_BYTES, HttpFault, Received, RequestReader
from service.api.loop.sockets import STALLED_S, SocketPhase, Sockets
from service.api.problems import MEDIA_TYPE, Problem
from service.api.request_ids import new_request_id
from service.steps import Stream

HELD_BYTES: Final = 32 * 1024
"""The socket's send buffer for a stream, in bytes; the kernel reserves twice as many, and no more."""

WAITING_BYTES: Final = 256 * 1024
"""Bytes of a client that wait for the application; while there are more, nothing is read from the socket."""

PIECE: Final = 64 * 1024
"""Bytes of an answer that a client must read within `STALLED_S` seconds, or it is dropped.

A larger answer is written in pieces of so many bytes. A larger body and a larger answer count as held.
"""

GONE_S: Final = 3
"""Seconds in which the steps of a request may end by themselves after its client has disconnected."""

_CODES: Final = {
    400: ("bad-request", "the request does not conform to HTTP/1.1 (RFC 9112)"),
    408: ("request-timeout", "the head of the request did not arrive in time"),
    414: ("target-too-long", f"a request line has at most {LINE_BYTES:,} bytes"),
    431: (
        "fields-too-large",
        f"at most {FIELDS} fields, each of {LINE_BYTES:,} bytes, {HEAD_BYTES:,} bytes with the request line",
    ),
    501: ("coding-not-supported", "the only supported Transfer-Encoding is chunked"),
    503: ("too-many-connections", "this process, or your address, has too many connections"),
}
"""The problem for each status of the HTTP layer; any other status is `internal-error`."""

STATUS_LINES: Final = tuple(
    {int(status): f"HTTP/1.{minor} {int(status)} {status.phrase}\r\n" for status in HTTPStatus}
    for minor in (0, 1)
)
"""The status line of each status, by the request's minor version."""

_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_LAST_CHUNK: Final = b"0\r\n\r\n"
_logger: Final = structlog.get_logger()


class Application(Protocol):
    """What answers requests."""

    async def __call__(self, received: Received, client: Client) -> Reply:
        """Return the response to the request *received* from *client*."""
        ...

    async def stream(self, stream: Stream[bytes], client: StreamClient) -> None:
        """Send the parts of *stream* to *client* until one of them ends."""
        ...


class Serving(Protocol):
    """The process that serves the connection."""

    application: Application
    held: Sockets
    loop: asyncio.AbstractEventLoop
    alive: bool
    """False once the process stops: then no connection is kept for another request."""
    connections: int
    """The connections that a stop waits for."""


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    """Return the field `Date` of *second*."""
    return f"Date: {formatdate(second, usegmt=True)}\r\n"


class Connection(asyncio.Protocol):
    """One connection of a client."""

    __slots__ = (
        "_gone",
        "_has_answered",
        "_is_chunked",
        "_is_closed",
        "_is_counted",
        "_is_late",
        "_is_reading_paused",
        "_is_streaming",
        "_limit",
        "_reader",
        "_serving",
        "_sockets",
        "_stall_timer",
        "_stalled_at",
        "_task",
        "_transport",
        "_waiter",
        "_writable",
        "address",
    )

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._sockets = serving.held
        self.address = ""
        self._transport: Any = None
        self._reader: RequestReader | None = None
        """None before the first byte: a socket that sends nothing costs no parser."""
        self._task: asyncio.Task[None] | None = None
        """It answers the request; None between two requests."""
        self._waiter: asyncio.Future[None] | None = None
        """What wakes the application when the body is whole, too large or late."""
        self._gone: asyncio.Future[None] | None = None
        self._writable: asyncio.Future[None] | None = None
        """Done when the client reads again; None while it does."""
        self._limit = 0
        self._is_closed = False
        """Whether nothing more is read or answered."""
        self._is_counted = False
        """Whether a stop waits for it."""
        self._is_late = False
        self._is_reading_paused = False
        self._is_streaming = False
        self._is_chunked = False
        self._has_answered = False
        self._stalled_at = 0
        self._stall_timer: asyncio.TimerHandle | None = None

    # --- from the transport ---------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Wait for a head if the limits admit the socket, else answer 503 and close."""
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        self._transport = transport
        if self._sockets.admit(self):
            self._is_counted = True
            self._serving.connections += 1
            return
        self._refuse(503, "Retry-After: 1\r\n")
        self._is_closed = True
        transport.close()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request; data after the end of the connection is read and discarded."""
        if self._is_closed:
            return
        reader = self._reader
        if reader is None:
            reader = self._reader = RequestReader()
        try:
            reader.feed(data)
        except HttpFault as fault:
            self._end_with(fault)
            return
        self._look(reader)

    def eof_received(self) -> bool:
        """Keep the connection while a whole request is answered: a client may close only its half."""
        return self._is_answering_whole and not self._is_streaming and not self._is_closed

    def pause_writing(self) -> None:
        """Start a timer: the client reads too slowly and is dropped unless it goes on reading."""
        if self._writable is None:
            self._writable = self._serving.loop.create_future()
        self._stalled_at = self._transport.get_write_buffer_size()
        self._stall_timer = self._serving.loop.call_later(STALLED_S, self._drop_if_stalled)

    def resume_writing(self) -> None:
        """Stop the timer: the client has caught up."""
        self._forget_stall()
        _resolve(self._writable)
        self._writable = None

    def connection_lost(self, _exc: Exception | None) -> None:
        """Release the socket's slot and its timer, and tell the application that the client is gone."""
        self._sockets.leave(self)
        if self._is_counted:
            self._serving.connections -= 1
        self._is_closed = True
        self.resume_writing()  # wakes a writer, which then sees the closed connection
        _resolve(self._waiter)
        _resolve(self._gone)
        if self._task is not None:
            self._serving.loop.call_later(GONE_S, self._task.cancel)
        if self._reader is not None:
            self._reader.close()

    # --- for the application --------------------------------------------------------------------------

    @property
    def server(self) -> tuple[str, int]:
        """The address and port that the client connected to."""
        name = self._transport.get_extra_info("sockname")
        return (str(name[0]), int(name[1])) if isinstance(name, tuple) and name else ("", 0)

    @property
    def gone(self) -> asyncio.Future[None]:
        """Done once the client has disconnected."""
        if self._gone is None:
            self._gone = self._serving.loop.create_future()
            if self._is_closed:
                self._gone.set_result(None)
        return self._gone

    async def body(self, limit: int) -> bytes:
        """Return the request's body; raises `RequestEntityTooLarge` past *limit* bytes, and `Problem`."""
        reader = self._reader
        assert reader is not None, "a head has been read"
        while True:
            if reader.body_size > limit:
                raise RequestEntityTooLarge
            if reader.is_whole:
                return reader.body()
            if self._is_late or self._is_closed:
                raise Problem("request-timeout", "the body did not arrive in time")
            if reader.head is not None and reader.head.is_continued and not reader.body_size:
                reader.head.is_continued = False
                self._transport.write(_CONTINUE)
            self._limit = limit
            self._waiter = self._serving.loop.create_future()
            self._resume_reading()
            try:
                await self._waiter
            finally:
                self._waiter = None

    async def send_part(self, part: bytes) -> None:
        """Send a part of a stream; return when the client may be sent the next one."""
        if self._is_closed or not part:
            return
        self._transport.write(b"%x\r\n%b\r\n" % (len(part), part) if self._is_chunked else part)
        if self._writable is not None:
            await self._writable

    # --- one request ----------------------------------------------------------------------------------

    def _look(self, reader: RequestReader) -> None:
        """Go on as far as *reader* has come: answer a request, or wait for the rest of it."""
        head = reader.head
        if self._task is None:
            if head is None:
                if reader.has_begun and self._sockets.phase(self) is SocketPhase.IDLE:
                    self._sockets.enter(self, SocketPhase.HEAD)
                return
            self._sockets.enter(self, None if reader.is_whole else SocketPhase.BODY)
            self._is_late = self._has_answered = False
            self._task = self._serving.loop.create_task(self._answer(head, reader))
        elif reader.is_whole and self._sockets.phase(self) is SocketPhase.BODY:
            self._sockets.enter(self, None)
        if reader.body_size > PIECE:
            self._sockets.bytes.hold(self, reader.body_size)
        if self._waiter is not None:
            if reader.is_whole or reader.body_size > self._limit:
                _resolve(self._waiter)
        elif reader.waiting_bytes > WAITING_BYTES and not self._is_reading_paused:
            self._is_reading_paused = True
            self._transport.pause_reading()

    async def _answer(self, head: Received, reader: RequestReader) -> None:
        """Answer the request *head*, then go on to the next one, or close."""
        is_kept = False
        try:
            is_kept = await self._respond(head, reader)
            if self._writable is not None:
                await self._writable
        except asyncio.CancelledError:
            is_kept = False  # the client is gone
        except Exception:
            _logger.exception("http.broken", target=head.target)
            is_kept = False
            if not self._has_answered and not self._is_closed:
                self._refuse(500)
        self._task = None
        self._sockets.bytes.release(self)
        if self._is_closed:
            return
        if is_kept and reader.is_whole and self._serving.alive:
            self._go_on(reader)
        else:
            self._close()

    async def _respond(self, head: Received, reader: RequestReader) -> bool:
        """Send the response to the request *head*; return whether the connection is kept."""
        application = self._serving.application
        reply = await application(head, self)
        if head.method == "HEAD" or isinstance(reply.body, bytes):
            return await self._send(head, reader, reply)
        self._limit_send_buffer()
        is_kept = self._send_start_of_stream(head, reader, reply)
        await application.stream(reply.body, self)
        if self._is_chunked:
            self._write(_LAST_CHUNK)
        return is_kept

    def _go_on(self, reader: RequestReader) -> None:
        """Read the next request, which may be there already."""
        try:
            reader.go_on()
        except HttpFault as fault:
            self._end_with(fault)
            return
        self._resume_reading()
        if reader.head is None:
            self._sockets.enter(self, SocketPhase.HEAD if reader.has_begun else SocketPhase.IDLE)
        else:
            self._look(reader)

    async def _send(self, head: Received, reader: RequestReader, reply: Reply) -> bool:
        """Send a response with a finite body, and its length; return whether the connection is kept."""
        body = reply.body if isinstance(reply.body, bytes) else b""
        framing = ""
        if reply.status not in WITHOUT_LENGTH and isinstance(reply.body, bytes):
            framing = f"Content-Length: {len(body)}\r\n"
        is_kept = self._is_kept(head, reader)
        start = _start(head, reply, framing, is_kept=is_kept)
        if self._is_closed:
            return False
        self._has_answered = True
        if head.method == "HEAD" or reply.status in WITHOUT_LENGTH:
            self._transport.write(start)
        elif len(body) < PIECE:
            self._transport.write(start + body)
        else:
            self._transport.write(start)
            await self._send_in_pieces(body)
        return is_kept

    async def _send_in_pieces(self, body: bytes) -> None:
        """Send a large body; return when the client may be sent what comes after it."""
        self._sockets.bytes.hold(self, len(body))
        for begin in range(0, len(body), PIECE):
            if self._is_closed:
                return
            self._transport.write(memoryview(body)[begin : begin + PIECE])
            if self._writable is not None:
                await self._writable

    def _send_start_of_stream(self, head: Received, reader: RequestReader, reply: Reply) -> bool:
        """Send the head of an endless response; return whether the connection is kept after it."""
        self._is_chunked = head.minor_version > 0
        is_kept = self._is_kept(head, reader) and self._is_chunked
        framing = "Transfer-Encoding: chunked\r\n" if self._is_chunked else ""
        self._write(_start(head, reply, framing, is_kept=is_kept))
        return is_kept

    def _is_kept(self, head: Received, reader: RequestReader) -> bool:
        return head.has_kept_alive and reader.is_whole and self._serving.alive

    def _write(self, data: bytes) -> None:
        if not self._is_closed:
            self._has_answered = True
            self._transport.write(data)

    # --- ends -----------------------------------------------------------------------------------------

    @property
    def _is_answering_whole(self) -> bool:
        return self._task is not None and self._reader is not None and self._reader.is_whole

    def _end_with(self, fault: HttpFault) -> None:
        """Answer what is no request, and close."""
        if not self._has_answered or self._task is None:
            self._refuse(fault.status)
        self._linger()

    def _refuse(self, status: int, more: str = "") -> None:
        """Answer a request that reached no operation with a problem."""
        code, detail = _CODES.get(status, ("internal-error", "the server failed"))
        problem = Problem(code, detail)
        request_id = new_request_id()
        body = json.dumps(problem.body("/", request_id), separators=(",", ":")).encode() + b"\n"
        start = (
            f"{STATUS_LINES[1][problem.kind.status]}"
            f"Content-Type: {MEDIA_TYPE}\r\nContent-Length: {len(body)}\r\n"
            "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            f"Request-Id: {request_id}\r\n{more}{_date(int(time.time()))}Connection: close\r\n\r\n"
        )
        self._transport.write(start.encode("latin-1") + body)

    def _close(self) -> None:
        """Close the connection; linger while the client still sends, or it would lose the response."""
        if self._is_closed:
            return
        if self._reader is not None and self._reader.has_begun:
            self._linger()
            return
        self._is_closed = True
        self._sockets.enter(self, SocketPhase.CLOSING)
        self._transport.close()

    def _linger(self) -> None:
        """Read and discard what the client still sends, for a moment."""
        self._is_closed = True
        self._sockets.enter(self, SocketPhase.LINGERING)
        self._resume_reading()
        _resolve(self._waiter)
        if self._transport.can_write_eof():
            self._transport.write_eof()

    # --- from the bounds ------------------------------------------------------------------------------

    def expire(self, phase: SocketPhase) -> None:
        """End the connection: its time in *phase* is up."""
        if phase is SocketPhase.BODY:
            self._is_late = True
            _resolve(self._waiter)
            return
        if phase in {SocketPhase.CLOSING, SocketPhase.LINGERING}:
            self.drop()
            return
        if self._reader is not None and self._reader.has_begun:
            self._refuse(408)
        self._close()

    def drop(self) -> None:
        """Abort the connection without a response."""
        self._is_closed = True
        self._transport.abort()

    def _limit_send_buffer(self) -> None:
        """Limit the kernel's send buffer of a stream, so that a stalled reader is noticed."""
        self._is_streaming = True
        line = self._transport.get_extra_info("socket")
        if line is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HELD_BYTES)

    def _resume_reading(self) -> None:
        if self._is_reading_paused:
            self._is_reading_paused = False
            self._transport.resume_reading()

    def _drop_if_stalled(self) -> None:
        waiting = self._transport.get_write_buffer_size()
        if self._stalled_at - waiting < min(PIECE, self._stalled_at):
            _logger.debug("http.stalled", address=self.address)
            self.drop()
            return
        self._stalled_at = waiting
        self._stall_timer = self._serving.loop.call_later(STALLED_S, self._drop_if_stalled)

    def _forget_stall(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None


def _start(head: Received, reply: Reply, framing: str, *, is_kept: bool) -> bytes:
    """Return the head of the response *reply*; raises `ValueError` if a field would end early."""
    fields = "".join([f"{name}: {text}\r\n" for name, text in reply.headers.items()])
    if fields.count("\n") != len(reply.headers) or fields.count("\r") != len(reply.headers) or "\0" in fields:
        raise ValueError("a field of the response has a line end in it")
    end = "\r\n" if is_kept else "Connection: close\r\n\r\n"
    line = STATUS_LINES[head.minor_version][reply.status]
    return f"{line}{fields}{framing}{_date(int(time.time()))}{end}".encode("latin-1")


def _resolve(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
