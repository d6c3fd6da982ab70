"""Answer slow reads in a process beside an API process, so that commands never wait for them.

Threads of one process share one interpreter: while one computes an answer of some megabytes, a command on the
loop waits at each of its steps. A read is slow for a minute after the same one took `SLOW_S` of a processor.
From then on it is answered by a process with a lower priority, and what that does to memory ends nobody else.

Laws. The process begins with the first slow read, and takes them once it is ready. Each request has a socket
of its own, whose other end is sent to the process. It takes the request as any other: it authenticates,
counts and stops it. The API process closes the socket if the client leaves, which stops the read.
A read is asked once more if the process was killed meanwhile. Of reads with large answers, two are made at
once.
"""

from __future__ import annotations

import asyncio
import json
import select
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Any, Final

import structlog

from service.api import event_stream
from service.api.exchange import Reply, RequestHead
from service.api.operations import OPERATIONS, Operation
from service.api.serving import READ_S, AppContext, serve
from service.caches import SlowKeys
from service.forked import BEGIN, ForkKeeper
from service.lifeline import end_with_parent
from service.rules.kernel.meter import Stop
from service.steps import Pause, run

SLOW_S: Final = 0.005
"""Seconds of the processor past which a read is slow. An ordinary one takes a fifth of it."""

THREADS: Final = 8
"""How many reads the process answers at once."""

LARGE: Final = 2**20
"""Bytes past which an answer is large: what it is made of takes ten times its bytes."""

LARGE_AT_ONCE: Final = 2
"""How many reads, of those whose last answer was large, the process answers at once."""

TRIES: Final = 2
"""How often a read is asked if the process dies."""

WATCHED_S: Final = 0.1
"""How soon a read is stopped that nobody waits for."""

_READY: Final = b"r"
_logger: Final = structlog.get_logger()
_LIMIT: Final = 1 << 20
"""Bytes of a line: the header fields of a request or of an answer."""


class ReadsLost(Exception):
    """The process was killed each time while it answered this read."""


class ReadProcess:
    """The process for the slow reads of one API process, seen from that one."""

    def __init__(self, application: Callable[[], AppContext], unneeded: Iterable[int] = ()) -> None:
        """Fork a process that will make an *application* of its own; it closes the files *unneeded*."""
        self._keeper = ForkKeeper(
            lambda alive, taken: {"reads": lambda: _answer_reads(application, taken, alive)}, unneeded
        )
        self._sent = self._keeper.channel
        self._sent.settimeout(0)  # the loop must not block
        self._has_begun = self._has_said = False
        self._slow: SlowKeys[str] = SlowKeys(time.monotonic)
        self._large: SlowKeys[str] = SlowKeys(time.monotonic)
        self._places = asyncio.Semaphore(LARGE_AT_ONCE)

    def has_ended(self) -> bool:
        """Return whether the process that forks it has ended."""
        return self._keeper.has_ended()

    def takes(self, operation: Operation, asked: RequestHead) -> bool:
        """Return whether this read is slow."""
        is_slow = _may_be_slow(operation, asked) and asked.path in self._slow
        return is_slow and self._is_ready()

    def note(self, operation: Operation, asked: RequestHead, seconds: float) -> None:
        """Note that this request took *seconds* of the processor."""
        if seconds > SLOW_S and _may_be_slow(operation, asked):
            self._slow.add(asked.path)
            if not self._has_begun:
                self._has_begun = True
                self._keeper.say(BEGIN)

    def _is_ready(self) -> bool:
        """Return whether the process takes reads; it says so once."""
        if not self._has_said:
            with suppress(OSError):  # it has not said so yet, or is gone
                self._has_said = self._sent.recv(1) == _READY
        return self._has_said

    async def answer(self, operation: Operation, path: Mapping[str, str], asked: RequestHead) -> Reply:
        """Return the answer to a slow read; raises `ReadsLost`."""
        question = json.dumps(
            {
                "operation": operation.id,
                "names": dict(path),
                "method": asked.method,
                "path": asked.path,
                "query_text": asked.query_text,
                "given": asked.given,
                "headers": dict(asked.headers.items()),
                "address": asked.address,
            }
        )
        for _ in range(TRIES):
            async with self._places if asked.path in self._large else nullcontext():
                answer = await self._ask(question.encode() + b"\n")
            if answer is not None:
                head, body = answer
                self.note(operation, asked, head["seconds"])
                if len(body) > LARGE:
                    self._large.add(asked.path)
                return Reply(head["status"], head["headers"], body)
        raise ReadsLost

    async def _ask(self, question: bytes) -> tuple[dict[str, Any], bytes] | None:
        """Return the head and the body of an answer; None if the process died meanwhile."""
        ours, theirs = socket.socketpair()
        writer = None
        try:
            with theirs:
                await self._send(theirs)
            reader, writer = await asyncio.open_connection(sock=ours, limit=_LIMIT)
            writer.write(question)
            head = json.loads(await reader.readline() or b"null")
            body = await reader.read() if head is not None else b""
        except (ConnectionError, ValueError):
            return None
        finally:
            (ours if writer is None else writer).close()
        return (head, body) if head is not None and len(body) == head["length"] else None

    async def _send(self, connection: socket.socket) -> None:
        """Send one end of a connection to the process; raises `ConnectionError` if it is gone."""
        while True:
            try:
                socket.send_fds(self._sent, [b"?"], [connection.fileno()])
            except BlockingIOError:
                await asyncio.sleep(WATCHED_S)
            else:
                return


