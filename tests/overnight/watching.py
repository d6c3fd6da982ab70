"""Tell a run that hangs from one that a busy machine slows down: by its processor time, not by the clock.

A run is a session of processes. It hangs if it uses more processor time than it may, or hardly any for long.
Where the system does not say what processes use, the clock alone decides.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

PROC: Final = Path("/proc")
STILL_S: Final = 600.0
"""Seconds by the clock in which a run does something, however busy the machine is."""
SOMETHING_S: Final = 2.0
"""Processor time in seconds that is something: servers that wait for nothing use less in that time."""
LONGEST_S: Final = 3 * 3600.0
"""Seconds by the clock after which a run hangs, whatever it does."""
LOOK_S: Final = 1.0

Used = Callable[[int], float | None]


def watched(
    process: subprocess.Popen[bytes],
    limit_s: float,
    *,
    used: Used | None = None,
    still_s: float = STILL_S,
    longest_s: float = LONGEST_S,
) -> str | None:
    """Wait until *process*, the first of its session, has ended; return how it failed, null if it did not."""
    used = used or processor_time
    began = marked_at = monotonic()
    marked, most = 0.0, 0.0
    while True:
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(LOOK_S)
            return f"it ended with {status}" if status else None
        now = monotonic()
        spent = used(process.pid)
        if now - began > longest_s:
            return f"it hung: {longest_s:.0f} s passed"
        if spent is None:
            continue
        most = max(most, spent)  # what an orphan has used is lost with it
        if most > limit_s:
            return f"it hung: {most:.0f} s of processor time were used"
        if most - marked >= SOMETHING_S:
            marked, marked_at = most, now
        if now - marked_at > still_s:
            return f"it hung: hardly any processor time was used for {still_s:.0f} s"


def processor_time(session: int) -> float | None:
    """Return the seconds of processor time that a session has used; null where the system does not say."""
    if not (PROC / str(session) / "stat").exists():
        return None
    ticks = 0
    for entry in PROC.iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(") ")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))  # its own, and that of children it has waited for
    return ticks / os.sysconf("SC_CLK_TCK")


def end_group(leader: int) -> None:
    """End what is left of the group of processes that *leader* began."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
