"""End this process when its parent ends, for any reason.

The parent has the write end of a pipe and never writes. The kernel closes it when the parent dies; then the
process that waits at the read end is killed. Nothing is lost: an acknowledged command is on disk, and a kill
at any instant leaves nothing half done.
"""

from __future__ import annotations

import os
import signal
from threading import Thread


def end_with_parent(reading_end: int) -> None:
    """Kill this process, and the process group that it leads, as soon as the pipe at *reading_end* closes."""
    Thread(target=_wait, args=(reading_end, os.getpid()), name="lifeline", daemon=True).start()


def _wait(reading_end: int, own: int) -> None:
    while os.read(reading_end, 1024):
        pass
    if os.getpgrp() == own:
        os.killpg(own, signal.SIGKILL)
    os.kill(own, signal.SIGKILL)
