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
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

import structlog

NICENESS: Final = 10
"""How much these processes give way to their owner, as `nice` counts it."""

PAUSE_S: Final = 1.0
"""Pause before a killed process is forked again."""

BEGIN: Final = b"r"
"""The byte in the pipe that lets the keeper begin."""

_SESSION: Final = Path("/proc/self/autogroup")
"""The niceness of a session (sched(7)): a process may make its own nicer."""

_STOPS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_logger: Final = structlog.get_logger()


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
