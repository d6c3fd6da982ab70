"""Serve the operations of a Flask application on an event loop, as an ASGI application.

A request is answered by a generator of steps. They run on the loop until one yields `IN_POOL`; from then on
each runs in a thread of the pool. In either case a pause is awaited on the loop, so waiting holds no thread.
Flask routes a request only if `Routes` does not find its path, and answers requests that reach no operation.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

import structlog
from flask import Flask, Response, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.middleware.proxy_fix import ProxyFix

from service import tracing
from service.api.app import SERVED, request_head
from service.api.exchange import Reply, RequestHead
from service.api.loop.environ import environ_of
from service.api.loop.routes import Route, Routes
from service.api.loop.shares import Shares
from service.api.loop.sockets import SocketLimits
from service.api.operations import OPERATIONS, Operation
from service.api.problems import Problem
from service.api.serving import AppContext, serve
from service.steps import IN_POOL, Pause, Steps

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

READERS: Final = 16
"""The number of threads for operations that read and compute."""

READERS_EACH: Final = 2
"""How many of these threads one credential has at once; its further requests wait for them in order."""

QUICK: Final = 16
"""The number of threads for quick operations that have to query the store."""

FOLLOWERS: Final = 4
"""The number of threads that produce the frames of streams."""

_WITHOUT_LENGTH: Final = frozenset((204, 304))
_logger: Final = structlog.get_logger()


class StepResult(NamedTuple):
    """The result of advancing steps: their return value if they have ended, else a pause or an item."""

    has_ended: bool
    found: Any


class Folded(dict[str, str]):
    """Header fields by lower-case name."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of the field *name*, given in any case."""
        return super().get(name.lower(), default)


