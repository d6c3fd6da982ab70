"""Run a worker's long work in processes of their own, so that the threads that fold never wait for it.

Threads of one process share one interpreter. A job that computes may lose its processor while it holds the
interpreter, and then every command waits; so does a decision that takes long. The process of the jobs and the
process of the slow encounters have a lower priority instead, and what they do to memory ends nobody else.

Laws. The worker forks one process, before it has threads of its own; that one has a single thread, and forks
both processes once the worker has started, and each of them again if it is killed. The worker writes bytes to
the jobs' pipe and lines to the slow encounters' socket. When the worker ends, for any reason, the kernel
closes both, and all three end. If the process that forks is killed, the worker kills itself, as after any
other fault that it cannot mend.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Event
from typing import Final

import structlog

from service.forked import BEGIN, ForkKeeper
from workers.periodic import PeriodicThread

END_S: Final = 10.0
"""How long a worker that stops waits for its jobs to be put back."""

_RING, _END = BEGIN, b"e"
_logger: Final = structlog.get_logger()


class WorkerProcesses:
    """The processes beside one worker, seen from the worker: its jobs, and its slow encounters."""

    def __init__(self, jobs: Callable[[int], None], slow: Callable[[socket.socket], None]) -> None:
        """Fork a process that runs *jobs* and *slow*.

        *jobs* is called with the end of the pipe from which `listen` reads, *slow* with one end of a socket.
        The other end is the attribute *slow*.
        """
        self._keeper = ForkKeeper(
            lambda heard, theirs: {"jobs": partial(jobs, heard), "slow": partial(slow, theirs)}
        )
        self.slow = self._keeper.channel

    def start(self) -> None:
        """Let the processes begin: the worker has what it needs, and so will they."""
        self.ring()

    def ring(self) -> None:
        """Let the jobs that are due be looked for now. Thread-safe."""
        self._keeper.say(_RING)

    def has_ended(self) -> bool:
        """Return whether the forked process has ended, which it does of itself only if it was asked to."""
        return self._keeper.has_ended()

    def end(self) -> None:
        """Let the jobs that run be put back, and return when the processes have ended."""
        with suppress(OSError):
            self.slow.shutdown(socket.SHUT_RDWR)  # the thread that reads from it ends too
        self._keeper.say(_END)
        self._keeper.end(END_S)


class WorkerProcessesWatch(PeriodicThread):
    """Kills the worker if the process that forks the others has ended."""

    name = "worker-processes"
    every_s = 1.0

    def __init__(self, processes: WorkerProcesses, stopping: Event) -> None:
        super().__init__(stopping)
        self._processes = processes

    def look(self) -> None:
        """Look once."""
        if self._processes.has_ended():
            _logger.critical("processes.ended")
            os.kill(os.getpid(), signal.SIGKILL)


def listen(heard: int, ring: Callable[[], object], stopping: Event) -> None:
    """Call *ring* for rings from the worker, and set *stopping* when it stops; end with it if it dies."""
    while not stopping.is_set():
        said = os.read(heard, 1024)
        if not said:
            os.kill(os.getpid(), signal.SIGKILL)
        if _END in said:
            stopping.set()
        ring()
