"""Slow reads: a process beside the API's answers them as the API would, and commands never wait for it."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from service.api.app import SERVED, create_app
from service.api.exchange import RequestHead
from service.api.loop import slow_reads
from service.api.loop.adapter import LoopApplication
from service.api.loop.routes import Route
from service.api.loop.slow_reads import ReadProcess
from service.api.loop.sockets import SocketLimits
from service.api.operations import OPERATIONS
from service.api.request import ApiRequest, ApiResponse
from service.caches import SlowKeys
from service.rules.kernel.meter import WorkStopped, spend
from service.steps import Pause
from service.usecases.services import Services
from tests.api.running import PATIENCE_S, Answer, Running, api
from tests.support.processes import children, stop
from tests.support.waiting import until

READ = "/v1/rulesets"
CHANGING = ("date", "ratelimit", "request-id")
"""Fields that differ from answer to answer."""


@pytest.fixture
def running(streams_url: str, queue_url: str, tmp_path: Path) -> Iterator[Running]:
    with api(
        (streams_url, queue_url), tmp_path, application="tests.api.slow_application:application()"
    ) as made:
        yield made


def waits_for(running: Running, process: int) -> bool:
    """Return whether a read waits while *process* is stopped and others are answered."""
    stop(process)
    line = running.line()
    try:
        line.send(f"GET {READ} HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in range(5):
            time.sleep(0.1)
            running.ask("/livez")
        return not select.select([line.sock], [], [], 0)[0]
    finally:
        os.kill(process, signal.SIGCONT)
        line.close()
        time.sleep(0.5)  # it goes on before it is stopped again


def beside(running: Running) -> tuple[int, int, int]:
    """Return the numbers of the API process, of the one that forks for it, and of the one for slow reads.

    It takes slow reads by then.
    """

    def found() -> list[tuple[int, int, int]]:
        return [
            (own, keeper, process)
            for own in children(running.process.pid)
            for keeper in children(own)
            for process in children(keeper)
        ]

    def has_threads() -> bool:
        running.ask(READ)  # the first one that is slow lets the process begin
        return any(len(list(Path(f"/proc/{pid}/task").iterdir())) > slow_reads.THREADS for *_, pid in found())

    until(has_threads, "a process for slow reads")
    until(lambda: waits_for(running, found()[0][-1]), "that process takes reads")
    return found()[0]


# --- with real processes ------------------------------------------------------------------------------


REQUESTS = (
    ("GET", ""),
    ("HEAD", ""),
    ("GET", "Accept-Encoding: gzip\r\n"),
    ("GET", "Authorization: Bearer nobody\r\n"),
    ("GET", "Origin: https://elsewhere.example\r\n"),
)


@pytest.mark.slow
def test_slow_reads_have_the_same_answers_from_the_other_process(running: Running) -> None:
    first = [running.ask(READ, *each) for each in REQUESTS]  # by the API process: the other has not begun
    _, _, process = beside(running)
    with_it = [running.ask(READ, *each) for each in REQUESTS]
    stop(process)
    lines = [running.line() for _ in REQUESTS]
    for line, (method, fields) in zip(lines, REQUESTS, strict=True):
        line.send(f"{method} {READ} HTTP/1.1\r\nHost: x\r\n{fields}\r\n")
    assert running.ask("/livez").status == 200, "nothing else waits for it"
    time.sleep(0.5)
    assert not select.select([line.sock for line in lines], [], [], 0)[0], "each is sent to it"
    os.kill(process, signal.SIGCONT)

    second = [
        line.answer(has_body=method != "HEAD") for line, (method, _) in zip(lines, REQUESTS, strict=True)
    ]

    for expected, *answers in zip(first, with_it, second, strict=True):
        for answer in answers:
            assert (answer.status, answer.body) == (expected.status, expected.body)
            assert _lasting(answer) == _lasting(expected)
    for line in lines:
        line.close()


def _lasting(answer: Answer) -> list[tuple[str, str]]:
    return [(name, value) for name, value in answer.headers.items() if name not in CHANGING]


@pytest.mark.slow
def test_a_read_is_asked_again_if_its_process_is_killed(running: Running) -> None:
    _, keeper, process = beside(running)
    first = running.ask(READ)
    stop(process)
    line = running.line()
    line.send(f"GET {READ} HTTP/1.1\r\nHost: x\r\n\r\n")
    time.sleep(0.2)  # so that it is sent to the process that is killed
    os.kill(process, signal.SIGKILL)

    answer = line.answer()

    assert (answer.status, answer.body) == (first.status, first.body)
    assert beside(running)[1] == keeper
    assert beside(running)[2] != process
    line.close()


@pytest.mark.slow
def test_an_api_process_that_can_answer_no_slow_reads_any_more_is_replaced(running: Running) -> None:
    own, keeper, _ = beside(running)
    first = running.ask(READ)
    os.kill(keeper, signal.SIGKILL)

    until(lambda: own not in children(running.process.pid), "the end of the process")
    assert beside(running)[0] != own
    assert running.ask(READ).body == first.body


@pytest.mark.slow
def test_a_killed_api_process_takes_the_other_with_it(running: Running) -> None:
    own, keeper, process = beside(running)
    os.kill(own, signal.SIGKILL)

    for each in (keeper, process):
        until(lambda each=each: not Path(f"/proc/{each}/cmdline").exists(), "its end")  # type: ignore[misc]  # it is called at once


# --- one by one ---------------------------------------------------------------------------------------


def asked(path: str = READ, **headers: str) -> RequestHead:
    def no_body(_limit: int) -> Pause[bytes]:
        raise AssertionError("it is a read")

    return RequestHead("GET", path, "", {}, headers, "::1", 0, no_body)


@pytest.fixture
def slow(services: Services) -> ReadProcess:
    """Return what an API process knows of its slow reads, without the process."""
    create_app(services)  # it declares the operations
    made = object.__new__(ReadProcess)
    made._slow, made._large = SlowKeys(time.monotonic), SlowKeys(time.monotonic)
    made._places = asyncio.Semaphore(slow_reads.LARGE_AT_ONCE)
    made._has_begun = made._has_said = True
    return made


def test_a_read_is_slow_by_its_time_and_only_at_its_own_path(slow: ReadProcess) -> None:
    read = OPERATIONS.all["listRulesets"]

    slow.note(read, asked("/v1/a"), slow_reads.SLOW_S / 2)
    slow.note(read, asked("/v1/b"), slow_reads.SLOW_S * 2)

    assert not slow.takes(read, asked("/v1/a"))
    assert slow.takes(read, asked("/v1/b"))


@pytest.mark.parametrize("operation", ["sendCommand", "openEncounter", "isAlive", "isReady"])
def test_what_changes_something_or_streams_or_is_quick_stays_here(slow: ReadProcess, operation: str) -> None:
    found = OPERATIONS.all[operation]

    slow.note(found, asked(), 100.0)

    assert not slow.takes(found, asked())


def test_a_stream_stays_here_and_a_page_of_the_same_address_does_not(slow: ReadProcess) -> None:
    commits = OPERATIONS.all["listCommits"]

    slow.note(commits, asked(), 100.0)

    assert slow.takes(commits, asked())
    assert not slow.takes(commits, asked(accept="text/event-stream"))


def test_a_read_that_kills_its_process_each_time_is_answered_with_a_problem(
    services: Services, slow: ReadProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[bytes] = []

    async def die(question: bytes) -> None:
        tries.append(question)

    monkeypatch.setattr(slow, "_ask", die)
    application = LoopApplication(create_app(services), SocketLimits(), beside=_nothing)
    route = Route(OPERATIONS.all["listRulesets"], {})

    reply = asyncio.run(application._answered_beside(slow, route, asked()))  # noqa: SLF001 - below the sockets

    assert isinstance(reply.body, bytes)
    assert (reply.status, json.loads(reply.body)["type"]) == (503, "/problems/out-of-memory")
    assert len(tries) == slow_reads.TRIES


@pytest.mark.parametrize("size", [10, slow_reads.LARGE + 1])
def test_so_many_reads_with_large_answers_are_made_at_once(
    slow: ReadProcess, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    making: list[int] = []

    async def make(_question: bytes) -> tuple[dict[str, Any], bytes]:
        making.append(making[-1] + 1 if making else 1)
        await asyncio.sleep(0)
        making.append(making[-1] - 1)
        return {"status": 200, "headers": {}, "seconds": 0.0}, b"x" * size

    async def ask(times: int) -> int:
        making.clear()
        read = OPERATIONS.all["listRulesets"]
        await asyncio.gather(*(slow.answer(read, {}, asked()) for _ in range(times)))
        return max(making)

    monkeypatch.setattr(slow, "_ask", make)
    first, second = asyncio.run(ask(1)), asyncio.run(ask(6))

    assert (first, second) == (1, slow_reads.LARGE_AT_ONCE if size > slow_reads.LARGE else 6)


async def _nothing() -> None:
    return None


class Taking:
    """One thread of the process for slow reads, in this process, and the operation that it is asked for."""

    def __init__(self, services: Services) -> None:
        self.served = create_app(services).extensions[SERVED]
        self.operation = OPERATIONS.all["listProblemTypes"]
        self._sent, self._taken = socket.socketpair()
        watch = slow_reads._Watch()  # noqa: SLF001 - as the process has it
        take = slow_reads._take_all  # noqa: SLF001 - as above
        self._thread = Thread(target=take, args=(self.served, self._taken, watch), daemon=True)
        self._thread.start()
        Thread(target=watch.run, daemon=True).start()

    def connect(self) -> socket.socket:
        """Send one end of a connection, and return the other."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._sent, [b"?"], [theirs.fileno()])
        ours.settimeout(PATIENCE_S)
        return ours

    def ask(self, connection: socket.socket, operation: str = "") -> None:
        """Ask for the operation, or for another one."""
        question: dict[str, Any] = {
            "operation": operation or self.operation.id,
            "names": {},
            "method": "GET",
            "path": self.operation.path,
            "query_text": "",
            "given": {},
            "headers": {},
            "address": "::1",
        }
        connection.sendall(json.dumps(question).encode() + b"\n")

    def status(self, connection: socket.socket) -> int:
        """Return the status of the answer."""
        with connection.makefile("rb") as lines:
            return int(json.loads(lines.readline())["status"])

    def close(self) -> None:
        self._sent.close()
        self._thread.join(PATIENCE_S)
        self._taken.close()


