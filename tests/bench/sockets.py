"""Measure what five thousand sockets cost others that drip heads or say nothing, all from one address.

They come from another address of this machine than the commands and health checks beside them, and
whichever is closed is opened again.
"""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from types import MappingProxyType
from typing import Final

from tests.bench import load, servers
from tests.bench.over_http import CALM_LINES, CALM_RATE, encounters, line
from tests.bench.table import QUICK, Row, median, section
from tests.bench.waiting import resident

SOCKETS: Final = 5_000
FROM: Final = "127.0.0.2"
TURNS: Final = 1 if QUICK else 3
SECONDS: Final = 5.0
DRIP_S: Final = 10.0
"""Seconds between two looks at a socket: a byte is sent, or it is opened again."""

SETTINGS: Final = MappingProxyType({"REWOUND_API_ADDRESS_SOCKETS": "0"})
"""No bound for one address: the process holds all of them."""

STEP: Final = 50
BEGUN: Final = b"GET /livez HTTP/1.1\r\nHost: x\r\nA: "


@section("Sockets")
def rows() -> list[Row | str]:
    """Measure commands and health checks of others, without the sockets and with them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * SOCKETS)), hard))
    alone: list[float] = []
    beside: list[float] = []
    health: list[float] = []
    memory = 0.0
    with (
        servers.store() as running,
        servers.service(running, processes=1, settings=SETTINGS) as (port, key, _),
    ):
        _calm(port, key)
        before = resident(port)
        for _ in range(TURNS):
            alone.append(_calm(port, key))
            with _crowd(port):
                beside.append(_calm(port, key))
                health += [_health(port) for _ in range(100)]
                memory = resident(port)
    health.sort()
    return [
        Row(f"p99 of others at {CALM_RATE:.0f}/s, no other socket", median(alone) * 1000, "ms"),
        Row(
            f"p99 of others ÷ that, with {SOCKETS} silent or dripping sockets of one address",
            median(beside) / median(alone),
            "",
            1.5,
            most=True,
        ),
        Row("slowest of the health checks meanwhile", health[-1] * 1000, "ms", 1_000, most=True),
        Row("memory that the sockets take", memory - before, "MiB", 100, most=True),
    ]


def _calm(port: int, key: str) -> float:
    """Return the 99th percentile of commands sent calmly, in seconds."""
    lines = [line(key, encounter) for encounter in encounters(port, key, CALM_LINES)]
    return load.on_schedule((servers.HOST, port), lines, SECONDS, CALM_RATE).percentile(0.99)


def _health(port: int) -> float:
    """Return how long a health check on a connection of its own takes, in seconds."""
    began = time.monotonic()
    with socket.create_connection((servers.HOST, port), timeout=60) as checking:
        checking.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert checking.recv(12) == b"HTTP/1.1 200"
    return time.monotonic() - began


@contextmanager
def _crowd(port: int) -> Iterator[None]:
    """Keep the sockets open, half of them silent, the others dripping, from a process of their own."""
    context = get_context("fork")
    stopping, is_whole = context.Event(), context.Event()
    crowd = context.Process(target=_tend, args=(port, stopping, is_whole))
    crowd.start()
    try:
        assert is_whole.wait(300)
        yield
    finally:
        stopping.set()
        crowd.join()


def _tend(port: int, stopping: Event, is_whole: Event) -> None:
    held: list[socket.socket | None] = [None] * SOCKETS
    while True:
        for number in range(SOCKETS):
            if number % STEP == 0 and stopping.wait(DRIP_S * STEP / SOCKETS):
                return
            held[number] = _tended(held[number], port, drips=number % 2 == 1)
        is_whole.set()


def _tended(sock: socket.socket | None, port: int, *, drips: bool) -> socket.socket | None:
    """Return *sock* with one byte more if it drips, or another one in its place where it was closed."""
    try:
        if sock is None:
            sock = socket.create_connection((servers.HOST, port), timeout=5, source_address=(FROM, 0))
            sock.setblocking(False)  # noqa: FBT003 - as the library spells it
            if drips:
                sock.send(BEGUN)
            return sock
        if drips:
            sock.send(b"a")
        with suppress(BlockingIOError):
            if not sock.recv(4096):
                raise ConnectionError
    except OSError:
        if sock is not None:
            sock.close()
        return None
    return sock
