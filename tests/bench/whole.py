"""Start the whole service by its own command, `rewound serve`, and name its processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from service.cli.local_service import reserved_port
from tests.bench import servers, usage

_REWOUND: Final = (sys.executable, "-c", "from service.cli import main; main()")
_KINDS: Final = {
    "gunicorn": "API",
    "workers": "worker",
    "valkey-server": "store",
}
"""Which process it is, by a word of its command line."""


@dataclass(frozen=True)
class WholeService:
    """A service that is ready: its port, its data directory and its first process."""

    port: int
    directory: str
    pid: int

    def pids(self) -> dict[str, list[int]]:
        """Return its processes that live now by what they do, parents before their children."""
        found: dict[str, list[int]] = {}
        for pid in usage.with_children(self.pid):
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            except OSError:  # it has just ended
                continue
            words = [word.rpartition("/")[2] for word in re.split("[\0 ]", line)]
            kind = next((kind for word, kind in _KINDS.items() if word in words), "supervisor")
            found.setdefault(kind, []).append(pid)
        return found

    def new_key(self) -> str:
        """Return an API key of a new owner."""
        made = subprocess.run(
            [*_REWOUND, "keys", "create", "bench"],
            env=_environment(self.directory),
            check=True,
            capture_output=True,
            text=True,
        )
        return made.stdout.strip()


@contextmanager
def served() -> Iterator[WholeService]:
    """Run a whole service with a store of its own, from the moment when it is ready."""
    with TemporaryDirectory(prefix="rewound-bench-") as directory, reserved_port(servers.HOST) as port:
        serving = subprocess.Popen(
            [*_REWOUND, "serve", "--port", str(port)],
            env=_environment(directory),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            servers.until_ready(port, "/readyz")
            yield WholeService(port, directory, serving.pid)
        finally:
            serving.terminate()
            serving.wait(servers.PATIENCE_S)


def _environment(directory: str) -> dict[str, str]:
    return {**os.environ, "REWOUND_DATA_DIR": directory}
