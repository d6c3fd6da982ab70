"""HTTP/1.1 on one socket: gunicorn's protocol, with limits of size and time, and errors as problems.

gunicorn's own protocol limits neither the time of a head nor that of a whole body, never closes a connection
whose client does not read, and answers errors as text.
"""

from __future__ import annotations

import asyncio
import json
import socket
from http import HTTPStatus
from typing import Any, Final

from gunicorn.asgi import protocol  # type: ignore[import-untyped]  # it ships none
from gunicorn.asgi.parser import (  # type: ignore[import-untyped]  # as above
    InvalidHeader,
    LimitRequestHeaders,
    UnsupportedTransferCoding,
)

from service.api.loop.sockets import STALLED_S, SocketPhase, Sockets
from service.api.problems import MEDIA_TYPE, Problem
from service.api.request_ids import new_request_id

HEAD_BYTES: Final = 32 * 1024
"""The maximum size, in bytes, of a request line and header fields together."""

HELD_BYTES: Final = 32 * 1024
"""The socket's send buffer for a stream, in bytes; the kernel reserves twice as many, and no more."""

PIECE: Final = 64 * 1024
"""Bytes of an answer that a client must read within `STALLED_S` seconds, or it is dropped."""

_CODES: Final = {
    400: ("bad-request", "the request does not conform to HTTP/1.1 (RFC 9112)"),
    408: ("request-timeout", "the head of the request did not arrive in time"),
    414: ("target-too-long", "the request's target is too long"),
    431: ("fields-too-large", "the request has too many or too large header fields"),
    501: ("coding-not-supported", "the only supported Transfer-Encoding is chunked"),
    503: ("too-many-connections", "this process, or your address, has too many connections"),
}
"""The problem for each status of the HTTP layer; any other status is `internal-error`."""

for _status in HTTPStatus:  # gunicorn's own table lacks some, for example 412
    for _version in ((1, 0), (1, 1)):
        protocol._get_cached_status_line(_version, int(_status), _status.phrase)  # noqa: SLF001 - a cache without a public interface


class FlowControl:
    """Makes writers wait while the client does not read.

    gunicorn's own has an event for each connection, nearly a kilobyte; here it exists only in a pause.
    """

    __slots__ = ("_is_writable_event", "write_paused")

    def __init__(self) -> None:
        self.write_paused = False
        self._is_writable_event: asyncio.Event | None = None

    async def drain(self) -> None:
        """Wait until the transport accepts data."""
        if self._is_writable_event is not None:
            await self._is_writable_event.wait()

    def pause_writing(self) -> None:
        """Make writers wait."""
        if not self.write_paused:
            self.write_paused = True
            self._is_writable_event = asyncio.Event()

    def resume_writing(self) -> None:
        """Let writers go on."""
        self.write_paused = False
        if self._is_writable_event is not None:
            self._is_writable_event.set()
            self._is_writable_event = None


