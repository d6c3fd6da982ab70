"""One process of the API: gunicorn's ASGI worker with limited sockets, which closes idle ones at a stop."""

from __future__ import annotations

import asyncio
import os
import resource
import time
from contextlib import suppress
from typing import Any, ClassVar, Final

from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]  # it ships none
from gunicorn.asgi.lifespan import LifespanManager  # type: ignore[import-untyped]  # as above
from gunicorn.workers.gasgi import ASGIWorker  # type: ignore[import-untyped]  # as above

from service.api.loop.connection import Connection
from service.api.loop.sockets import Sockets
from service.collecting import collect_seldom
from service.lifeline import end_with_parent
from service.switching import switch_often

TICK_S: Final = 0.5
"""Seconds between two heartbeats to the master, and at most between two sweeps of the sockets."""

ACCEPTED: Final = 8
"""The maximum of connections accepted in one iteration of the loop, so that a flood does not delay others."""

EXPIRED: Final = 8
"""The maximum of connections that one sweep ends, for the same reason."""

SWEEP_S: Final = 0.01
"""The minimum of seconds between two sweeps if nothing is left due by the first one."""

_OTHER_FILES: Final = 512
"""File descriptors for other things than client sockets: the store, pools, metrics, logs."""


class Worker(ASGIWorker):  # type: ignore[misc]  # gunicorn is untyped
    """One process of the API; it ends when its master ends, even if the master is killed."""

    _pipe: ClassVar[tuple[int, int] | None] = None
    """The master keeps the writing end, which the kernel closes when the master dies."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Prepare a worker; this runs in the master, before the fork."""
        super().__init__(*args, **kwargs)
        Worker._pipe = Worker._pipe or os.pipe()
        self.held: Sockets
        self._stopping: asyncio.Event

    def init_process(self) -> None:
        """Initialize the worker after the fork, and watch the master's end of the pipe."""
        assert Worker._pipe is not None, "the master made it"
        reading_end, writing_end = Worker._pipe
        os.close(writing_end)
        end_with_parent(reading_end)
        super().init_process()

    def handle_exit_signal(self) -> None:
        """Begin to stop: end streams, close idle connections, answer requests in flight."""
        super().handle_exit_signal()
        self._stopping.set()

    def load_wsgi(self) -> None:
        """Load the application, then exclude it from garbage collection; its threads change often."""
        super().load_wsgi()
        collect_seldom()
        switch_often()

    async def _serve(self) -> None:
        """Serve until the process is asked to stop."""
        self._stopping = asyncio.Event()
        self.held = Sockets(_fitting(self.asgi.limits, self.log), time.monotonic)
        self.lifespan = LifespanManager(self.asgi, self.log, self.state)
        try:
            await self.lifespan.startup()
        except Exception:
            self.log.exception("The application does not start")
            raise SystemExit(Arbiter.WORKER_BOOT_ERROR) from None
        for listener in self.sockets:
            server = await self.loop.create_server(
                lambda: Connection(self), sock=listener.sock, ssl=self._get_ssl_context(), backlog=ACCEPTED
            )
            listener.sock.listen(self.cfg.backlog)
            self.servers.append(server)
        self._sweep()
        while self.alive:
            self.notify()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), TICK_S)
        self.asgi.begin_stop()
        ticking = self.loop.create_task(self._tick_on())
        try:
            await self._shutdown()
        finally:
            ticking.cancel()

    def _sweep(self) -> None:
        """End connections whose time is up, and come again when the next one's is."""
        next_s = SWEEP_S
        try:
            next_s = self.held.sweep(EXPIRED)
        finally:
            delay = min(max(next_s, SWEEP_S), TICK_S) if next_s else 0.0
            self.loop.call_later(delay, self._sweep)

    async def _tick_on(self) -> None:
        """Send heartbeats until cancelled, and close connections that have become idle."""
        while True:
            self.notify()
            self.held.end_waiting()
            await asyncio.sleep(TICK_S / 5)


def _fitting(limits: Any, log: Any) -> Any:
    """Raise the soft limit of open files as far as needed; return *limits* reduced to what is possible."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.sockets + _OTHER_FILES
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if most < wanted:
        log.warning("The process may open %d files: it holds %d sockets at most", most, most - _OTHER_FILES)
        return limits.within(max(1, most - _OTHER_FILES))
    return limits
