"""The embedded server for the process that uses it: claim its directory, keep it running, wait for it."""

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, Self

import structlog

from service.log import NotDurable, StoreFailure
from service.log.valkey.durable import check_durable
from service.log.valkey.loading import OnProgress, wait_until_loaded
from service.log.valkey.routing import Router
from service.log.valkey.wire import Wire
from service.supervisor.errors import NotStarted
from service.supervisor.orphan import wait_out
from service.supervisor.place import STOPPING, Place, claim, prepare, write_down
from service.supervisor.server import STOP_S, binary, last_words
from service.supervisor.supervisor import Supervised, Supervisor

TRIES_TO_START: Final = 3
"""How often the server may end before it has served once."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0
_logger: Final = structlog.get_logger()


def _log(text: str) -> None:
    _logger.error("supervisor.fault", text=text)


def _nothing() -> None:
    return


class EmbeddedValkey:
    """A server in *directory* that runs while the context lasts; its data stay for the next time.

    If the server dies, *supervisor* (by default a new one) restarts it. It uses up to *memory_mb* megabytes;
    0 means half of the machine's memory.
    """

    def __init__(self, directory: Path, supervisor: Supervisor | None = None, *, memory_mb: int = 0) -> None:
        self._place: Place = prepare(directory)
        self._memory_mb = memory_mb
        self._supervisor = supervisor or Supervisor(_log)
        self._claim: int | None = None

    @property
    def directory(self) -> Path:
        """The directory of the data."""
        return self._place.directory

    @property
    def url(self) -> str:
        """The URL of the streams: database 0."""
        return self._place.url(0)

    @property
    def queue_url(self) -> str:
        """The URL of RQ's database, 1, which may be wiped without loss to the streams."""
        return self._place.url(1)

    def start(self, on_progress: OnProgress = lambda _: None, go_on: Callable[[], None] = _nothing) -> None:
        """Start the server and return when it has read its log and serves.

        *go_on* is called repeatedly meanwhile and ends the wait if it raises. Raises `DirectoryInUse` and
        `NotStarted`.
        """
        assert self._claim is None, "started already"
        self._claim = claim(self._place)
        try:
            binary()  # fails early if the machine has no binary
            kept = Supervised(
                "the store",
                (
                    *(sys.executable, "-m", "service.supervisor.keeper"),
                    *(str(self._place.directory), str(self._memory_mb)),
                ),
                stop_s=STOP_S + 5,
                finishes="write its data",
                first_pause_s=FIRST_PAUSE_S,
                longest_pause_s=LONGEST_PAUSE_S,
            )
            self._end_orphan(go_on)
            self._supervisor.start(kept)
            self._wait(kept, on_progress, go_on)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and all other processes of the supervisor."""
        if self._claim is None:
            return
        write_down(self._claim, STOPPING)
        self._supervisor.stop()
        os.close(self._claim)
        self._claim = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _end_orphan(self, go_on: Callable[[], None]) -> None:
        """Stop a server that a killed keeper left behind, so that it is not mistaken for the new one."""

        def is_needed() -> bool:
            go_on()
            return True

        lock = wait_out(self._place, is_needed)
        assert lock is not None, "it is needed until it raises"
        os.close(lock)

    def _wait(self, kept: Supervised, on_progress: OnProgress, go_on: Callable[[], None]) -> None:
        def look() -> None:
            go_on()
            if kept.deaths >= TRIES_TO_START:
                words = last_words(self._place)
                raise NotStarted(f"the server ended {kept.deaths} times at its start: {words}")

        try:
            with closing(Wire(self.url)) as wire:
                wait_until_loaded(wire, on_progress, look)
            with closing(Router(self.url)) as router:
                check_durable(router)
        except NotDurable as fault:
            raise NotStarted(str(fault)) from fault
        except StoreFailure as failure:
            raise NotStarted(f"{failure}: {last_words(self._place)}") from failure