@pytest.fixture
def taking(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[Taking]:
    monkeypatch.setattr(slow_reads, "WATCHED_S", 0.01)
    made = Taking(services)
    handler = made.operation.handler
    yield made
    object.__setattr__(made.operation, "handler", handler)
    made.close()


def test_no_client_that_leaves_and_no_fault_takes_a_thread_away(taking: Taking) -> None:
    for _ in range(3):
        taking.connect().close()
    with taking.connect() as left:
        left.sendall(b'{"operation": ')
        left.shutdown(socket.SHUT_WR)
        assert left.recv(1) == b""
    with taking.connect() as strange:
        taking.ask(strange, "noSuchOperation")
        assert strange.recv(1) == b""

    with taking.connect() as next_one:
        taking.ask(next_one)
        assert taking.status(next_one) == 200


@pytest.mark.parametrize("why", ["the client has left", "it takes too long"])
def test_a_read_is_stopped(taking: Taking, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    has_begun, was_stopped = Event(), Event()

    def spin(_request: ApiRequest) -> ApiResponse:
        has_begun.set()
        ends = time.monotonic() + PATIENCE_S
        try:
            while time.monotonic() < ends:
                spend(0)
        except WorkStopped:
            was_stopped.set()
            raise
        return ApiResponse({})

    object.__setattr__(taking.operation, "handler", spin)
    if why == "it takes too long":
        monkeypatch.setattr(slow_reads, "READ_S", 0.05)
    with taking.connect() as ours:
        taking.ask(ours)
        assert has_begun.wait(PATIENCE_S)
        if why == "the client has left":
            ours.close()

        assert was_stopped.wait(PATIENCE_S)

        if why == "it takes too long":
            assert taking.status(ours) == 503
