"""Keep processes running: start them in order, restart them if they die, stop them in the reverse order.

One thread watches all of them. A process that dies is restarted after a pause, which doubles while it keeps
dying. Each process has its own session, so that ctrl-C reaches only the supervisor, and a lifeline to the
supervisor, so that it ends whenever the supervisor does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

WELL_AFTER_S: Final = 20.0
"""After so many seconds of life the next death counts as the first."""

STEP_S: Final = 0.05
SILENT_S: Final = 1.0
"""After so long a stop says what it waits for."""

ROOT: Final = Path(__file__).parents[2]
"""The directory of the packages, installed or not."""

Say = Callable[[str], None]


def _never() -> bool:
    return False


@dataclass
class Supervised:
    """One supervised process: its name, its command and its state."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    """The process's environment; None means this process's."""
    stop_s: float = 35.0
    """How long it may take to end; then its process group is killed."""
    finishes: str = "end"
    """What it does before it ends, for people: it waits for the worker to …"""
    first_pause_s: float = 0.1
    longest_pause_s: float = 15.0
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause_s: float = 0.0
    due: float = 0.0
    """When it is restarted, by `time.monotonic`."""
    deaths: int = 0
    """How often it ended without being stopped."""

    def start(self) -> None:
        """Start the process, which ends with this one; raises `OSError`."""
        environment = dict(os.environ if self.environment is None else self.environment)
        paths = (str(ROOT), environment.get("PYTHONPATH", ""))
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, env=environment, start_new_session=True
        )

    def has_died(self) -> bool:
        """Return whether it was started and has ended."""
        return self.process is not None and self.process.poll() is not None

    def bury(self) -> str:
        """Note its death and when to restart it; return a message for people."""
        assert self.process is not None, "only what was started dies"
        status = self.process.returncode
        self.reap()
        is_well = time.monotonic() - self.started > WELL_AFTER_S
        self.pause_s = self.first_pause_s if is_well or not self.pause_s else 2 * self.pause_s
        self.pause_s = min(self.pause_s, self.longest_pause_s)
        self.due = time.monotonic() + self.pause_s
        self.deaths += 1
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"{self.name} {how}; restarting in {self.pause_s:g} s"

    def stop(self, is_hurried: Callable[[], bool], say: Say) -> None:
        """Stop it and return when it has ended; if that takes long, *say* what it does until then.

        After `stop_s` seconds, or as soon as *is_hurried* returns True, its process group is killed.
        """
        if self.process is None:
            return
        self.process.terminate()
        began = time.monotonic()
        is_silent = True
        while self.process.poll() is None and time.monotonic() < began + self.stop_s and not is_hurried():
            if is_silent and time.monotonic() > began + SILENT_S:
                is_silent = False
                say(f"waiting for {self.name} to {self.finishes} (at most {self.stop_s:g} s)")
            time.sleep(STEP_S)
        if self.process.returncode is None:  # not reaped yet, so its ids are not reused
            os.killpg(self.process.pid, signal.SIGKILL)
        self.reap()

    def reap(self) -> None:
        """Reap a process that has ended or was killed."""
        assert self.process is not None, "only what was started is reaped"
        assert self.process.stdin is not None, "it holds a lifeline"
        self.process.stdin.close()
        self.process.wait()
        self.process = None


class Supervisor:
    """Keeps the processes of a service, or a part of them, running."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._lock = Lock()
        self._supervised: list[Supervised] = []
        self._stopping = Event()
        self._thread: Thread | None = None

    def start(self, supervised: Supervised) -> None:
        """Start a process and keep it running."""
        with self._lock:
            supervised.start()
            self._supervised.append(supervised)
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="supervisor", daemon=True)
            self._thread.start()

    def died(self) -> list[Supervised]:
        """Return the processes that have died at least once."""
        with self._lock:
            return [supervised for supervised in self._supervised if supervised.deaths]

    def stop(self, is_hurried: Callable[[], bool] = _never) -> None:
        """Stop all processes, the last started first."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        while self._supervised:
            self._supervised[-1].stop(is_hurried, self._say)
            self._supervised.pop()
        self._stopping.clear()

    def _watch(self) -> None:
        while not self._stopping.wait(STEP_S):
            with self._lock:
                for supervised in self._supervised:
                    self._look_at(supervised)

    def _look_at(self, supervised: Supervised) -> None:
        if supervised.has_died():
            self._say(supervised.bury())
        if supervised.process is None and time.monotonic() >= supervised.due:
            try:
                supervised.start()
            except OSError as fault:  # out of processes or file descriptors
                supervised.due = time.monotonic() + supervised.longest_pause_s
                self._say(f"{supervised.name} cannot be started: {fault}")
