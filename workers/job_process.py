"""Run the jobs of a worker in a process of their own, so that the threads that fold never wait for them.

Threads of one process share one interpreter. A job that computes may lose its processor while it holds the
interpreter, and then every command waits. The process of the jobs has a lower priority instead, and what it
does to memory ends nobody else.

Laws. The worker forks one process, before it has threads of its own; that one has a single thread, and forks
the process of the jobs once the worker has started, and again if it is killed. The worker's only word to them
is a byte in a pipe. When the worker ends, for any reason, the kernel closes the pipe and both end. If the
process that forks is killed, the worker kills itself, as after any other fault that it cannot mend.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Final, NoReturn

import structlog

from workers.periodic import PeriodicThread

NICENESS: Final = 10
"""How much the process of the jobs gives way to others, as `nice` counts it."""

PAUSE_S: Final = 1.0
"""Pause before a killed process is forked again."""

END_S: Final = 10.0
"""How long a worker that stops waits for its jobs to be put back."""

_RING, _END = b"r", b"e"
_STEP_S: Final = 0.02
_STOPS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_logger: Final = structlog.get_logger()


class JobProcess:
    """The process of one worker's jobs, seen from the worker."""

    def __init__(self, work: Callable[[int], None]) -> None:
        """Fork a process that calls *work* with the end of the pipe from which `listen` reads."""
        heard, self._said = os.pipe()
        os.set_blocking(self._said, False)
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._said)
            _keep(work, heard)
        os.close(heard)

    def start(self) -> None:
        """Let the process of the jobs begin: the worker has what it needs, and so will that one."""
        self.ring()

    def ring(self) -> None:
        """Let the jobs that are due be looked for now. Thread-safe."""
        with suppress(BlockingIOError, BrokenPipeError):  # so many rings wait; or `has_ended` finds it
            os.write(self._said, _RING)

    def has_ended(self) -> bool:
        """Return whether the forked process has ended, which it does of itself only if it was asked to."""
        return os.waitpid(self._pid, os.WNOHANG)[0] != 0

    def end(self) -> None:
        """Let the jobs that run be put back, and return when the process has ended."""
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


class JobProcessWatch(PeriodicThread):
    """Kills the worker if the process that forks its jobs has ended."""

    name = "job-process"
    every_s = 1.0

    def __init__(self, process: JobProcess, stopping: Event) -> None:
        super().__init__(stopping)
        self._process = process

    def look(self) -> None:
        """Look once."""
        if self._process.has_ended():
            _logger.critical("jobs.ended")
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


def _keep(work: Callable[[int], None], heard: int) -> NoReturn:
    """Fork the process of the jobs as long as the worker lives."""
    for number in _STOPS:
        signal.signal(number, signal.SIG_IGN)  # the worker says when to stop
    os.nice(NICENESS)
    if os.read(heard, 1) != _RING:
        os._exit(0)  # the worker did not start, or stops already
    while True:
        child = os.fork()
        if child == 0:
            _work(work, heard)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status) or _is_alone(heard):
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0)
        _logger.warning("jobs.killed", signal=os.WTERMSIG(status))
        time.sleep(PAUSE_S)


def _work(work: Callable[[int], None], heard: int) -> NoReturn:
    status = 1
    try:
        work(heard)
        status = 0
    except Exception:
        _logger.exception("jobs.failed")
    finally:
        sys.stderr.flush()
        os._exit(status)  # what the worker registered for its own end is the worker's


def _is_alone(heard: int) -> bool:
    """Return whether the worker has ended: nobody can write to the pipe."""
    poll = select.poll()
    poll.register(heard, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))
