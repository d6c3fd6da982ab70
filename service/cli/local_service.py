"""Run a whole service on this machine: its store, its API, its workers.

The store is the embedded one unless the settings name servers. The processes are stopped in the reverse
order, and every acknowledged write is on disk.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

from service.api.gunicorn_logger import JsonLogger
from service.api.metrics import DIRECTORY
from service.api.server import GRACE_S, arguments
from service.cli.client import not_ready
from service.cli.loading import LoadingDisplay
from service.cli.store import NotServing, connecting
from service.cli.terminal import Failure
from service.log import StoreRefused
from service.log.valkey import ValkeyLog
from service.log.valkey.queue import check_queue, queue_client
from service.settings import Settings, SettingsError
from service.supervisor import EmbeddedFailure, EmbeddedValkey, Supervised, Supervisor
from service.supervisor.place import make_private
from service.supervisor.supervisor import STEP_S, Say

READY_S: Final = 600.0
"""How long a start may take: a loaded machine needs minutes for what takes seconds on an idle one."""

SAID_EVERY_S: Final = 10.0
"""How often a start that takes long says what it waits for."""

PORTS_TRIED: Final = 20
PORT_S: Final = 3.0
"""How long to wait for a port that the ending processes of a killed service may still use."""

UNREADY_DEATHS: Final = 3
"""After this many deaths of one process before the service is first ready, the start fails."""

_GUNICORN_LOGGER: Final = f"--logger-class={JsonLogger.__module__}.{JsonLogger.__name__}"

MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a private directory is made in it


class StartAbandoned(Exception):
    """The start was stopped by a signal before the service was ready."""


def _never() -> bool:
    return False


class LocalService:
    """A service that runs as long as the context lasts.

    If *is_stopping* returns True, a start ends with `StartAbandoned`; if *is_hurried* does, processes are
    killed instead of waited for.
    """

    def __init__(
        self,
        settings: Settings,
        say: Say,
        *,
        is_stopping: Callable[[], bool] = _never,
        is_hurried: Callable[[], bool] = _never,
    ) -> None:
        self.settings = settings
        self._is_stopping = is_stopping
        self._is_hurried = is_hurried
        self._say = say
        self._supervisor = Supervisor(say)
        self._embedded: EmbeddedValkey | None = None
        self._metrics_dir: Path | None = None
        self._was_ready = False

    @property
    def url(self) -> str:
        """The base URL of the API."""
        host = self.settings.host
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - compared, not bound
        return f"http://{shown}:{self.settings.port}"

    def log(self) -> ValkeyLog:
        """Return a connection to the store once it is loaded; raises `NotServing` and `StartAbandoned`."""
        assert self.settings.streams_url is not None, "the store runs by now"
        with connecting(self._say) as display:
            log = ValkeyLog.connect_when_loaded(
                self.settings.streams_url, display, self._go_on, replicas=self.settings.replicas
            )
            log.check_durable()
        return log

    def start(self) -> None:
        """Start everything; raises `NotServing` and `StartAbandoned`."""
        _own(self.settings.data_dir)
        if self.settings.is_embedded:
            self._start_store()
        self.settings.secret_keys()
        if self.settings.workers:  # the API needs only the public half
            self.settings.signing_key()
        with closing(self.log()):  # refuses a store that may lose commands, with a message
            pass
        self._check_queue()
        settings = self.settings
        api = arguments(
            settings.host,
            settings.port,
            workers=settings.api_workers,
            log_level=settings.log_level,
        )
        self._metrics_dir = metrics_directory(settings)
        environment = {**settings.environment(), DIRECTORY: str(self._metrics_dir)}
        for i in range(1, settings.workers + 1):
            self._supervisor.start(
                _supervised(f"worker {i}", "decide its command", ("workers",), environment)
            )
        self._supervisor.start(
            _supervised("the API", "answer its requests", ("gunicorn", _GUNICORN_LOGGER, *api), environment)
        )

    def wait_until_ready(self) -> None:
        """Wait until the service accepts commands; raises `NotServing` and `StartAbandoned`."""
        began = said = time.monotonic()
        ends = began + READY_S
        while (why := not_ready(self.url)) is not None:
            self._go_on()
            broken = [each.name for each in self._supervisor.died() if each.deaths >= UNREADY_DEATHS]
            if broken:
                raise NotServing(f"{broken[0]} keeps dying; see its output above")
            now = time.monotonic()
            if now > ends:
                raise NotServing(
                    f"the service was not ready within {READY_S:g} s; it waited for {why.waits_for}"
                )
            if now - said >= SAID_EVERY_S:
                said = now
                self._say(f"starting: waiting for {why.waits_for} ({now - began:.0f} s)")
            time.sleep(STEP_S)
        self._was_ready = True

    def stop(self) -> None:
        """Stop all processes and delete temporary files.

        If the service was never ready, its processes have nothing to finish and are killed.
        """
        self._supervisor.stop(lambda: not self._was_ready or self._is_hurried())
        if self._embedded is not None:
            self._embedded.stop()
        if self._metrics_dir is not None:
            shutil.rmtree(self._metrics_dir, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException as fault:
            self.stop()
            if isinstance(fault, Failure | StartAbandoned) or not isinstance(fault, Exception):
                raise
            why = str(fault) if isinstance(fault, SettingsError) else f"{type(fault).__name__}: {fault}"
            raise NotServing(f"the service cannot start: {why}") from fault
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start_store(self) -> None:
        display = LoadingDisplay(self._say)
        try:
            self._embedded = EmbeddedValkey(
                self.settings.store_dir, self._supervisor, memory_mb=self.settings.store_mb
            )
            self._embedded.start(display, self._go_on)
        except EmbeddedFailure as fault:
            raise NotServing(str(fault)) from fault
        finally:
            display.finish()
        self.settings = self.settings.with_servers(self._embedded.url, self._embedded.queue_url)

    def _check_queue(self) -> None:
        assert self.settings.queue_url is not None, "the store runs by now"
        with queue_client(self.settings.queue_url) as client:
            try:
                check_queue(client)
            except StoreRefused as fault:
                raise NotServing(f"REWOUND_QUEUE_URL: {fault}") from fault

    def _go_on(self) -> None:
        if self._is_stopping():
            raise StartAbandoned


def _supervised(
    name: str, finishes: str, command: Sequence[str], environment: Mapping[str, str]
) -> Supervised:
    command = (sys.executable, "-m", "service.supervisor.child", *command)
    return Supervised(name, command, environment, stop_s=GRACE_S, finishes=finishes)


def _own(directory: Path) -> None:
    """Make the data directory with mode 0700; raises `NotServing`."""
    try:
        make_private(directory)
    except EmbeddedFailure as fault:
        raise NotServing(str(fault)) from fault
    except OSError as fault:
        raise NotServing(f"cannot make the data directory: {fault}") from fault


def metrics_directory(settings: Settings) -> Path:
    """Make and return an empty directory for the metrics that the API's processes share.

    They map its files into memory, and a process that writes to such a file on a full disk is killed. The
    directory is therefore in memory, or else with the temporary files, and never with the data. Its name
    depends only on the data directory and the port, so the next start deletes what a killed service left.
    """
    parent = MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    whose = f"{settings.data_dir.resolve()}\n{settings.port}"
    directory = parent / f"rewound-{os.getuid()}-{sha256(os.fsencode(whose)).hexdigest()[:16]}"
    shutil.rmtree(directory, ignore_errors=True)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:  # another user made it
        return Path(tempfile.mkdtemp(prefix="rewound-", dir=parent))
    return directory


def with_free_port(settings: Settings, *, is_given: bool, say: Say) -> Settings:
    """Return *settings* with a free port: the configured one, or the next free one if it was a default.

    Raises `NotServing` if a given port is in use, or no port is free.
    """
    ends = time.monotonic() + PORT_S
    while not (is_free := _is_free(settings.host, settings.port)) and time.monotonic() < ends:
        time.sleep(STEP_S)
    if is_free:
        return settings
    if is_given:
        raise NotServing(
            f"{settings.host}:{settings.port} is in use: stop its user, or choose another --port"
        )
    for port in range(settings.port + 1, settings.port + 1 + PORTS_TRIED):
        if _is_free(settings.host, port):
            say(f"port {settings.port} is in use; using {port}")
            return replace(settings, port=port)
    raise NotServing(f"no port from {settings.port} on is free: choose one with --port")


@contextmanager
def reserved_port(host: str) -> Iterator[int]:
    """Yield a free port and reserve it while the context lasts.

    On Linux the port is bound without listening. A server that sets `SO_REUSEADDR` can listen on it, and the
    system does not give it to a process that asks for any free port. Other systems cannot listen on a bound
    port, so there it is only free at the start.
    """
    with socket.socket(_family(host)) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind((host, 0))
        port = held.getsockname()[1]
        if not sys.platform.startswith("linux"):
            held.close()
        yield port


def _is_free(host: str, port: int) -> bool:
    try:
        with socket.create_server((host, port), family=_family(host)):
            return True
    except OSError:
        return False


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
