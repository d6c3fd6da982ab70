"""Open the store for a command: the configured servers, or the embedded one.

With the embedded store a command uses the server of a running `rewound serve`. If none runs, the command
starts the server while it needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from service.cli.loading import LoadingDisplay
from service.cli.terminal import Failure, say
from service.log import Log, StoreFailure, StoreRefused
from service.log.valkey import ValkeyLog
from service.settings import Settings
from service.stores.archive.archive_log import with_archive
from service.stores.archive.container import keys_of
from service.stores.archive.opening import storage_of
from service.supervisor import DirectoryInUse, EmbeddedFailure, EmbeddedValkey, Supervisor
from service.supervisor.supervisor import Say


class NotServing(Failure):
    """The service does not run; the text says why and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message, lines=True)


@contextmanager
def opened(settings: Settings) -> Iterator[Log]:
    """Yield the log with its archive; raises `NotServing`."""
    if settings.streams_url is not None:
        with closing(_connected(settings.streams_url, settings.replicas)) as log:
            yield _with_archive(log, settings)
        return
    try:
        server = EmbeddedValkey(settings.store_dir, Supervisor(_say), memory_mb=settings.store_mb)
        display = LoadingDisplay(_say)
        try:
            server.start(display)
        except DirectoryInUse:  # use the running server
            server_is_ours = False
        else:
            server_is_ours = True
        finally:
            display.finish()
    except EmbeddedFailure as fault:
        raise NotServing(str(fault)) from fault
    try:
        with closing(_connected(server.url)) as log:
            yield _with_archive(log, settings)
    finally:
        if server_is_ours:
            server.stop()


@contextmanager
def connecting(say: Say) -> Iterator[LoadingDisplay]:
    """Yield what shows the progress of a store that is connected to; raises its refusals as `NotServing`."""
    display = LoadingDisplay(say)
    try:
        yield display
    except StoreRefused as fault:
        raise NotServing(str(fault)) from fault
    except StoreFailure as fault:
        raise NotServing(f"the store cannot be reached: {fault}") from fault
    finally:
        display.finish()


def _with_archive(log: Log, settings: Settings) -> Log:
    return with_archive(log, storage_of(settings), keys_of(settings.secret_keys()))


def _say(text: str) -> None:
    say(f"rewound: {text}", err=True)


def _connected(url: str, replicas: int = 0) -> ValkeyLog:
    with connecting(_say) as display:
        return ValkeyLog.connect_when_loaded(url, display, replicas=replicas)