class LoopExchange:
    """One request on the loop."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive

    def body(self, limit: int) -> Pause[bytes]:
        """Return a pause that yields the whole body; it raises `RequestEntityTooLarge` past *limit* bytes."""
        return Pause(_cannot_block, partial(self._body, limit))

    async def _body(self, limit: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] != "http.request":
                raise Problem("request-timeout", "the body did not arrive in time")
            part = message["body"]
            size += len(part)
            if size > limit:
                raise RequestEntityTooLarge
            parts.append(part)
            if not message["more_body"]:
                return b"".join(parts)

    async def is_gone(self) -> None:
        """Return when the client has closed the connection; the body must have been read."""
        while (await self._receive())["type"] != "http.disconnect":
            pass


class LoopApplication:
    """The ASGI application around one Flask application."""

    def __init__(
        self,
        app: Flask,
        limits: SocketLimits,
        *,
        beside: Callable[[], Coroutine[Any, Any, None]],
        proxies: int = 0,
    ) -> None:
        """Serve *app* within *limits*; *beside* runs on the loop as long as the process serves."""
        self._beside = beside
        self.app = app
        self.limits = limits
        self._served: AppContext = app.extensions[SERVED]
        self._routes = Routes.of(OPERATIONS.all.values())
        self._trust = ProxyFix(_as_it_is, x_for=proxies) if proxies else None
        self._readers = ThreadPoolExecutor(READERS, "reader")
        self._shares = Shares(READERS_EACH)
        self._quick = ThreadPoolExecutor(QUICK, "quick")
        self._followers = ThreadPoolExecutor(FOLLOWERS, "follower")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request, or the lifespan of the process."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._serve(scope, receive, send)

    def begin_stop(self) -> None:
        """End all streams, which would otherwise never end, because the server is stopping."""
        self._served.services.feeds.close()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        asyncio.get_running_loop().set_default_executor(self._quick)
        beside = asyncio.get_running_loop().create_task(self._beside())
        beside.add_done_callback(_end_process)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        beside.cancel()
        await asyncio.to_thread(self._served.services.traces.close)
        await asyncio.to_thread(tracing.end)
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: Message, receive: Receive, send: Send) -> None:
        exchange = LoopExchange(receive)
        body = exchange.body
        query: bytes = scope["query_string"]
        headers = _folded(scope["headers"])
        route = self._routes.find(scope["method"], scope["raw_path"].decode("latin-1"))
        if route is None or not query.isascii() or "upgrade" in headers:
            environ = environ_of(scope)
            if self._trust is not None:
                self._trust(environ, _answer_nothing)
            with self.app.request_context(environ):
                if request.routing_exception is not None or request.endpoint is None:
                    await self._send_whole(_reply_of(self.app.full_dispatch_request()), scope, send)
                    return
                route = Route(OPERATIONS.all[request.endpoint], request.view_args or {})
                asked = request_head(request, body)
        else:
            asked = self._request_head(scope, headers, query.decode("ascii"), body)
        holder = asked.headers.get("authorization") or asked.address
        reply = await self._run(
            route.operation, serve(route.operation, self._served, route.path, asked), holder
        )
        if isinstance(reply.body, bytes) or asked.method == "HEAD":
            await self._send_whole(reply, scope, send)
        else:
            scope["extensions"]["rewound.connection"].limit_send_buffer()
            await self._stream(reply.body, _start(reply), exchange, send)

    def _request_head(
        self, scope: Message, headers: Folded, query: str, body: Callable[[int], Pause[bytes]]
    ) -> RequestHead:
        """Return the request in *scope* as operations read it."""
        client = scope["client"]
        address = str(client[0]) if client else ""
        if self._trust is not None:
            environ = {"REMOTE_ADDR": address, "HTTP_X_FORWARDED_FOR": headers.get("x-forwarded-for", "")}
            self._trust(environ, _answer_nothing)
            address = environ["REMOTE_ADDR"]
        return RequestHead(
            method=scope["method"],
            path=scope["raw_path"].decode("ascii"),
            query_text=query,
            given=_query_parameters(query) if query else {},
            headers=headers,
            address=address,
            length=0 if "transfer-encoding" in headers else int(headers.get("content-length", "0")),
            body=body,
        )

    async def _send_whole(self, reply: Reply, scope: Message, send: Send) -> None:
        """Send a response with a finite body, and its length."""
        body = reply.body if isinstance(reply.body, bytes) else b""
        start = _start(reply)
        if reply.status not in _WITHOUT_LENGTH and isinstance(reply.body, bytes):
            start["headers"].append((b"content-length", b"%d" % len(body)))
        await send(start)
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def _run(self, operation: Operation, steps: Steps[Reply], holder: str) -> Reply:
        """Run *steps* and return their return value; *holder* has a share of the threads that compute."""
        is_in_pool = False
        result: Any = None
        failure: Exception | None = None
        try:
            while True:
                if is_in_pool:
                    work = partial(_advance, steps, result, failure)
                    if operation.is_quick:
                        found = await _in(self._quick, work)
                    else:
                        async with self._shares.place(holder):
                            found = await _in(self._readers, work)
                else:
                    found = _advance(steps, result, failure)
                if found.has_ended:
                    reply: Reply = found.found
                    return reply
                result = failure = None
                if found.found is IN_POOL:
                    is_in_pool = True
                    continue
                try:
                    result = await found.found.park()
                except Exception as raised:  # noqa: BLE001 - it is raised in the steps, at the pause
                    failure = raised
        finally:
            steps.close()

    async def _stream(self, stream: Any, start: Message, exchange: LoopExchange, send: Send) -> None:
        """Send an endless body until the client disconnects."""
        gone = asyncio.ensure_future(exchange.is_gone())
        result: Any = None
        try:
            await send(start)
            while not gone.done():
                found = await _in(self._followers, partial(_advance, stream, result, None))
                if found.has_ended:
                    break
                result = None
                if not isinstance(found.found, Pause):
                    await send({"type": "http.response.body", "body": found.found, "more_body": True})
                    continue
                pause = asyncio.ensure_future(found.found.park())
                await asyncio.wait((pause, gone), return_when=asyncio.FIRST_COMPLETED)
                if not pause.done():
                    pause.cancel()
                    break
                result = pause.result()
            await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            stream.close()


def _start(reply: Reply) -> Message:
    headers = [(_field_name(name), text.encode("latin-1")) for name, text in reply.headers.items()]
    return {"type": "http.response.start", "status": reply.status, "headers": headers}


@lru_cache(maxsize=256)
def _field_name(name: str) -> bytes:
    return name.lower().encode("latin-1")


def _folded(fields: Iterable[tuple[bytes, bytes]]) -> Folded:
    """Return *fields*, whose names are in lower case; values of a repeated name are joined."""
    found = Folded()
    for raw_name, raw_text in fields:
        name, text = _text_of_name(raw_name), raw_text.decode("latin-1")
        found[name] = f"{found[name]},{text}" if name in found else text
    return found


@lru_cache(maxsize=256)
def _text_of_name(name: bytes) -> str:
    return name.decode("latin-1")


def _query_parameters(query: str) -> dict[str, list[str]]:
    """Return the parameters in *query*, parsed as Flask does."""
    found = parse_qsl(query, keep_blank_values=True, errors="werkzeug.url_quote")
    return MultiDict(found).to_dict(flat=False)


def _reply_of(response: Response) -> Reply:
    """Return Flask's own response: a problem, or the answer to a preflight."""
    headers = {name: text for name, text in response.headers.items() if name != "Content-Length"}
    if response.status_code in _WITHOUT_LENGTH:
        headers.pop("Content-Type", None)
    return Reply(response.status_code, headers, response.get_data())


def _end_process(beside: asyncio.Task[None]) -> None:
    """Terminate this process, which the master replaces, because the task beside the requests has failed."""
    if not beside.cancelled():
        _logger.critical("loop.failed", exc_info=beside.exception())
        os.kill(os.getpid(), signal.SIGTERM)


def _advance(steps: Any, result: Any, failure: Exception | None) -> StepResult:
    """Run *steps* up to their next pause or item, or to their end."""
    try:
        return StepResult(False, steps.send(result) if failure is None else steps.throw(failure))  # noqa: FBT003 - named in the class
    except StopIteration as end:
        return StepResult(True, end.value)  # noqa: FBT003 - named in the class


async def _in(pool: ThreadPoolExecutor, work: Callable[[], StepResult]) -> StepResult:
    """Run *work* in a thread of *pool* and return its result; if cancelled, wait until the thread is done."""
    running = asyncio.get_running_loop().run_in_executor(pool, copy_context().run, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait((running,))
        raise


def _cannot_block() -> bytes:
    raise AssertionError("a request on the loop must not block")


def _as_it_is(_environ: Any, _start: Any) -> tuple[()]:
    return ()


def _answer_nothing(*_: Any) -> Any:
    return None
