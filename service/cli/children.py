"""Keep child processes running: started, started again if they die, stopped together.

A child that dies is started again after a pause that doubles while it keeps dying. Children have sessions of
their own, so that ctrl-C reaches the parent alone and it decides in which order they end; what the parent
cannot do because it was killed, the lifeline does (see `lifeline`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 15.0
WELL_AFTER_S: Final = 20.0
"""How long a child must live for its next death to count as the first."""

STEP_S: Final = 0.05
_ROOT: Final = Path(__file__).parents[2]
"""Where the packages are, installed or not."""

Say = Callable[[str], None]


@dataclass
class Child:
    """One process to be kept: what it is called, what it runs, and how it has fared."""

    name: str
    module: str
    arguments: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    deaths: int = 0
    due: float = field(default=0.0)
    """When it is to be started, as `time.monotonic` counts."""

    @property
    def is_alive(self) -> bool:
        """Tell whether it runs."""
        return self.process is not None and self.process.poll() is None


class Children:
    """The processes of one service."""

    def __init__(self, children: Sequence[Child], environment: Mapping[str, str], say: Say) -> None:
        self._children = tuple(children)
        paths = [str(_ROOT), environment.get("PYTHONPATH", "")]
        self._environment = {**environment, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        self._say = say

    def tend(self) -> None:
        """Start every child that should run and does not; to be called again and again."""
        now = time.monotonic()
        for child in self._children:
            if child.is_alive:
                continue
            if child.process is not None:
                self._bury(child, now)
            if now >= child.due:
                self._start(child, now)

    def died(self) -> Sequence[Child]:
        """Return the children that have died at least once."""
        return [child for child in self._children if child.deaths]

    def stop(self, patience_s: float, is_hurried: Callable[[], bool]) -> None:
        """Stop all, the first first; whoever takes longer than *patience_s*, or if hurried, is killed."""
        for child in self._children:
            process = child.process
            if process is None:
                continue
            process.terminate()
            ends = time.monotonic() + patience_s
            while process.poll() is None and time.monotonic() < ends and not is_hurried():
                time.sleep(STEP_S)
            if process.returncode is None:  # not reaped yet, so its number and its group's are still its own
                os.killpg(process.pid, signal.SIGKILL)
            _reap(child)

    def _start(self, child: Child, now: float) -> None:
        child.started = now
        child.process = subprocess.Popen(
            [sys.executable, "-m", "service.cli.lifeline", child.module, *child.arguments],
            stdin=subprocess.PIPE,
            env=self._environment,
            start_new_session=True,
        )

    def _bury(self, child: Child, now: float) -> None:
        """Note a death, and when to start again."""
        assert child.process is not None, "only what was started dies"
        status = child.process.returncode
        _reap(child)
        child.deaths = 1 if now - child.started > WELL_AFTER_S else child.deaths + 1
        pause = min(FIRST_PAUSE_S * 2 ** (child.deaths - 1), LONGEST_PAUSE_S)
        child.due = now + pause
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        self._say(f"{child.name} {how}; it is started again in {pause:g} s")


def _reap(child: Child) -> None:
    """Let go of a process that ended."""
    assert child.process is not None, "only what was started is reaped"
    assert child.process.stdin is not None, "a child holds a lifeline"
    child.process.stdin.close()
    child.process.wait()
    child.process = None
