"""Put a whole service together on this machine: its store, its API, its workers.

The store is the embedded one unless the settings name servers. Everything is ended in the opposite order, and
what was acknowledged is on disk at every moment.
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
from service.cli.client import Client, ProblemAnswer, Unreachable
from service.cli.loading import LoadingDisplay
from service.cli.terminal import Failure
from service.log import StoreFailure, StoreRefused
from service.log.queue import check_queue, queue_client
from service.log.valkey import ValkeyLog
from service.settings import Settings
from service.supervisor import EmbeddedFailure, EmbeddedValkey, Supervised, Supervisor
from service.supervisor.place import make_private
from service.supervisor.supervisor import STEP_S, Say

READY_S: Final = 60.0
PORTS_TRIED: Final = 20
PORT_S: Final = 3.0
"""How long a port may stay in use by processes that end: those of a service that was killed a moment ago."""

UNREADY_DEATHS: Final = 3
"""How often a process may die before the service was ready once: then something is wrong that stays."""

_GUNICORN_LOGGER: Final = f"--logger-class={JsonLogger.__module__}.{JsonLogger.__name__}"

MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a directory of our own is made in it, for our eyes alone


class NotServing(Failure):
    """Why the service does not run, and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message, lines=True)


class StartAbandoned(Exception):
    """Somebody asked to stop before the service was ready."""


def _never() -> bool:
    return False


class LocalService:
    """A service that runs as long as the context lasts.

    *is_stopping* ends a start with `StartAbandoned`; *is_hurried* kills what takes long to stop.
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
        """Where the API is served."""
        host = self.settings.host
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - compared, not bound
        return f"http://{shown}:{self.settings.port}"

    def log(self) -> ValkeyLog:
        """Return a connection to the store; raises `NotServing`."""
        assert self.settings.streams_url is not None, "the store runs by now"
        display = LoadingDisplay(self._say)
        try:
            log = ValkeyLog.connect_when_loaded(
                self.settings.streams_url, display, self._go_on, replicas=self.settings.replicas
            )
            log.check_durable()
        except StoreRefused as fault:
            raise NotServing(str(fault)) from fault
        except StoreFailure as fault:
            raise NotServing(f"the store cannot be reached: {fault}") from fault
        finally:
            display.finish()
        return log

    def start(self) -> None:
        """Start everything; raises `NotServing` and `StartAbandoned`."""
        _own(self.settings.data_dir)
        if self.settings.is_embedded:
            self._start_store()
        self.settings.secret_key()
        if self.settings.workers:  # the API reads the public half alone
            self.settings.signing_key()
        with closing(self.log()):  # a store that may lose commands is refused here, in words
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
            self._supervisor.start(_supervised(f"worker {i}", ("workers",), environment))
        self._supervisor.start(_supervised("the API", ("gunicorn", _GUNICORN_LOGGER, *api), environment))

    def wait_until_ready(self) -> None:
        """Wait until commands are taken; raises `NotServing` and `StartAbandoned`."""
        client = Client(self.url)
        ends = time.monotonic() + READY_S
        try:
            while (why := _not_ready(client)) is not None:
                self._go_on()
                broken = [each.name for each in self._supervisor.died() if each.deaths >= UNREADY_DEATHS]
                if broken:
                    raise NotServing(f"{broken[0]} keeps dying: see what it says above")
                if time.monotonic() > ends:
                    raise NotServing(f"the service is not ready after {READY_S:g} s: {why}")
                time.sleep(STEP_S)
        finally:
            client.close()
        self._was_ready = True

    def stop(self) -> None:
        """End everything and leave nothing behind.

        A service that was never ready has nothing to finish: its processes are killed.
        """
        self._supervisor.stop(lambda: not self._was_ready or self._is_hurried())
        if self._embedded is not None:
            self._embedded.stop()
        if self._metrics_dir is not None:
            shutil.rmtree(self._metrics_dir, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
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


def _supervised(name: str, command: Sequence[str], environment: Mapping[str, str]) -> Supervised:
    return Supervised(
        name, (sys.executable, "-m", "service.supervisor.child", *command), environment, stop_s=GRACE_S
    )


def _own(directory: Path) -> None:
    """Make the data directory, for its owner's eyes alone; raises `NotServing`."""
    try:
        make_private(directory)
    except EmbeddedFailure as fault:
        raise NotServing(str(fault)) from fault
    except OSError as fault:
        raise NotServing(f"the data directory cannot be made: {fault}") from fault


def metrics_directory(settings: Settings) -> Path:
    """Make an empty directory in which the API's processes count together; return it.

    They map its files into memory, and a process that writes to such a file on a full disk is killed. So it
    lies in memory, or where there is no such place with the temporary files: never with the data. Its name is
    always the same for one data directory and port, so what a killed service left there goes with the next.
    """
    parent = MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    whose = f"{settings.data_dir.resolve()}\n{settings.port}"
    directory = parent / f"rewound-{os.getuid()}-{sha256(os.fsencode(whose)).hexdigest()[:16]}"
    shutil.rmtree(directory, ignore_errors=True)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:  # somebody else's, by accident or on purpose
        return Path(tempfile.mkdtemp(prefix="rewound-", dir=parent))
    return directory


def _not_ready(client: Client) -> str | None:
    """Return why the service does not take commands yet, None if it does."""
    try:
        client.get("/readyz")
    except (ProblemAnswer, Unreachable) as fault:
        return str(fault)
    return None


def with_free_port(settings: Settings, *, is_given: bool, say: Say) -> Settings:
    """Return *settings* with a port nobody listens on: a given one, or the next one that is free.

    Raises `NotServing` where a given port is taken.
    """
    ends = time.monotonic() + PORT_S
    while not (is_free := _is_free(settings.host, settings.port)) and time.monotonic() < ends:
        time.sleep(STEP_S)
    if is_free:
        return settings
    if is_given:
        raise NotServing(
            f"{settings.host}:{settings.port} is in use: stop who uses it, or give another --port"
        )
    for port in range(settings.port + 1, settings.port + 1 + PORTS_TRIED):
        if _is_free(settings.host, port):
            say(f"port {settings.port} is in use; taking {port}")
            return replace(settings, port=port)
    raise NotServing(f"no port from {settings.port} on is free: give one with --port")


@contextmanager
def held_port(host: str) -> Iterator[int]:
    """Give a free port that nobody else is given as long as this lasts.

    It is bound and not listened on: whoever is told its number, and sets `SO_REUSEADDR` as servers do, can
    listen there; whoever asks the system for any free port gets another one. That is so on Linux alone.
    Elsewhere a port that is bound cannot be listened on, and it is only free.
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
