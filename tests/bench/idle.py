"""Measure what a service costs that nobody uses: the CPU of its processes, the supervisor's among them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from service.cli.local_service import reserved_port
from tests.bench import servers, usage
from tests.bench.table import QUICK, Row, section
from tests.bench.usage import Usage

SECONDS: Final = 10.0 if QUICK else 30.0
SETTLED_S: Final = 5.0
"""Until what a start does is done."""

AIM: Final = 1.0
"""Percent of one core."""

_KINDS: Final = {
    "gunicorn": "API",
    "workers": "worker",
    "valkey-server": "store",
}
"""Which process it is, by a word of its command line."""


@section("Nobody asks")
def rows() -> list[Row | str]:
    """Measure `rewound serve` at rest."""
    with _served() as pids:
        before = {kind: usage.used(found) for kind, found in pids.items()}
        time.sleep(SECONDS)
        spent = {kind: usage.used(found).since(before[kind]) for kind, found in pids.items()}
    ours = [each for kind, each in spent.items() if kind != "store"]
    together = Usage(sum(each.cpu for each in ours), sum(each.switches for each in ours))
    return [
        *(Row(f"idle, {kind}", _percent(each), "% of a core") for kind, each in sorted(spent.items())),
        Row("idle, API, worker and supervisor together", _percent(together), "% of a core", AIM, most=True),
        Row("their context switches", together.switches / SECONDS, "/s"),
    ]


def _percent(used: Usage) -> float:
    return 100 * used.cpu / SECONDS


@contextmanager
def _served() -> Iterator[Mapping[str, list[int]]]:
    """Run a whole service; give its processes by what they do, once it has settled."""
    with TemporaryDirectory(prefix="rewound-bench-") as directory, reserved_port(servers.HOST) as port:
        serving = subprocess.Popen(
            [
                *(sys.executable, "-c", "from service.cli import main; main()", "serve"),
                *("--port", str(port)),
            ],
            env={**os.environ, "REWOUND_DATA_DIR": directory},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            servers.until_ready(port, "/readyz")
            time.sleep(SETTLED_S)
            pids: dict[str, list[int]] = {}
            for pid in usage.with_children(serving.pid):
                line = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
                words = [word.rpartition("/")[2] for word in re.split("[\0 ]", line)]
                kind = next((kind for word, kind in _KINDS.items() if word in words), "supervisor")
                pids.setdefault(kind, []).append(pid)
            yield pids
        finally:
            serving.terminate()
            serving.wait(servers.PATIENCE_S)
