"""Look at processes of the service, and stop them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.support.waiting import until


def children(pid: int) -> list[int]:
    """Return the processes that *pid* forked, from whichever of its threads."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def is_stopped(pid: int) -> bool:
    """Return whether SIGSTOP has reached a process."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def stop(pid: int) -> None:
    """Stop a process, and return once it is: one that gives way to others may go on for a while."""
    os.kill(pid, signal.SIGSTOP)
    until(lambda: is_stopped(pid), f"process {pid} stops")
