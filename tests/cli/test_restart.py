"""`rewound serve` and the commands beside it on a store whose log takes time to read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from email.message import Message
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from service.api.server import arguments
from service.cli.loading import LoadingDisplay
from service.cli.local_service import reserved_port
from service.log.valkey.loading import LoadProgress
from tests.supervisor.loading_server import loading_server
from tests.supervisor.logs import write_log

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from service.cli import main; main(prog_name='rewound')")
PATIENCE_S = 60.0

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("command", [["keys", "list"], ["keys", "create", "ada"]])
def test_a_command_waits_for_the_log_and_says_so(tmp_path: Path, command: list[str]) -> None:
    write_log(tmp_path / "valkey", 30_000_000, seconds=2)

    done = subprocess.run(
        [*COMMAND, *command],
        cwd=ROOT,
        env={**os.environ, "REWOUND_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "rewound: the store reads its log of 30.0 MB before it serves\n" in done.stderr


def test_an_api_whose_store_loads_answers_503_and_says_how_far_it_is(tmp_path: Path) -> None:
    with loading_server(30_000_000, 0) as store, reserved_port("127.0.0.1") as port:
        environment = {
            "REWOUND_DATA_DIR": str(tmp_path),
            "REWOUND_STREAMS_URL": store.url,
            "REWOUND_QUEUE_URL": store.url,
        }
        api = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "gunicorn",
                *arguments("127.0.0.1", port, workers=1),
            ],
            cwd=ROOT,
            env={**os.environ, **environment},
        )
        try:
            status, ready, _ = _asked(port, "/readyz")
            refused, problem, headers = _asked(port, "/v1/encounters")
        finally:
            api.send_signal(signal.SIGTERM)
            api.wait(PATIENCE_S)

    assert (status, ready["status"]) == (503, "not_ready")
    assert ready["checks"]["store"] == (
        "the store is not ready: it has read 0 % of its log of 30.0 MB, about 30 s left"
    )
    assert (refused, problem["type"], headers["Retry-After"]) == (503, "/problems/store-loading", "2")


def test_on_a_terminal_there_is_a_bar_with_size_and_estimate() -> None:
    console = Console(
        file=StringIO(), force_terminal=True, highlight=False, width=100, _environ={"TERM": "xterm"}
    )
    said: list[str] = []
    display = LoadingDisplay(said.append, console)

    for loaded in (1, 2):
        display(LoadProgress(loaded * 10_000_000, 30_000_000, 7))
    display.finish()

    shown = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO above
    assert said == ["the store reads its log of 30.0 MB before it serves"]
    assert "20.0/30.0 MB" in shown
    assert "about 7 s left" in shown


def test_elsewhere_there_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    display = LoadingDisplay(said.append, Console(file=StringIO(), force_terminal=False))
    now = 100.0
    monkeypatch.setattr("service.cli.loading.time.monotonic", lambda: now)

    for second in range(25):
        now = 100.0 + second
        display(LoadProgress(second * 1_000_000, 30_000_000, 30 - second))
    display.finish()

    assert said == [
        "the store reads its log of 30.0 MB before it serves",
        "the store is not ready: it has read 33 % of its log of 30.0 MB, about 20 s left",
        "the store is not ready: it has read 66 % of its log of 30.0 MB, about 10 s left",
    ]


def _asked(port: int, path: str) -> tuple[int, Any, Message]:
    """Ask a process as soon as it listens; its status, JSON and headers."""
    ends = time.monotonic() + PATIENCE_S
    while True:
        line = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        try:
            line.request("GET", path, headers={"Authorization": f"Bearer rw_{12 * '0'}_{43 * '0'}"})
            response = line.getresponse()
            return response.status, json.loads(response.read()), response.headers
        except OSError:
            assert time.monotonic() < ends
            time.sleep(0.1)
        finally:
            line.close()
