"""Run the embedded server once, for a supervisor: `python -m service.supervisor.keeper DIRECTORY MEGABYTES`.

The server cannot watch its parent, so this process does. It stops the server when its lifeline (standard
input) ends or on a signal, and it ends when the server does, with the server's exit status. If this process
is killed, the kernel stops the server on Linux; on other systems the next keeper stops such an orphan first.
The process has one thread, because a process with several must not run Python between fork and exec.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path

from service.supervisor.errors import EmbeddedFailure
from service.supervisor.orphan import wait_out
from service.supervisor.place import Place, prepare
from service.supervisor.server import Server, write_words

_LIFELINE = 0
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_LOOK_S = 1.0  # how often the server is checked if no SIGCHLD arrives


class Keeper:
    """One run of one directory's server."""

    def __init__(self, place: Place, memory_mb: int) -> None:
        self._place = place
        self._memory_mb = memory_mb
        self._is_asked_to_stop = False
        self._signalled, waking = os.pipe()
        for end in (self._signalled, waking):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it only has to wake `select`
        for number in _SIGNALS:
            signal.signal(number, self._ask_to_stop)

    def run(self) -> int:
        """Run the server until it ends or has to stop; return its exit status, 128 + n after signal n."""
        lock = wait_out(self._place, is_needed=lambda: not self._must_stop(0.0))
        if lock is None:
            return 0
        server = Server(self._place, lock, self._memory_mb)
        while (code := server.ended()) is None:
            if self._must_stop(_LOOK_S):
                server.stop()
        return code if code >= 0 else 128 - code

    def _must_stop(self, wait_s: float) -> bool:
        """Wait up to *wait_s* seconds; return whether a signal came or the lifeline ended."""
        if self._is_asked_to_stop:
            return True
        readable, _, _ = select.select([_LIFELINE, self._signalled], [], [], wait_s)
        if self._signalled in readable:
            os.read(self._signalled, 1024)
        if _LIFELINE in readable and not os.read(_LIFELINE, 1024):
            self._is_asked_to_stop = True
        return self._is_asked_to_stop

    def _ask_to_stop(self, _number: int, _frame: object) -> None:
        self._is_asked_to_stop = True


def main() -> int:
    """Run a server in the directory (first argument) with the memory in megabytes (second)."""
    os.umask(0o077)  # the server's files are this user's alone, wherever they are copied or mounted
    place = prepare(Path(sys.argv[1]))
    try:
        return Keeper(place, int(sys.argv[2])).run()
    except EmbeddedFailure as failure:
        write_words(place, str(failure))
        return 1


if __name__ == "__main__":
    sys.exit(main())
