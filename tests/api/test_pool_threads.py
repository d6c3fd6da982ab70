"""A thread that computes a read ends at its deadline, and when its client has left; a change goes on."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from threading import Event
from typing import Literal

import pytest

from service.api.app import SERVED, create_app
from service.api.exchange import Reply, RequestHead
from service.api.loop import adapter
from service.api.loop.adapter import LoopApplication
from service.api.loop.sockets import SocketLimits
from service.api.operations import OPERATIONS
from service.api.request import ApiRequest, ApiResponse
from service.api.serving import serve
from service.rules.kernel.meter import spend
from service.steps import Pause
from service.usecases.services import Services

PATIENCE_S = 30.0


class Spinning:
    """An operation whose handler computes until it is stopped or may end, in a process that serves it."""

    def __init__(self, services: Services, method: Literal["GET", "POST"]) -> None:
        app = create_app(services)
        self.application = LoopApplication(app, SocketLimits(), beside=_nothing)
        self.operation = replace(OPERATIONS.all["listRulesets"], method=method)
        object.__setattr__(self.operation, "handler", self._spin)
        self.served = app.extensions[SERVED]
        self.has_begun, self.has_ended, self.may_end = Event(), Event(), Event()

    def _spin(self, _request: ApiRequest) -> ApiResponse:
        ends = time.monotonic() + PATIENCE_S
        self.has_begun.set()
        try:
            while not self.may_end.is_set() and time.monotonic() < ends:
                spend(0)
        finally:
            self.has_ended.set()
        return ApiResponse({"was": "not stopped"})

    def answer(self) -> Awaitable[Reply]:
        asked = RequestHead(
            method=self.operation.method,
            path=self.operation.path,
            query_text="",
            given={},
            headers={},
            address="::1",
            length=0,
            body=lambda _limit: Pause(bytes, _no_body),
        )
        steps = serve(self.operation, self.served, {}, asked)
        return self.application._run(self.operation, steps, asked)  # noqa: SLF001 - below the sockets


async def _nothing() -> None:
    return None


async def _no_body() -> bytes:
    return b""


async def _until(event: Event) -> None:
    assert await asyncio.to_thread(event.wait, PATIENCE_S)


def test_a_read_that_takes_too_long_is_stopped_and_says_so(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "READ_S", 0.05)
    spinning = Spinning(services, "GET")

    reply = asyncio.run(_awaited(spinning.answer))

    assert (reply.status, reply.headers["Retry-After"]) == (503, "10")
    assert isinstance(reply.body, bytes)
    assert json.loads(reply.body)["type"].endswith("/too-slow")


async def _awaited(make: Callable[[], Awaitable[Reply]]) -> Reply:
    return await make()


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_read_ends_when_its_client_has_left_and_a_change_goes_on(
    services: Services, method: Literal["GET", "POST"]
) -> None:
    spinning = Spinning(services, method)

    async def leave() -> None:
        task = asyncio.ensure_future(spinning.answer())
        await _until(spinning.has_begun)
        task.cancel()  # as the connection does
        if method == "GET":
            await _until(spinning.has_ended)
            assert not spinning.may_end.is_set()
        else:
            await asyncio.sleep(0.1)
            assert not spinning.has_ended.is_set()
            spinning.may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    begun = time.monotonic()
    asyncio.run(leave())
    assert time.monotonic() - begun < PATIENCE_S, "it was stopped, and did not end by itself"
