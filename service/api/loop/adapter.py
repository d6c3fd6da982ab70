"""Serve the operations of a Flask application on an event loop.

A request is answered by a generator of steps. They run on the loop until one yields `IN_POOL`; from then on
each runs in a thread of the pool. In either case a pause is awaited on the loop, so waiting holds no thread.
Flask routes a request only if `Routes` does not find its path, and answers requests that reach no operation.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from contextvars import copy_context
from functools import partial
from time import thread_time
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import parse_qsl

import structlog
from flask import Flask, Response, request
from werkzeug.datastructures import MultiDict
from werkzeug.middleware.proxy_fix import ProxyFix

from service import tracing
from service.api.app import SERVED, request_head
from service.api.authentication import bearer
from service.api.exchange import Reply, RequestHead
from service.api.loop.environ import environ_of
from service.api.loop.framing import Received
from service.api.loop.routes import Route, Routes
from service.api.loop.shares import Shares
from service.api.loop.slow_reads import ReadProcess, ReadsLost
from service.api.loop.sockets import SocketLimits
from service.api.operations import OPERATIONS, Operation
from service.api.problems import Problem
from service.api.request_ids import new_request_id
from service.api.serving import READ_S, AppContext, refuse, serve
from service.rules.kernel.meter import Stop
from service.steps import IN_POOL, Pause, Steps, Stream

READERS: Final = 16
"""The number of threads for operations that read and compute."""

READERS_EACH: Final = 2
"""How many of these threads one credential has at once; its further requests wait for them in order."""

READERS_OF_OWNER: Final = READERS // 4
"""How many of them all credentials of one owner have at once: its keys, and the tokens of its encounters."""

QUICK: Final = 16
"""The number of threads for quick operations that have to query the store."""

FOLLOWERS: Final = 4
"""The number of threads that produce the frames of streams."""

_SAFE: Final = frozenset(("GET", "HEAD"))
"""Methods of requests that change nothing, so that they may be stopped anywhere."""

WITHOUT_LENGTH: Final = frozenset((204, 304))
"""Statuses of answers that have neither a body nor its length."""

_logger: Final = structlog.get_logger()


class Client(Protocol):
    """The client of a request."""

    @property
    def address(self) -> str:
        """Its address."""
        ...

    @property
    def server(self) -> tuple[str, int]:
        """The address and port that it connected to."""
        ...

    async def body(self, limit: int) -> bytes:
        """Return the request's body; raises `RequestEntityTooLarge` past *limit* bytes, and `Problem`."""
        ...


class StreamClient(Protocol):
    """The client of a stream."""

    @property
    def gone(self) -> asyncio.Future[None]:
        """Done once it has disconnected."""
        ...

    async def send_part(self, part: bytes) -> None:
        """Send a part of the stream; return when the client may be sent the next one."""
        ...


class StepResult(NamedTuple):
    """The result of advancing steps: their return value if they have ended, else a pause or an item."""

    has_ended: bool
    found: Any
    seconds: float = 0.0
    """The time of the processor that they took in a thread of the pool."""


