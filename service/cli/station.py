"""Put a whole service together on this machine: its store, its API, its workers.

The store is the embedded one unless the settings name servers. Everything is ended in the opposite order, and
what was acknowledged is on disk at every moment.
"""

from __future__ import annotations

import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

import click

from service.api.metrics import DIRECTORY
from service.api.server import GRACE_S, arguments
from service.cli.children import STEP_S, Child, Children, Say
from service.cli.client import Client, Problem, Unreachable
from service.cli.loading import LoadingDisplay
from service.embedded import EmbeddedFailure, EmbeddedValkey
from service.log import NotDurable, StoreFailure
from service.log.valkey import ValkeyLog
from service.settings import Settings

READY_S: Final = 60.0
PORTS_TRIED: Final = 20
_UNREADY_DEATHS: Final = 3
"""How often a child may die before the service was ready once: then something is wrong that stays."""


class NotServing(click.ClickException):
    """Say why the service does not run, and what to do."""


class Station:
    """A service that runs as long as the context lasts."""

    def __init__(self, settings: Settings, say: Say) -> None:
        self.settings = settings
        self._say = say
        self._embedded: EmbeddedValkey | None = None
        self._children: Children | None = None
        self.is_hurried: Callable[[], bool] = lambda: False

    @property
    def url(self) -> str:
        """Where the API is served."""
        host = self.settings.host
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - compared, not bound
        return f"http://{shown}:{self.settings.port}"

    def log(self) -> ValkeyLog:
        """Return a connection to the store; raises `NotServing`."""
        assert self.settings.streams_url is not None, "the store runs by now"
        display = LoadingDisplay()
        try:
            log = ValkeyLog.connect_when_loaded(self.settings.streams_url, display)
            log.check_durable()
        except NotDurable as fault:
            raise NotServing(str(fault)) from fault
        except StoreFailure as fault:
            raise NotServing(f"the store cannot be reached: {fault}") from fault
        finally:
            display.finish()
        return log

    def start(self) -> None:
        """Start everything; raises `NotServing`."""
        if self.settings.is_embedded:
            display = LoadingDisplay()
            try:
                self._embedded = EmbeddedValkey(self.settings.store_dir)
                self._embedded.start(display)
            except EmbeddedFailure as fault:
                raise NotServing(str(fault)) from fault
            finally:
                display.finish()
            self.settings = self.settings.with_servers(self._embedded.url, self._embedded.queue_url)
        self.settings.secret_key()
        self.settings.signing_key()
        with closing(self.log()):  # a store that may lose commands is refused here, in words
            pass
        settings = self.settings
        api = arguments(
            settings.host,
            settings.port,
            workers=settings.api_workers,
            threads=settings.api_threads,
            log_level=settings.log_level,
        )
        children = [Child("the API", "gunicorn", api)]
        children += [Child(f"worker {i}", "workers") for i in range(1, settings.workers + 1)]
        environment = {**settings.environment(), DIRECTORY: str(_empty(settings.data_dir / "metrics"))}
        self._children = Children(children, environment, self._say)
        self._children.tend()

    def tend(self) -> None:
        """Start again what died."""
        assert self._children is not None, "the service runs by now"
        self._children.tend()

    def wait_until_ready(self, is_stopping: Callable[[], bool]) -> bool:
        """Wait until commands are taken; whether they are, or somebody wants to stop. Raises `NotServing`."""
        assert self._children is not None, "the service runs by now"
        client = Client(self.url)
        ends = time.monotonic() + READY_S
        try:
            while not is_stopping():
                self.tend()
                why = _not_ready(client)
                if why is None:
                    return True
                broken = [c.name for c in self._children.died() if c.deaths >= _UNREADY_DEATHS]
                if broken:
                    raise NotServing(f"{broken[0]} keeps dying: see what it says above")
                if time.monotonic() > ends:
                    raise NotServing(f"the service is not ready after {READY_S:g} s: {why}")
                time.sleep(STEP_S)
        finally:
            client.close()
        return False

    def stop(self) -> None:
        """End everything and leave nothing behind."""
        if self._children is not None:
            self._children.stop(GRACE_S, self.is_hurried)
        if self._embedded is not None:
            self._embedded.stop()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _empty(directory: Path) -> Path:
    """Return *directory*, made, without what an earlier service counted there."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o700, parents=True)
    return directory


def _not_ready(client: Client) -> str | None:
    """Return why the service does not take commands yet, None if it does."""
    try:
        client.get("/readyz")
    except (Problem, Unreachable) as fault:
        return str(fault)
    return None


def with_free_port(settings: Settings, *, is_given: bool, say: Say) -> Settings:
    """Return *settings* with a port nobody listens on: a given one, or the next one that is free.

    Raises `NotServing` where a given port is taken.
    """
    if _is_free(settings.host, settings.port):
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