class Connection(protocol.ASGIProtocol):  # type: ignore[misc]  # gunicorn is untyped
    """One connection of a client."""

    def __init__(self, worker: Any) -> None:
        super().__init__(worker)
        self.address = ""
        self._sockets: Sockets = worker.held
        self._head_bytes = 0
        self._is_lingering = False
        self._is_streaming = False
        self._stalled_at = 0
        self._stall_timer: Any = None

    # --- from the transport ---------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Wait for a head if the limits admit the socket, else answer 503 and close.

        A socket that sends nothing costs neither parser nor task: gunicorn begins with its first byte.
        """
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        self.transport = transport
        if self._sockets.admit(self):
            self.worker.nr_conns += 1  # a stop waits for it
            return
        self._conn_lost_handled = True  # it is not counted
        self._send_error_response(503, "", (("Retry-After", "1"),))
        self._closed = True
        transport.close()

    def data_received(self, data: bytes) -> None:
        """Feed the parser; data after the end of the connection is read and discarded."""
        if self._is_lingering or self._closed:
            return
        if self._callback_parser is None:
            self.worker.nr_conns -= 1  # gunicorn counts it from here on
            super().connection_made(self.transport)
            self._flow_control = FlowControl()
        if self._current_request is None:
            self._head_bytes += len(data)
            if self._sockets.phase(self) is SocketPhase.IDLE:
                self._sockets.enter(self, SocketPhase.HEAD)
        super().data_received(data)
        if self._current_request is None and self._head_bytes > HEAD_BYTES and not self._closed:
            self._send_error_response(431, "")
            self._close_transport()

    def eof_received(self) -> bool:
        """Keep the connection while a whole request is answered: a client may close only its half."""
        parser = self._callback_parser
        is_whole = self._current_request is not None and parser is not None and parser.is_complete
        return bool(is_whole and not self._is_streaming and not self._closed)

    def pause_writing(self) -> None:
        """Start a timer: the client reads too slowly and is dropped unless it goes on reading."""
        super().pause_writing()
        self._stalled_at = self.transport.get_write_buffer_size()
        self._stall_timer = self.worker.loop.call_later(STALLED_S, self._drop_if_stalled)

    def resume_writing(self) -> None:
        """Stop the timer: the client has caught up."""
        self._forget_stall()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the socket's slot and its timer."""
        self._sockets.leave(self)
        self._forget_stall()
        if self._flow_control is not None:
            self._flow_control.resume_writing()  # wakes a writer, which then sees the closed connection
        super().connection_lost(exc)

    # --- from the parser ------------------------------------------------------------------------------

    def _on_headers_complete(self) -> Any:
        """Check the head before any code of the application runs."""
        parser = self._callback_parser
        has_host = parser.http_version < (1, 1)
        size = len(parser.path)
        for name, value in parser.headers:
            size += len(name) + len(value)
            if name == b"host":
                has_host = True
            elif name == b"transfer-encoding" and value.lower() != b"chunked":
                raise UnsupportedTransferCoding("only chunked is supported")
        if not has_host:
            raise InvalidHeader("an HTTP/1.1 request must have a Host field")
        if size > HEAD_BYTES:
            raise LimitRequestHeaders("the head is too large")
        found = super()._on_headers_complete()
        self._sockets.enter(self, SocketPhase.BODY)
        return found

    def _on_message_complete(self) -> None:
        """Record that the whole request has arrived."""
        super()._on_message_complete()
        self._head_bytes = 0
        self._sockets.enter(self, None)

    # --- from gunicorn's loop of requests -------------------------------------------------------------

    async def _serve_http_request(self, request: Any, sockname: Any, peername: Any) -> bool:
        """Answer in this connection's task, because nothing of the application runs on after its response."""
        goes_on: bool = await self._handle_http_request(request, sockname, peername)
        return goes_on

    def _arm_keepalive_timer(self) -> None:
        """Wait for the next request; a part may have arrived already."""
        self._head_bytes = len(getattr(self._callback_parser, "_buffer", b""))
        self._sockets.enter(self, SocketPhase.HEAD if self._head_bytes else SocketPhase.IDLE)

    def _cancel_keepalive_timer(self) -> None:
        """Do nothing, because the phase changed when the request came."""

    def _is_websocket_upgrade(self, _request: Any) -> bool:
        """Return false, because no operation is a WebSocket."""
        return False

    def _build_http_scope(self, request: Any, sockname: Any, peername: Any) -> dict[str, Any]:
        """Return the ASGI scope, with this connection as the extension `rewound.connection`."""
        scope: dict[str, Any] = super()._build_http_scope(request, sockname, peername)
        scope["extensions"] = {"rewound.connection": self}
        return scope

    def _send_error_response(self, status: int, _message: str, extra_headers: Any = ()) -> None:
        """Answer a request that reached no operation with a problem."""
        code, detail = _CODES.get(status, ("internal-error", "the server failed"))
        problem = Problem(code, detail)
        request_id = new_request_id()
        body = json.dumps(problem.body("/", request_id), separators=(",", ":")).encode() + b"\n"
        fields = {
            "Content-Type": MEDIA_TYPE,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Request-Id": request_id,
            "Connection": "close",
            **dict(extra_headers),
        }
        lines = [f"HTTP/1.1 {problem.kind.status} {HTTPStatus(problem.kind.status).phrase}"]
        lines += [f"{name}: {text}" for name, text in fields.items()]
        self._safe_write("\r\n".join((*lines, "", "")).encode() + body)

    def _close_transport(self) -> None:
        """Close the connection; linger while the client still sends, or it would lose the response."""
        if self._closed or self.transport is None:
            return
        parser = self._callback_parser
        is_whole = self._current_request is not None and parser is not None and parser.is_complete
        self._sockets.enter(self, SocketPhase.CLOSING)
        if is_whole or self._head_bytes == 0:
            super()._close_transport()
            return
        self._sockets.enter(self, SocketPhase.LINGERING)
        self._closed = self._is_lingering = True
        self._resume_reading()
        if self._request_ready is not None:
            self._request_ready.set()
        if self.transport.can_write_eof():
            self.transport.write_eof()

    # --- from the bounds ------------------------------------------------------------------------------

    def expire(self, phase: SocketPhase) -> None:
        """End the connection: its time in *phase* is up."""
        if phase is SocketPhase.BODY and self._body_receiver is not None:
            self._body_receiver._body_wait_expired = True  # noqa: SLF001 - gunicorn limits only the wait for each piece
            self._body_receiver._wake_waiter()  # noqa: SLF001 - as above
            return
        if phase in {SocketPhase.CLOSING, SocketPhase.LINGERING}:
            self.drop()
            return
        if self._head_bytes > 0:
            self._send_error_response(408, "")
        self._close_transport()
        if self._request_ready is not None:
            self._request_ready.set()

    def drop(self) -> None:
        """Abort the connection without a response."""
        self._closed = True
        self.transport.abort()
        if self._request_ready is not None:
            self._request_ready.set()

    def limit_send_buffer(self) -> None:
        """Limit the kernel's send buffer of a stream, so that a stalled reader is noticed."""
        self._is_streaming = True
        line = self.transport.get_extra_info("socket")
        if line is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HELD_BYTES)

    def _drop_if_stalled(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        if self._stalled_at - waiting < min(PIECE, self._stalled_at):
            self.log.debug("Dropping a client that does not read: %s", self.address)
            self.drop()
            return
        self._stalled_at = waiting
        self._stall_timer = self.worker.loop.call_later(STALLED_S, self._drop_if_stalled)

    def _forget_stall(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
