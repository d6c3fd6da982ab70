"""Start what is measured: an embedded store, the service or the bare route under gunicorn, and workers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import NamedTuple, Protocol
from urllib.request import Request, urlopen

from redis import Redis

from service.api import server
from service.cli.local_service import reserved_port
from service.log.valkey import ValkeyLog
from service.stores import api_keys
from service.supervisor import EmbeddedValkey

HOST = "127.0.0.1"
API_PROCESSES = 2
THREADS = 1024
IDLE = 1024
PATIENCE_S = 900.0
"""Seconds that a start may take: a busy machine is slow."""

_PATIENT = f"--timeout={PATIENCE_S:.0f}"  # gunicorn ends a process whose start takes longer


class Serving(NamedTuple):
    """What serves: its port, an API key (none of the bare route), and its processes by what they do.

    Of the API it is gunicorn's master: its processes are below it, and may not have begun yet.
    """

    port: int
    key: str
    pids: Mapping[str, list[int]]


@contextmanager
def store() -> Iterator[EmbeddedValkey]:
    """Run a store of its own, durable as in earnest, and forget it afterwards."""
    with TemporaryDirectory(prefix="rewound-bench-") as directory, EmbeddedValkey(Path(directory)) as running:
        yield running


class Stores(Protocol):
    """Where the streams are and where the queue is."""

    @property
    def url(self) -> str: ...
    @property
    def queue_url(self) -> str: ...


@contextmanager
def service(
    running: Stores,
    *,
    workers: int = 1,
    processes: int = API_PROCESSES,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Serving]:
    """Serve the API on *running* with *workers* workers."""
    environment = {
        "REWOUND_STREAMS_URL": running.url,
        "REWOUND_QUEUE_URL": running.queue_url,
        "REWOUND_SECRET_KEY": "11" * 32,
        "REWOUND_LOG_LEVEL": "error",
        "REWOUND_RATE_LIMIT": "1000000000",  # counted as ever, and never reached
        "REWOUND_OWNER_RATE_LIMIT": "1000000000",
        "REWOUND_GUESS_LIMIT": "0",
        **settings,
    }
    log = ValkeyLog.connect(running.url)
    key, _ = api_keys.create(log, "bench", time.time())
    log.close()
    folding = [[sys.executable, "-m", "workers"]] * workers
    with (
        reserved_port(HOST) as port,
        TemporaryDirectory(prefix="rewound-bench-") as directory,
        _processes(
            [_service_command(port, processes), *folding],
            environment | {"REWOUND_DATA_DIR": directory},
        ) as (api, *folding_pids),
    ):
        until_ready(port, "/readyz")
        pids = {"API": [api], "worker": folding_pids, "store": _pids_of(running)}
        yield Serving(port, key, pids)


@contextmanager
def bare(running: EmbeddedValkey) -> Iterator[Serving]:
    """Serve the bare route on *running*."""
    with (
        reserved_port(HOST) as port,
        _processes([_bare_command(port)], {"BENCH_STORE": running.url}) as (api,),
    ):
        until_ready(port, "/")
        yield Serving(port, "", {"API": [api], "store": _pids_of(running)})


def _pids_of(running: Stores) -> list[int]:
    """Return the server's process, or those of a cluster."""
    if (pids := getattr(running, "pids", None)) is not None:
        return list(pids)
    with Redis.from_url(running.url) as client:
        return [client.info("server")["process_id"]]


def _service_command(port: int, processes: int) -> list[str]:
    given = server.arguments(HOST, port, workers=processes, log_level="error")
    return [sys.executable, "-m", "gunicorn", *given[:-1], _PATIENT, server.APPLICATION]


def _bare_command(port: int) -> list[str]:
    """Return how the bare route is served: by gunicorn's threads, as Flask applications usually are."""
    return [
        *(sys.executable, "-m", "gunicorn"),
        *("--worker-class=gthread", f"--threads={THREADS}", f"--worker-connections={THREADS + IDLE}"),
        *(f"--workers={API_PROCESSES}", f"--bind={HOST}:{port}", "--backlog=1024", "--keep-alive=75"),
        *("--http-parser=python", "--worker-tmp-dir=/dev/shm", "--no-control-socket", "--log-level=error"),
        *(_PATIENT, "tests.bench.bare:create()"),
    ]


@contextmanager
def _processes(commands: list[list[str]], environment: dict[str, str]) -> Iterator[list[int]]:
    started = [subprocess.Popen(command, env={**os.environ, **environment}) for command in commands]
    try:
        yield [process.pid for process in started]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(PATIENCE_S)


def until_ready(port: int, path: str) -> None:
    """Wait until the server answers on *path*, with whatever it has to say but that it is not ready."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            with create_connection((HOST, port), 1):
                pass
            if path == "/":
                return
            with urlopen(Request(f"http://{HOST}:{port}{path}"), timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(path)
