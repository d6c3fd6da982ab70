"""Run `rewound serve` as its operator does, and know every process of it by its role.

The harness is the operator's init system: it starts `serve` again when it has ended, and counts the starts
that were refused. Everything else has to come back by itself.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SHIFTED: Final = Path(__file__).parent / "shifted"
COMMAND: Final = (sys.executable, "-c", "from service.cli import main; main(prog_name='rewound')")
STOP_S: Final = 60.0

SERVE: Final = "serve"
"""Also the supervisor: it is a thread of it."""
KEEPER: Final = "keeper"
STORE: Final = "valkey-server"
MASTER: Final = "API master"
API: Final = "API worker"
WORKER: Final = "fold worker"
BESIDE: Final = "process beside a worker"
"""What runs a worker's jobs or folds its slow encounters, or what forks them."""
FORKER: Final = "forking parent"
"""What a worker or the API's master is forked from, and forked again if it was killed."""
OTHER: Final = "other"


@dataclass(frozen=True)
class Process:
    """One process of the service."""

    pid: int
    parent: int
    role: str


@dataclass
class Tree:
    """One service on one data directory, started again whenever it ends."""

    home: Path
    port: int
    directory: Path
    """Where the harness keeps what is its own, on another disk than the data."""
    workers: int = 2
    store: Mapping[str, str] = field(default_factory=dict)
    """Settings that name the servers, where the service does not start its own."""
    process: subprocess.Popen[bytes] | None = None
    refused: int = 0
    """Starts that ended by themselves before somebody killed them."""
    starts: int = 0
    _stopping: Event = field(default_factory=Event)
    _held: Event = field(default_factory=Event)
    _thread: Thread | None = None

    @property
    def clock(self) -> Path:
        """Return the file that shifts the clock of every process."""
        return self.directory / "clock"

    @property
    def said(self) -> Path:
        """Return what the service printed."""
        return self.directory / "serve.log"

    def environment(self) -> dict[str, str]:
        """Return what the service is started with."""
        paths = [str(SHIFTED), os.environ.get("PYTHONPATH", "")]
        return os.environ | {
            "REWOUND_DATA_DIR": str(self.home),
            "REWOUND_LOG_LEVEL": "info",
            "REWOUND_WORKERS": str(self.workers),
            "REWOUND_RATE_LIMIT": "0",
            "REWOUND_OWNER_RATE_LIMIT": "0",
            "NEMESIS_CLOCK": str(self.clock),
            **self.store,
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        }

    def run(self, *arguments: str) -> str:
        """Run another command of ours on the same data, and return what it prints."""
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    def start(self) -> None:
        """Start the service, and whatever starts it again."""
        self._stopping.clear()
        self._launch()
        self._thread = Thread(target=self._keep, name="init", daemon=True)
        self._thread.start()

    def _launch(self) -> None:
        self.starts += 1
        with self.said.open("ab") as said:
            self.process = subprocess.Popen(
                [*COMMAND, "serve", "--port", str(self.port)],
                cwd=ROOT,
                env=self.environment(),
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _keep(self) -> None:
        """Start it again as long as it should run."""
        while not self._stopping.wait(0.05):
            process = self.process
            if process is None or process.poll() is None:
                continue
            if process.returncode > 0:
                self.refused += 1
                self._stopping.wait(0.3)
            if not self._stopping.is_set() and not self._held.is_set():
                self._launch()

    def stop(self) -> int | None:
        """Stop the service for good; its exit status, None if it had to be killed."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        if self.process is None:
            return None
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def restart(self) -> None:
        """Stop it and start it, as for an upgrade."""
        self._held.set()
        process = self.process
        assert process is not None, "it was started"
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S)
        self._held.clear()

    def processes(self) -> list[Process]:
        """Return every process of this service that runs, with its role."""
        lines = dict(self._lines())
        return [Process(pid, _parent(pid), self._role(pid, line, lines)) for pid, line in lines.items()]

    def of(self, role: str) -> list[Process]:
        """Return the processes of one role."""
        return [process for process in self.processes() if process.role == role]

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        wanted = f"REWOUND_DATA_DIR={self.home}".encode()
        store = str(self.home / "valkey").encode()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal() or int(entry.name) == os.getpid():
                continue
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
                line = (entry / "cmdline").read_bytes()
                status = (entry / "stat").read_text().rpartition(") ")[2][0]
            except OSError:  # it has just ended, or is not ours to look at
                continue
            if (wanted in environment or store in line) and status != "Z":
                yield int(entry.name), line.decode(errors="replace").split("\0")

    def _role(self, pid: int, line: list[str], lines: dict[int, list[str]]) -> str:
        if self.process is not None and pid == self.process.pid:
            return SERVE
        if "/valkey-server" in line[0]:
            return STORE
        return KEEPER if "service.supervisor.keeper" in line else _forked(pid, line, lines)

    def end(self) -> None:
        """End whatever is left: also what a fault of the service left behind."""
        if self.process is not None and self.process.poll() is None:
            self.stop()
        self._stopping.set()
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)

    def left_behind(self, seconds: float) -> list[Process]:
        """Return what still runs *seconds* after the service has ended."""
        ends = time.monotonic() + seconds
        while (found := self.processes()) and time.monotonic() < ends:
            time.sleep(0.1)
        return found


def _forked(pid: int, line: list[str], lines: dict[int, list[str]]) -> str:
    if "gunicorn" in line and _is_child_of_its_like(pid, lines):
        return API if _is_child_of_its_like(_parent(pid), lines) else MASTER
    if "service.supervisor.child" in line and not _is_child_of_its_like(pid, lines):
        return FORKER
    if "workers" in line:
        return BESIDE if _is_child_of_its_like(_parent(pid), lines) else WORKER
    return OTHER


def _is_child_of_its_like(pid: int, lines: dict[int, list[str]]) -> bool:
    return lines.get(pid) == lines.get(_parent(pid), [""])


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])
    except (OSError, IndexError):
        return 0
