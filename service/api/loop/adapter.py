"""Serve a Flask application on an event loop, as an ASGI application.

A view returns its response, or the steps towards it. Steps run on the loop until they ask for the pool;
from then on each runs in a thread of it. A pause is awaited on the loop in either case, so what waits
holds no thread.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from types import GeneratorType
from typing import Any, Final, NamedTuple

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.middleware.proxy_fix import ProxyFix

from service.api.exchange import ON_LOOP
from service.api.loop.environ import environ_of
from service.api.loop.sockets import Limits
from service.api.operations import OPERATIONS
from service.api.problems import Problem
from service.steps import IN_POOL, Pause

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

READERS: Final = 16
"""Threads of operations that read and compute."""

QUICK: Final = 16
"""Threads of quick operations that have to ask the store."""

FOLLOWERS: Final = 4
"""Threads that make the frames of streams."""

_logger: Final = structlog.get_logger()


class Advanced(NamedTuple):
    """Where steps stand: at their end with a result, or at a pause or an item."""

    has_ended: bool
    found: Any


class LoopExchange:
    """One request on the loop."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive

    def body(self, limit: int) -> Pause[bytes]:
        """Return the wait for the whole body; see `Exchange`."""
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
        limits: Limits,
        *,
        beside: Callable[[], Coroutine[Any, Any, None]],
        proxies: int = 0,
    ) -> None:
        """Serve *app* within *limits*; *beside* runs on the loop as long as the process serves."""
        self._beside = beside
        self.app = app
        self.limits = limits
        self._trust = ProxyFix(_as_it_is, x_for=proxies) if proxies else None
        self._readers = ThreadPoolExecutor(READERS, "reader")
        self._quick = ThreadPoolExecutor(QUICK, "quick")
        self._followers = ThreadPoolExecutor(FOLLOWERS, "follower")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the process."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._serve(scope, receive, send)

    def begin_stop(self) -> None:
        """End streams, which have no end of their own: the server has begun to stop."""
        self.app.extensions["streams"].close()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        asyncio.get_running_loop().set_default_executor(self._quick)
        beside = asyncio.get_running_loop().create_task(self._beside())
        beside.add_done_callback(_end_process)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        beside.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: Message, receive: Receive, send: Send) -> None:
        exchange = LoopExchange(receive)
        environ = environ_of(scope)
        environ[ON_LOOP] = exchange
        if self._trust is not None:
            self._trust(environ, _answer_nothing)
        context = self.app.request_context(environ)
        context.push()
        try:
            response = await self._response()
            stream = response.response
            _, status, headers = response.get_wsgi_response(environ)
            start = {
                "type": "http.response.start",
                "status": int(status[:3]),
                "headers": [
                    (name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers
                ],
            }
            if isinstance(stream, list) or environ["REQUEST_METHOD"] == "HEAD":
                has_body = environ["REQUEST_METHOD"] != "HEAD" and isinstance(stream, list)
                await send(start)
                await send({"type": "http.response.body", "body": b"".join(stream) if has_body else b""})  # type: ignore[arg-type]  # bytes, as we made them
            else:
                scope["extensions"]["rewound.connection"].hold_little()
                await self._stream(stream, start, exchange, send)
        finally:
            context.pop()

    async def _response(self) -> Response:
        """Do as Flask's `full_dispatch_request`, and await what the view waits for."""
        app = self.app
        found: Any
        try:
            found = app.preprocess_request()
            if found is None:
                found = app.dispatch_request()
            if isinstance(found, GeneratorType):
                found = await self._run(found)
        except Exception as fault:  # noqa: BLE001 - the application's own handler answers it
            found = app.handle_user_exception(fault)
        return app.finalize_request(found)

    async def _run(self, steps: Any) -> Any:
        """Return what *steps* return."""
        operation = OPERATIONS.all[request.endpoint or ""]
        pool = self._quick if operation.is_quick else self._readers
        is_in_pool = False
        result: Any = None
        failure: Exception | None = None
        try:
            while True:
                advance = partial(_advance, steps, result, failure)
                found = await _in(pool, advance) if is_in_pool else advance()
                if found.has_ended:
                    return found.found
                result = failure = None
                if found.found is IN_POOL:
                    is_in_pool = True
                    continue
                try:
                    result = await found.found.park()
                except Exception as raised:  # noqa: BLE001 - it is raised where the pause was asked for
                    failure = raised
        finally:
            steps.close()

    async def _stream(self, stream: Any, start: Message, exchange: LoopExchange, send: Send) -> None:
        """Send a body without an end, as long as the client is there to read it."""
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


def _end_process(beside: asyncio.Task[None]) -> None:
    """End this process, for another to take its place, where what must run beside the requests has broken."""
    if not beside.cancelled():
        _logger.critical("loop.broken", exc_info=beside.exception())
        os.kill(os.getpid(), signal.SIGTERM)


def _advance(steps: Any, result: Any, failure: Exception | None) -> Advanced:
    """Run *steps* up to their next pause, or their end."""
    try:
        return Advanced(False, steps.send(result) if failure is None else steps.throw(failure))  # noqa: FBT003 - named in the class
    except StopIteration as end:
        return Advanced(True, end.value)  # noqa: FBT003 - named in the class


async def _in(pool: ThreadPoolExecutor, work: Callable[[], Advanced]) -> Advanced:
    """Return what *work* returns in a thread of *pool*; a cancelled request waits for its thread's end."""
    running = asyncio.get_running_loop().run_in_executor(pool, copy_context().run, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait((running,))
        raise


def _cannot_block() -> bytes:
    raise AssertionError("a request on the loop has no thread to block")


def _as_it_is(_environ: Any, _start: Any) -> tuple[()]:
    return ()


def _answer_nothing(*_: Any) -> Any:
    return None
