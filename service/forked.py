"""Keep processes that are forked from one with a single thread, and fork each again whenever it is killed.

A process with threads must not be forked. So the one that needs others beside it forks a keeper before it has
threads, and the keeper forks them: once at the start, and later in place of one that was killed. When their
owner ends, for any reason, the kernel closes the pipe between them, and no other is forked.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from socket import socket, socketpair
from typing import Final, NoReturn

import structlog

NICENESS: Final = 10
"""How much these processes give way to their owner, as `nice` counts it."""

PAUSE_S: Final = 1.0
"""Pause before a killed process is forked again."""

_STEP_S: Final = 0.02

BEGIN: Final = b"r"
"""The byte in the pipe that lets the keeper begin."""

_SESSION: Final = Path("/proc/self/autogroup")
"""The niceness of a session (sched(7)): a process may make its own nicer."""

_STOPS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_logger: Final = structlog.get_logger()


class ForkKeeper:
    """The keeper of the processes beside its owner, seen from the owner, which has no threads yet."""

    def __init__(
        self, works: Callable[[int, socket], Mapping[str, Callable[[], None]]], unneeded: Iterable[int] = ()
    ) -> None:
        """Fork the keeper; there *works* returns what `keep` runs, and the files *unneeded* are closed.

        It is called with the reading end of the pipe, and one end of a socket whose other end is `channel`.
        """
        heard, self._said = os.pipe()
        os.set_blocking(self._said, False)
        self.channel, theirs = socketpair()
        self._pid = os.fork()
        if self._pid == 0:
            self.channel.close()
            for file in (self._said, *unneeded):
                os.close(file)
            keep(works(heard, theirs), heard)
        os.close(heard)
        theirs.close()

    def say(self, byte: bytes) -> None:
        """Write to the pipe, first of all `BEGIN`. Thread-safe."""
        with suppress(BlockingIOError, BrokenPipeError):  # so much waits there; or `has_ended` finds it
            os.write(self._said, byte)

    def has_ended(self) -> bool:
        """Return whether the keeper has ended, which it does of itself only if its processes returned."""
        return os.waitpid(self._pid, os.WNOHANG)[0] != 0

    def end(self, seconds: float) -> None:
        """Wait for the end of the keeper, and kill it after *seconds*; the processes end with the pipe."""
        ends = time.monotonic() + seconds
        while not self.has_ended():
            if time.monotonic() > ends:
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                break
            time.sleep(_STEP_S)
        os.close(self._said)


def keep(works: Mapping[str, Callable[[], None]], pipe: int) -> NoReturn:
    """Be the keeper: run each of *works* in a process of its own until all of them have returned.

    *pipe* is the reading end of a pipe to which the owner alone can write. Nothing begins before it has
    `BEGIN`.
    """
    for number in _STOPS:
        signal.signal(number, signal.SIG_IGN)  # the owner says when to stop
    _give_way()
    if os.read(pipe, 1) != BEGIN:
        os._exit(0)  # the owner did not start, or stops already
    running = {_forked(name, work): name for name, work in works.items()}
    while running:
        pid, status = os.wait()
        name = running.pop(pid)
        if os.WIFSIGNALED(status) and not _is_alone(pipe):
            _logger.warning("process.killed", process=name, signal=os.WTERMSIG(status))
            time.sleep(PAUSE_S)
            running[_forked(name, works[name])] = name
        elif os.WIFEXITED(status) and os.WEXITSTATUS(status):
            os._exit(os.WEXITSTATUS(status))
    os._exit(0)


def _give_way() -> None:
    """Let this process and those that it forks give way to their owner.

    Linux may share the processors among sessions first, and by `nice` only within one: then the owner waits
    until its session has paid for what these have used. So they have a session of their own, which gives way.
    """
    os.setsid()
    os.nice(NICENESS)
    with suppress(OSError):  # another system, or sessions do not count
        _SESSION.write_text(str(NICENESS))


def _forked(name: str, work: Callable[[], None]) -> int:
    """Fork a process that does *work*; return its number."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work()
        status = 0
    except Exception:
        _logger.exception("process.failed", process=name)
    finally:
        sys.stderr.flush()
        os._exit(status)  # what the owner registered for its own end is the owner's


def _is_alone(pipe: int) -> bool:
    """Return whether the owner has ended: nobody can write to the pipe."""
    poll = select.poll()
    poll.register(pipe, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))
