"""What a library raises and nobody has foreseen is an error of the log, wherever it enters from a store."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import hiredis
import pytest
from redis import exceptions

from service.log import LogError, NotPermitted, OutcomeUnknown, StoreFull, StoreUnavailable
from service.log.errors import CommandRefused, FunctionsLost, StoreLoading
from service.log.valkey.loop_line import LoopLine
from service.log.valkey.pipe import Pipe
from service.log.valkey.routing import Router
from service.log.valkey.wire import Wire, raise_translated


class Unlisted(Exception):
    """Something that no list of exceptions has."""


UNLISTED: list[Exception] = [
    Unlisted("?"),
    RuntimeError("?"),
    UnicodeError("?"),
    ssl.SSLError("?"),
    MemoryError(),
    hiredis.ProtocolError("?"),
    exceptions.RedisError("?"),
    exceptions.InvalidResponse("?"),
    exceptions.ResponseError("ERR of tomorrow"),
    exceptions.AuthenticationError("?"),
]


class Connection:
    """A connection that raises *error* at one step."""

    def __init__(self, step: str, error: Exception) -> None:
        self._step = step
        self._error = error

    def _at(self, step: str) -> None:
        if step == self._step:
            raise self._error

    def connect(self) -> None:
        self._at("connect")

    def disconnect(self) -> None:
        self._at("disconnect")

    def can_read(self, timeout: float = 0) -> bool:
        self._at("can_read")
        return False

    def send_packed_command(self, _commands: object) -> None:
        self._at("send")

    def read_response(self) -> bytes:
        self._at("read")
        return b"+"


def wire_with(step: str, error: Exception, monkeypatch: pytest.MonkeyPatch) -> Wire:
    wire = Wire("redis://nowhere:1/0")
    monkeypatch.setattr(wire, "_new", lambda: Connection(step, error))
    return wire


@pytest.mark.parametrize("error", UNLISTED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("step", ["connect", "send", "read"])
def test_whatever_a_connection_raises_is_an_error_of_the_log(
    step: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreUnavailable):
        wire_with(step, error, monkeypatch).read("GET", "k")
    with pytest.raises(StoreUnavailable if step == "connect" else LogError) as changed:
        wire_with(step, error, monkeypatch).change("SET", "k", "v")
    assert isinstance(changed.value, StoreUnavailable | OutcomeUnknown)


@pytest.mark.parametrize("error", UNLISTED, ids=lambda error: type(error).__name__)
def test_a_dedicated_connection_that_cannot_be_made_is_unavailable(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreUnavailable):
        wire_with("connect", error, monkeypatch).dedicated()


def test_a_connection_that_cannot_even_be_closed_hides_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Connection):
        def disconnect(self) -> None:
            raise Unlisted

    wire = Wire("redis://nowhere:1/0")
    monkeypatch.setattr(wire, "_new", lambda: Broken("read", RuntimeError("?")))
    with pytest.raises(OutcomeUnknown):
        wire.change("SET", "k", "v")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.AuthenticationError("WRONGPASS invalid"), NotPermitted),
        (exceptions.ResponseError("NOAUTH Authentication required."), NotPermitted),
        (exceptions.NoPermissionError("this user has no permissions"), NotPermitted),
        (exceptions.ResponseError("unknown command 'FCALL', with args"), CommandRefused),
        (exceptions.ResponseError("Function not found"), FunctionsLost),
        (exceptions.BusyLoadingError("LOADING"), StoreLoading),
        (exceptions.OutOfMemoryError("OOM"), StoreFull),
    ],
)
@pytest.mark.parametrize("changes", [True, False])
def test_a_refusal_did_nothing_also_to_a_change(error: Exception, kind: type, *, changes: bool) -> None:
    with pytest.raises(kind):
        raise_translated(error, "redis://nowhere:1/0", changes=changes)


@pytest.mark.parametrize("error", UNLISTED, ids=lambda error: type(error).__name__)
def test_a_loop_hears_of_every_error_of_its_line(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> tuple[str, str]:
        lost: list[str] = []
        there = SimpleNamespace(setblocking=lambda _: None, recv=_raising(error), send=_raising(error))
        parser = SimpleNamespace(parse_error=exceptions.ResponseError)
        made = SimpleNamespace(_sock=there, _parser=parser, disconnect=lambda: None)
        loop = asyncio.get_running_loop()
        for name in ("add_reader", "remove_reader", "add_writer", "remove_writer"):
            monkeypatch.setattr(type(loop), name, lambda *_: None)
        LoopLine(made, lambda _: None, lost.append)._read()  # noqa: SLF001 - the loop calls it
        LoopLine(made, lambda _: None, lost.append).write(b"x")
        read, written = lost
        return read, written

    assert all(type(error).__name__ in why for why in asyncio.run(run()))


@pytest.mark.parametrize("error", UNLISTED, ids=lambda error: type(error).__name__)
def test_a_change_on_a_loop_whose_line_cannot_be_opened_was_never_sent(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        wire = wire_with("connect", error, monkeypatch)
        pipe = Pipe(Router("redis://nowhere:1/0"), wire)
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(pipe.change(("SET", "k", "v")), 10)

    asyncio.run(run())


def _raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: object) -> None:
        raise error

    return fail
