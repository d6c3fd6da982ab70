"""One process of the API: gunicorn starts and watches it; it serves on one event loop."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import time
from contextlib import suppress
from typing import Any, ClassVar, Final

from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]  # it ships none
from gunicorn.workers.base import Worker as BaseWorker  # type: ignore[import-untyped]  # as above

from service.api.loop.connection import Connection
from service.api.loop.slow_reads import ReadProcess
from service.api.loop.sockets import Sockets
from service.collecting import collect_seldom
from service.lifeline import end_with_parent
from service.switching import switch_often

TICK_S: Final = 0.5
"""Seconds between two heartbeats to the master, and at most between two sweeps of the sockets."""

STOPPING_TICK_S: Final = 0.1
"""The same during a stop."""

ACCEPTED: Final = 8
"""The maximum of connections accepted in one iteration of the loop, so that a flood does not delay others."""

EXPIRED: Final = 8
"""The maximum of connections that one sweep ends, for the same reason."""

SWEEP_S: Final = 0.01
"""The minimum of seconds between two sweeps if nothing is left due by the first one."""

_OTHER_FILES: Final = 512
"""File descriptors for other things than client sockets: the store, pools, metrics, logs."""


class Worker(BaseWorker):  # type: ignore[misc]  # gunicorn is untyped
    """One process of the API; it ends when its master ends, even if the master is killed."""

    _pipe: ClassVar[tuple[int, int] | None] = None
    """The master keeps the writing end, which the kernel closes when the master dies."""
    _reads: ReadProcess | None = None
    """The process that answers slow reads, from `init_process` on."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Prepare a worker; this runs in the master, before the fork."""
        super().__init__(*args, **kwargs)
        Worker._pipe = Worker._pipe or os.pipe()
        self.connections = 0
        """The connections that a stop waits for."""
        self.held: Sockets
        self.loop: asyncio.AbstractEventLoop
        self.application: Any
        self._is_quick = False
        """Whether a stop waits for nobody."""
        self._stopping: asyncio.Event

    def init_process(self) -> None:
        """Initialize the worker after the fork, and watch the master's end of the pipe."""
        assert Worker._pipe is not None, "the master made it"
        reading_end, writing_end = Worker._pipe
        os.close(writing_end)
        listening = [each.sock.fileno() for each in self.sockets]
        self._reads = ReadProcess(lambda: self.app.wsgi().served, listening)  # before this one has threads
        end_with_parent(reading_end)
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        super().init_process()

    def init_signals(self) -> None:
        """Let the loop receive the master's signals."""
        for each in self.SIGNALS:
            signal.signal(each, signal.SIG_DFL)
        for each in (signal.SIGQUIT, signal.SIGINT, signal.SIGABRT):
            self.loop.add_signal_handler(each, self._stop_at_once)
        self.loop.add_signal_handler(signal.SIGTERM, self._stop)
        self.loop.add_signal_handler(signal.SIGUSR1, self.log.reopen_files)
        self.loop.add_signal_handler(signal.SIGWINCH, lambda: None)

    def load_wsgi(self) -> None:
        """Load the application, then exclude it from garbage collection; its threads change often."""
        self.application = self.app.wsgi()
        self.application.slow_reads = self._reads
        collect_seldom()
        switch_often()

    def run(self) -> None:
        """Serve until the process is asked to stop."""
        try:
            self.loop.run_until_complete(self._serve())
            self.loop.run_until_complete(self._end_tasks())
        finally:
            self.loop.close()

    def _stop(self) -> None:
        """Begin to stop: end streams, close idle connections, answer requests in flight."""
        self.alive = False
        self._stopping.set()

    def _stop_at_once(self) -> None:
        """Stop without waiting for anything."""
        self._is_quick = True
        self._stop()

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        self.held = Sockets(_fitting(self.application.limits, self.log), time.monotonic)
        try:
            await self.application.begin()
        except Exception:
            self.log.exception("The application does not start")
            raise SystemExit(Arbiter.WORKER_BOOT_ERROR) from None
        servers = []
        for listener in self.sockets:
            server = await self.loop.create_server(
                lambda: Connection(self), sock=listener.sock, backlog=ACCEPTED
            )
            listener.sock.listen(self.cfg.backlog)
            servers.append(server)
        self._sweep()
        assert self._reads is not None, "the process is initialized"
        while self.alive:
            self.notify()
            if self._reads.has_ended():
                self.log.critical("The process that forks the one for slow reads has ended")
                os.kill(os.getpid(), signal.SIGKILL)  # the master starts another
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), TICK_S)
        self.application.begin_stop()
        for server in servers:
            server.close()
        ends = time.monotonic() + self.cfg.graceful_timeout
        while self.connections and time.monotonic() < ends and not self._is_quick:
            self.notify()
            self.held.end_waiting()
            await asyncio.sleep(STOPPING_TICK_S)
        if not self._is_quick:
            await self.application.end()

    async def _end_tasks(self) -> None:
        """Cancel what still runs, and wait for its end."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for each in tasks:
            each.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1 if self._is_quick else None)

    def _sweep(self) -> None:
        """End connections whose time is up, and come again when the next one's is."""
        next_s = SWEEP_S
        try:
            next_s = self.held.sweep(EXPIRED)
        finally:
            delay = min(max(next_s, SWEEP_S), TICK_S) if next_s else 0.0
            self.loop.call_later(delay, self._sweep)


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
