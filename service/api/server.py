"""Serve the application with gunicorn: many threads that wait, and no patience with clients that stall.

A request that waits for its outcome, and a stream that waits for its next commit, hold a thread each: about
forty kilobytes. So there are many. `--timeout` of gunicorn watches the process, not its clients; a client
that stops sending or reading, or that drips, would hold its thread for ever. So every socket gets the
kernel's own timeouts, and every request must be there `REQUEST_S` after it began.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, Final

from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]  # it ships none

from service.collecting import collect_seldom
from service.lifeline import end_with_parent

APPLICATION: Final = "service.wsgi:application()"
STALLED_S: Final = 10
"""How long a client may neither send nor read."""

REQUEST_S: Final = 60
"""How long head and body of a request may take in all, so that one that drips ends too."""

PIECE: Final = 64 * 1024
"""Bytes that a client must take within `STALLED_S`."""

KEEP_ALIVE_S: Final = 75
WATCHED_S: Final = 60
GRACE_S: Final = 35
"""How long requests may end after a stop: longer than the longest wait for an outcome."""

IDLE: Final = 1024
"""Connections between two requests that a process keeps open; they hold no thread."""

STACK: Final = 1024 * 1024
"""Bytes of a thread's stack; what is used of it is taken. A thousand of the usual 8 MiB alarm some hosts."""

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - gunicorn's own files of a heartbeat that must not wait for a disk
_TIMEVAL: Final = struct.pack("ll", STALLED_S, 0)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    """Threads whose clients must get on; it ends with its master, however that ended."""

    _pipe: ClassVar[tuple[int, int] | None] = None
    """The master holds the writing end, which the kernel closes when it dies."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Prepare a worker: this runs in the master, before the fork."""
        super().__init__(*args, **kwargs)
        Worker._pipe = Worker._pipe or os.pipe()

    def init_process(self) -> None:
        """Become the worker, and hold on to the master's life alone."""
        assert Worker._pipe is not None, "the master made it"
        reading_end, writing_end = Worker._pipe
        os.close(writing_end)
        end_with_parent(reading_end)
        super().init_process()

    def load_wsgi(self) -> None:
        """Load the application; the collector then leaves it alone."""
        super().load_wsgi()
        collect_seldom()

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Return the threads that serve requests; each is started when it is needed first."""
        threading.stack_size(STACK)
        return ThreadPoolExecutor(max_workers=self.cfg.threads, thread_name_prefix="request")

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to stop: streams, which have no end of their own, are ended."""
        streams = getattr(self.wsgi, "extensions", {}).get("streams")
        if self.alive and streams is not None:
            self.method_queue.defer(streams.close)
        super().handle_exit(sig, frame)

    def handle(self, conn: TConn) -> Any:
        """Handle one request on *conn*; the timeouts also hold while the socket is blocking.

        A connection that is not kept is closed here: gunicorn would wait for the client's own end for two
        seconds in the one thread that accepts everybody.
        """
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _TIMEVAL)
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL)
        conn.init()
        conn.parser.unreader.sock = Hasty(conn.sock)
        is_kept = super().handle(conn)
        if is_kept is False:
            conn.close(graceful=not conn.parser.unreader.sock.has_stalled)
            conn.close = _closed_already
        return is_kept

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Serve a request whose head was read; a client that stops reading the answer is dropped."""
        line, conn.sock = conn.sock, conn.parser.unreader.sock
        conn.sock.is_in_body = True
        try:
            return bool(super().handle_request(req, conn))
        except (TimeoutError, BlockingIOError):
            self.log.debug("Dropping a client that stalled: %s", conn.client)
            conn.sock.has_stalled = True
            return False
        finally:
            conn.sock = line


class Hasty:
    """A socket for one request, which must be there in time, and its answer, which must be taken in time."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._ends = time.monotonic() + REQUEST_S
        self.is_in_body = False
        self.has_stalled = False

    def recv(self, size: int) -> bytes:
        """Return what has come; too late, a head ends there and a body raises TimeoutError."""
        try:
            data = self._sock.recv(size)
        except (TimeoutError, BlockingIOError):
            data = None
        if data is not None and time.monotonic() < self._ends:
            return data
        if self.is_in_body:
            raise TimeoutError
        return b""

    def sendall(self, data: bytes) -> None:
        """Send *data*; raises TimeoutError where a piece of it is not taken in time.

        The kernel's timeout alone is not enough: a send that took a part and then waited returns the part.
        """
        rest = memoryview(data)
        while rest:
            began = time.monotonic()
            taken = self._sock.send(rest[:PIECE])
            if taken < min(len(rest), PIECE) and time.monotonic() - began >= STALLED_S - 1:
                raise TimeoutError
            rest = rest[taken:]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


def _closed_already(*, graceful: bool = False) -> None:
    """Close nothing: the thread that served the connection has."""


def arguments(host: str, port: int, *, workers: int, threads: int, log_level: str = "info") -> list[str]:
    """Return what follows `python -m gunicorn` to serve on *host* and *port*."""
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    heartbeat = [f"--worker-tmp-dir={_MEMORY}"] if _MEMORY.is_dir() else []
    return [
        *heartbeat,
        "--no-control-socket",
        f"--bind={bind}",
        f"--workers={workers}",
        f"--threads={threads}",
        f"--worker-connections={threads + IDLE}",
        f"--worker-class={__name__}.Worker",
        f"--keep-alive={KEEP_ALIVE_S}",
        f"--timeout={WATCHED_S}",
        f"--graceful-timeout={GRACE_S}",
        "--backlog=1024",
        f"--log-level={'warning' if log_level == 'info' else log_level}",
        APPLICATION,
    ]
