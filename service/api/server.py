"""The command line with which gunicorn serves the application, on one event loop per process."""

from __future__ import annotations

from pathlib import Path
from typing import Final

APPLICATION: Final = "service.asgi:application()"
WATCHED_S: Final = 60
GRACE_S: Final = 35
"""Seconds in which requests may finish after a stop; longer than the longest wait for an outcome."""

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - gunicorn's heartbeat files, which must not wait for a disk


def arguments(host: str, port: int, *, workers: int, log_level: str = "info") -> list[str]:
    """Return the arguments of `python -m gunicorn` to serve on *host* and *port*."""
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    heartbeat = [f"--worker-tmp-dir={_MEMORY}"] if _MEMORY.is_dir() else []
    return [
        *heartbeat,
        "--no-control-socket",
        f"--bind={bind}",
        f"--workers={workers}",
        "--worker-class=service.api.loop.worker.Worker",
        f"--timeout={WATCHED_S}",
        f"--graceful-timeout={GRACE_S}",
        "--backlog=1024",
        f"--log-level={'warning' if log_level == 'info' else log_level}",
        APPLICATION,
    ]