class LoopApplication:
    """What the server calls: the application of one process around one Flask application."""

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
        self.served: AppContext = app.extensions[SERVED]
        self._routes = Routes.of(OPERATIONS.all.values())
        self._trust = ProxyFix(_as_it_is, x_for=proxies) if proxies else None
        self._readers = ThreadPoolExecutor(READERS, "reader")
        self._shares = Shares(READERS_EACH)
        self._owners = Shares(READERS_OF_OWNER)
        self._quick = ThreadPoolExecutor(QUICK, "quick")
        self.slow_reads: ReadProcess | None = None
        """The process that answers slow reads; without it they are answered here."""
        self._followers = ThreadPoolExecutor(FOLLOWERS, "follower")

    async def begin(self) -> None:
        """Begin what runs on the loop beside the requests."""
        loop = asyncio.get_running_loop()
        loop.set_default_executor(self._quick)
        self._running = loop.create_task(self._beside())
        self._running.add_done_callback(_end_process)

    async def end(self) -> None:
        """End what runs beside the requests, when they are answered."""
        self._running.cancel()
        await asyncio.to_thread(self.served.services.traces.close)
        await asyncio.to_thread(tracing.end)

    def begin_stop(self) -> None:
        """End all streams, which would otherwise never end, because the server is stopping."""
        self.served.services.feeds.close()

    async def __call__(self, received: Received, client: Client) -> Reply:
        """Return the response to the request *received* from *client*."""
        path, _, query = received.target.partition("?")
        fields = received.fields
        route = self._routes.find(received.method, path)
        if route is None or "upgrade" in fields:
            environ = environ_of(received, client.address, client.server)
            if self._trust is not None:
                self._trust(environ, _answer_nothing)
            with self.app.request_context(environ):
                if request.routing_exception is not None or request.endpoint is None:
                    return _reply_of(self.app.full_dispatch_request())
                route = Route(OPERATIONS.all[request.endpoint], request.view_args or {})
                asked = request_head(request, partial(_body_of, client))
        else:
            asked = RequestHead(
                method=received.method,
                path=path,
                query_text=query,
                given=_query_parameters(query) if query else {},
                headers=fields,
                address=client.address if self._trust is None else self._trusted(received, client),
                length=int(fields["content-length"]) if "content-length" in fields else 0,
                body=partial(_body_of, client),
            )
        if self.slow_reads is not None and self.slow_reads.takes(route.operation, asked):
            return await self._answered_beside(self.slow_reads, route, asked)
        steps = serve(route.operation, self.served, route.path, asked)
        return await self._run(route.operation, steps, asked)

    async def _answered_beside(self, beside: ReadProcess, route: Route, asked: RequestHead) -> Reply:
        """Return the answer to a slow read, from the process beside this one."""
        async with self._place(asked):
            try:
                return await beside.answer(route.operation, route.path, asked)
            except ReadsLost:
                request_id = new_request_id()
                problem = Problem(
                    "out-of-memory",
                    "the process that answered this was killed each time",
                    headers={"Retry-After": "1"},
                )
                return refuse(problem, asked.path, request_id)

    @asynccontextmanager
    async def _place(self, asked: RequestHead) -> AsyncIterator[None]:
        """Hold a thread's place of the credential of *asked*, and of its owner as soon as that is known."""
        sent = asked.headers.get("authorization") or ""
        credential = bearer(sent) or sent
        async with self._shares.place(credential or asked.address):
            owner = self.served.authenticator.owner_of(credential) if credential else None
            async with self._owners.place(owner) if owner is not None else nullcontext():
                yield

    def _trusted(self, received: Received, client: Client) -> str:
        """Return the address of the client behind the trusted proxies."""
        assert self._trust is not None
        forwarded = received.fields.get("x-forwarded-for", "")
        environ: dict[str, str] = {"REMOTE_ADDR": client.address, "HTTP_X_FORWARDED_FOR": forwarded}
        self._trust(environ, _answer_nothing)
        return environ["REMOTE_ADDR"]

    async def _run(self, operation: Operation, steps: Steps[Reply], asked: RequestHead) -> Reply:
        """Run *steps* and return their return value; a credential has a share of the threads that compute.

        What only reads is stopped in its thread after `READ_S` seconds, or when its client has left.
        """
        stop = asked.stop if operation.method in _SAFE else Stop()
        is_in_pool = False
        result: Any = None
        failure: Exception | None = None
        try:
            while True:
                if is_in_pool:
                    work = partial(_timed, steps, result, failure)
                    if operation.is_quick:
                        found = await _in(self._quick, work, stop)
                    else:
                        async with self._place(asked):
                            found = await _in(self._readers, work, stop)
                        if self.slow_reads is not None:
                            self.slow_reads.note(operation, asked, found.seconds)
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

    async def stream(self, stream: Stream[bytes], client: StreamClient) -> None:
        """Send an endless body until the client disconnects."""
        gone = client.gone
        result: Any = None
        try:
            while not gone.done():
                found = await _in(self._followers, partial(_advance, stream, result, None), Stop())
                if found.has_ended:
                    break
                result = None
                if not isinstance(found.found, Pause):
                    await client.send_part(found.found)
                    continue
                pause = asyncio.ensure_future(found.found.park())
                await asyncio.wait((pause, gone), return_when=asyncio.FIRST_COMPLETED)
                if not pause.done():
                    pause.cancel()
                    break
                result = pause.result()
        finally:
            stream.close()


def _body_of(client: Client, limit: int) -> Pause[bytes]:
    """Return a pause that yields the whole body; it raises `RequestEntityTooLarge` past *limit* bytes."""
    return Pause(_cannot_block, partial(client.body, limit))


def _query_parameters(query: str) -> dict[str, list[str]]:
    """Return the parameters in *query*, parsed as Flask does."""
    found = parse_qsl(query, keep_blank_values=True, errors="werkzeug.url_quote")
    return MultiDict(found).to_dict(flat=False)


def _reply_of(response: Response) -> Reply:
    """Return Flask's own response: a problem, or the answer to a preflight."""
    headers = {name: text for name, text in response.headers.items() if name != "Content-Length"}
    if response.status_code in WITHOUT_LENGTH:
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
        found, has_ended = steps.send(result) if failure is None else steps.throw(failure), False
    except StopIteration as end:
        found, has_ended = end.value, True
    return StepResult(has_ended, found)


def _timed(steps: Any, result: Any, failure: Exception | None) -> StepResult:
    """Do as `_advance`, and say how long it took."""
    begun = thread_time()
    return _advance(steps, result, failure)._replace(seconds=thread_time() - begun)


async def _in(pool: ThreadPoolExecutor, work: Callable[[], StepResult], stop: Stop) -> StepResult:
    """Run *work* in a thread of *pool* and return its result.

    *stop* is set after `READ_S` seconds. If cancelled, set it, and wait until the thread is done.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.call_later(READ_S, _set, stop)
    running = loop.run_in_executor(pool, copy_context().run, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        _set(stop)
        await asyncio.wait((running,))
        raise
    finally:
        deadline.cancel()


def _set(stop: Stop) -> None:
    stop.is_set = True


def _cannot_block() -> bytes:
    raise AssertionError("a request on the loop must not block")


def _as_it_is(_environ: Any, _start: Any) -> tuple[()]:
    return ()


def _answer_nothing(*_: Any) -> Any:
    return None
