"""Serve the application with gunicorn: threads that wait for outcomes, and no patience with stalled sockets.

`--timeout` of gunicorn watches the process, not its clients; a client that stops sending or reading would
hold a thread for ever. So every socket gets the kernel's own timeouts before it is read.
"""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from typing import Any, Final

from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]  # it ships none

APPLICATION: Final = "service.wsgi:application()"
STALLED_S: Final = 10
"""How long a client may neither send nor read."""

KEEP_ALIVE_S: Final = 75
WATCHED_S: Final = 60
GRACE_S: Final = 35
"""How long requests may end after a stop: longer than the longest wait for an outcome."""

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - gunicorn's own files of a heartbeat that must not wait for a disk
_TIMEVAL: Final = struct.pack("ll", STALLED_S, 0)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    """Threads whose sockets give up after `STALLED_S`."""

    def handle(self, conn: TConn) -> Any:
        """Handle one request on *conn*; the timeouts also hold while the socket is blocking."""
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _TIMEVAL)
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL)
        return super().handle(conn)


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
        f"--worker-class={__name__}.Worker",
        f"--keep-alive={KEEP_ALIVE_S}",
        f"--timeout={WATCHED_S}",
        f"--graceful-timeout={GRACE_S}",
        "--backlog=1024",
        f"--log-level={'warning' if log_level == 'info' else log_level}",
        APPLICATION,
    ]
