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
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Event
from typing import Final

import structlog

from service.forked import BEGIN, keep
from workers.periodic import PeriodicThread

END_S: Final = 10.0
"""How long a worker that stops waits for its jobs to be put back."""

_RING, _END = BEGIN, b"e"
_STEP_S: Final = 0.02
_logger: Final = structlog.get_logger()


class WorkerProcesses:
    """The processes beside one worker, seen from the worker: its jobs, and its slow encounters."""

    def __init__(self, jobs: Callable[[int], None], slow: Callable[[socket.socket], None]) -> None:
        """Fork a process that runs *jobs* and *slow*.

        *jobs* is called with the end of the pipe from which `listen` reads, *slow* with one end of a socket.
        The other end is the attribute *slow*.
        """
        heard, self._said = os.pipe()
        os.set_blocking(self._said, False)
        self.slow, theirs = socket.socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._said)
            self.slow.close()
            keep({"jobs": partial(jobs, heard), "slow": partial(slow, theirs)}, heard)
        os.close(heard)
        theirs.close()

    def start(self) -> None:
        """Let the processes begin: the worker has what it needs, and so will they."""
        self.ring()

    def ring(self) -> None:
        """Let the jobs that are due be looked for now. Thread-safe."""
        with suppress(BlockingIOError, BrokenPipeError):  # so many rings wait; or `has_ended` finds it
            os.write(self._said, _RING)

    def has_ended(self) -> bool:
        """Return whether the forked process has ended, which it does of itself only if it was asked to."""
        return os.waitpid(self._pid, os.WNOHANG)[0] != 0

    def end(self) -> None:
        """Let the jobs that run be put back, and return when the processes have ended."""
        with suppress(OSError):
            self.slow.shutdown(socket.SHUT_RDWR)  # the thread that reads from it ends too
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(self._said, _END)
        ends = time.monotonic() + END_S
        while not self.has_ended():
            if time.monotonic() > ends:
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                break
            time.sleep(_STEP_S)
        os.close(self._said)  # ends what still runs


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