def _may_be_slow(operation: Operation, asked: RequestHead) -> bool:
    """Return whether the request only reads, computes, and has its answer whole."""
    is_read = operation.method == "GET" and not operation.is_quick and not operation.is_probe
    return is_read and (operation.stream is None or not event_stream.is_wanted(asked.headers.get("accept")))


# --- the process ----------------------------------------------------------------------------------------


@dataclass
class _WaitedRead:
    """A read that somebody waits for."""

    connection: socket.socket
    stop: Stop = field(default_factory=Stop)
    since: float = field(default_factory=time.monotonic)


class _Watch:
    """Stops reads that nobody waits for any more, or that take too long."""

    def __init__(self) -> None:
        self._waiting: list[_WaitedRead] = []
        self._changed = Condition()

    def begin(self, waiting: _WaitedRead) -> None:
        with self._changed:
            self._waiting.append(waiting)
            self._changed.notify()

    def end(self, waiting: _WaitedRead) -> None:
        with self._changed:
            self._waiting.remove(waiting)
            waiting.connection.close()

    def run(self) -> None:
        while True:
            time.sleep(WATCHED_S)
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)  # an idle process sleeps
                for each in self._waiting:
                    is_late = time.monotonic() - each.since > READ_S
                    each.stop.is_set = each.stop.is_set or is_late or _is_left(each.connection)


def _is_left(connection: socket.socket) -> bool:
    poll = select.poll()
    poll.register(connection, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def _answer_reads(application: Callable[[], AppContext], taken: socket.socket, alive: int) -> None:
    """Answer what is asked through *taken*, until the API process ends."""
    end_with_parent(alive)
    served, watch = application(), _Watch()
    served.metrics.has_no_streams()
    for n in range(THREADS):
        Thread(target=_take_all, args=(served, taken, watch), name=f"reads-{n}", daemon=True).start()
    taken.sendall(_READY)
    watch.run()


def _take_all(served: AppContext, taken: socket.socket, watch: _Watch) -> None:
    while True:
        try:
            _, files, _, _ = socket.recv_fds(taken, 1, 1)
        except OSError:
            return  # the API process has ended
        if not files:
            return
        waiting = _WaitedRead(socket.socket(fileno=files[0]))
        watch.begin(waiting)
        try:
            _answer(served, waiting)
        except (OSError, ValueError):
            pass  # the client has left, perhaps before asking
        except Exception:
            _logger.exception("reads.failed")  # the thread answers the next one
        finally:
            watch.end(waiting)


def _answer(served: AppContext, waiting: _WaitedRead) -> None:
    with waiting.connection.makefile("rb") as lines:
        said: dict[str, Any] = json.loads(lines.readline())
    operation, names = OPERATIONS.all[said.pop("operation")], said.pop("names")
    begun = time.thread_time()
    asked = RequestHead(**said, length=0, body=_no_body, stop=waiting.stop)
    reply = run(serve(operation, served, names, asked))
    assert isinstance(reply.body, bytes), "a read that may be slow has no stream"
    head = {
        "status": reply.status,
        "headers": reply.headers,
        "length": len(reply.body),
        "seconds": time.thread_time() - begun,
    }
    waiting.connection.sendall(json.dumps(head).encode() + b"\n")
    waiting.connection.sendall(reply.body)  # apart from the head: it may be large, and is not copied


def _no_body(_limit: int) -> Pause[bytes]:
    raise AssertionError("a read has no body")
