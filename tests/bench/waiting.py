"""Measure what those who wait cost: two thousand requests and a thousand streams in one API process.

The requests wait for a command that nobody folds; the streams have caught up. Beside them commands are sent
calmly: with nobody waiting, with all of them, and with readers that stall.
"""

from __future__ import annotations

import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

from service.log.valkey import ValkeyLog
from tests.bench import load, servers
from tests.bench.over_http import CALM_LINES, CALM_RATE, encounters, line
from tests.bench.table import QUICK, Row, median, section
from tests.streams.crowd import Encounter, stalled

WAITING = 2_000
STREAMS = 1_000
STUCK = 50
TURNS = 1 if QUICK else 3
SECONDS = 5.0
SETTLED_S = 3.0
SETTINGS = {
    "REWOUND_API_STREAMS": "2048",
    "REWOUND_API_OWNER_STREAMS": "2048",
    "REWOUND_API_ADDRESS_SOCKETS": "0",
}
PAGE = resource.getpagesize()


@section("Waiting")
def rows() -> list[Row | str]:
    """Measure memory, and the latency of others without and with the crowd, and with stuck readers."""
    alone: list[float] = []
    crowded: list[float] = []
    stuck: list[float] = []
    after = 0.0
    with (
        servers.store() as running,
        servers.service(running, processes=1, settings=SETTINGS) as (port, key, _),
    ):
        at = Encounter.opened(port, key)
        last = at.grow(600)
        _append_unheard(running.url, at)
        _calm(port, key)
        before = resident(port)
        for _ in range(TURNS):
            alone.append(_calm(port, key))
            with _stuck(at):
                stuck.append(_calm(port, key))
            with _crowd(at, last):
                crowded.append(_calm(port, key))
                after = resident(port)
    return [
        Row("memory of an API process", before, "MiB"),
        Row(f"memory with {WAITING} requests and {STREAMS} streams waiting", after, "MiB", 150, most=True),
        Row(f"p99 of others at {CALM_RATE:.0f}/s, nobody waiting", median(alone) * 1000, "ms"),
        Row("p99 of others ÷ that, with all who wait", median(crowded) / median(alone), "", 2.0, most=True),
        Row(f"p99 of others ÷ that, {STUCK} stuck", median(stuck) / median(alone), "", 2.0, most=True),
    ]


def _calm(port: int, key: str) -> float:
    """Return the 99th percentile of commands sent calmly, in seconds."""
    lines = [line(key, encounter) for encounter in encounters(port, key, CALM_LINES)]
    return load.on_schedule((servers.HOST, port), lines, SECONDS, CALM_RATE).percentile(0.99)


@contextmanager
def _crowd(at: Encounter, last: int) -> Iterator[None]:
    """Have everybody wait."""
    wait = (
        f"GET {at.path}/state?min_version={last + 1} HTTP/1.1\r\nHost: x\r\nPrefer: wait=30\r\n"
        f"Authorization: Bearer {at.key}\r\n\r\n"
    ).encode()
    lines = [_sent(at, at.request(last)) for _ in range(STREAMS)]
    assert {each.recv(12)[9:12] for each in lines} == {b"200"}
    lines += [_sent(at, wait) for _ in range(WAITING)]
    sleep(SETTLED_S)
    try:
        yield
    finally:
        for each in lines:
            each.close()


@contextmanager
def _stuck(at: Encounter) -> Iterator[None]:
    """Have readers that take nothing of what they asked for."""
    lines = [stalled(at) for _ in range(STUCK)]
    try:
        yield
    finally:
        for each in lines:
            each.close()


def _sent(at: Encounter, request: bytes) -> socket.socket:
    line = socket.create_connection((servers.HOST, at.port), timeout=60)
    line.sendall(request)
    return line


def _append_unheard(url: str, at: Encounter) -> None:
    """Append a command of which no worker is told, so that whoever waits for it goes on waiting."""
    log = ValkeyLog.connect(url)
    log.append(at.path.rsplit("/", 1)[1], b"{}", scope="bench", key="unheard", fingerprint="")
    log.close()


def resident(port: int) -> float:
    """Return the MiB of memory that the API process on *port* holds: its master holds less."""
    found = [0.0]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"--bind={servers.HOST}:{port}".encode() in (process / "cmdline").read_bytes():
                found.append(int((process / "statm").read_text().split()[1]) * PAGE / 1024 / 1024)
    return max(found)
