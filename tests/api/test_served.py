"""The API as it is run: gunicorn and a worker, processes of their own, over a durable store."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from service.api.server import arguments
from service.cli.local_service import reserved_port
from service.log.valkey import ValkeyLog
from service.settings import Settings
from service.stores import api_keys
from tests.api.running import Line
from tests.rules.heartrush.kit import opening

ROOT = Path(__file__).parents[2]
HEAD_S = 4
"""So long a stop waits for a head that has begun."""


@dataclass
class Served:
    """A service that runs, and a key to it."""

    port: int
    token: str
    worker: subprocess.Popen[bytes]
    api: subprocess.Popen[bytes]

    def __call__(self, method: str, path: str, data: object = None, **headers: str) -> tuple[int, Any]:
        """Send a request and return status and data."""
        body = None if data is None else json.dumps(data).encode()
        sent = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Prefer": "wait=30",
        }
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=body, headers=sent, method=method
        )
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310 - our own address
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as problem:
            with problem:
                return problem.code, json.loads(problem.read())


@pytest.fixture
def port() -> Iterator[int]:
    with reserved_port("127.0.0.1") as port:
        yield port


@pytest.fixture
def served(port: int, streams_url: str, queue_url: str, tmp_path: Path) -> Iterator[Served]:
    settings = Settings(
        data_dir=tmp_path,
        key_file=tmp_path / "secret.key",
        signing_key_file=tmp_path / "signing.key",
        log_level="error",
        port=port,
        head_s=HEAD_S,
    ).with_servers(streams_url, queue_url)
    settings.secret_keys()
    log = ValkeyLog.connect(streams_url)
    token, _ = api_keys.create(log, "tests", time.time())
    log.close()
    serve = arguments("127.0.0.1", port, workers=1, log_level="error")
    processes = [
        subprocess.Popen([sys.executable, "-m", *command], env=settings.environment(), cwd=ROOT)
        for command in (["workers"], ["gunicorn", *serve])
    ]
    made = Served(port, token, *processes)
    try:
        _ready(made)
        yield made
    finally:
        for process in processes:
            process.terminate()
        codes = [process.wait(60) for process in processes]
    assert codes == [0, 0]


def _ready(served: Served) -> None:
    ends = time.monotonic() + 60
    while True:
        try:
            if served("GET", "/readyz")[0] == 200:
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        assert time.monotonic() < ends, "the service does not come up"
        time.sleep(0.05)


def test_a_fight_begins_over_http(served: Served) -> None:
    fight = {"edition": "heartrush@1", **opening({"pia": (0, 0), "orc": (1, 0)}, declared_sides=[])}

    status, opened = served("POST", "/v1/encounters", fight, Idempotency_Key="open-1")
    again = served("POST", "/v1/encounters", fight, Idempotency_Key="open-1")
    at = f"/v1/encounters/{opened['encounter']}"
    begun = served("POST", f"{at}/commands", {"type": "begin_combat"})

    assert (status, again) == (201, (201, opened))
    assert (begun[0], begun[1]["outcome"]) == (200, "accepted")
    assert served("GET", f"{at}/state?min_version=2")[1]["version"] == 2
    assert served("GET", "/readyz")[1]["mode"] == "durable"


def test_a_stop_waits_for_what_is_in_flight_and_for_nothing_else(served: Served, streams_url: str) -> None:
    """A request that waits is answered, a stream ended; idle and silent connections hold nothing up."""
    fight = {"edition": "heartrush@1", **opening({"pia": (0, 0), "orc": (1, 0)}, declared_sides=[])}
    encounter = served("POST", "/v1/encounters", fight)[1]["encounter"]
    served.worker.send_signal(signal.SIGSTOP)
    log = ValkeyLog.connect(streams_url)
    log.append(encounter, b"{}", scope="tests", key="unheard", fingerprint="")
    log.close()
    at, key = f"/v1/encounters/{encounter}", f"Authorization: Bearer {served.token}\r\n"
    lines = [Line(served.port) for _ in range(6)]
    idle, _silent, begun, stream, waiting, whole = lines
    assert idle.ask().status == 200
    begun.send("GET /livez HT")
    stream.send(f"GET {at}/commits HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n{key}\r\n")
    assert b"heartbeat" in stream.until(b"heartbeat")
    waiting.send(f"GET {at}/state?min_version=2 HTTP/1.1\r\nHost: x\r\nPrefer: wait=4\r\n{key}\r\n")
    whole.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    time.sleep(1)

    began = time.monotonic()
    served.api.terminate()
    answer = waiting.answer()
    assert served.api.wait(60) == 0
    took = time.monotonic() - began
    served.worker.send_signal(signal.SIGCONT)

    assert (answer.status, answer.headers["connection"]) == (503, "close")
    assert answer.data["type"] == "/problems/not-yet-folded"
    assert whole.answer().status == 200
    assert stream.until(b"0\r\n\r\n")
    assert took < 20, "the wait of four seconds, and a machine that is busy"
    for line in lines:
        assert line.has_ended()
        line.close()
