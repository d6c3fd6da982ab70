"""The application's end of the lifeline: start the supervisor, wait until it is ready, let go of it.

The supervisor is a new process in a session of its own, so ctrl-C reaches the application alone and the
server is the last to end. A forked child of the application holds the lifeline too: the server then lives
until the last of them has ended.
"""

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Self

from service.embedded.errors import DirectoryInUse, EmbeddedFailure, NotStarted
from service.embedded.place import Place, prepare
from service.embedded.server import last_words
from service.log import StoreFailure
from service.log.loading import OnProgress, wait_until_loaded
from service.log.wire import Wire

_ROOT = Path(__file__).parents[2]


class EmbeddedValkey:
    """A server in *directory* for as long as the context lasts; what it holds stays for the next time."""

    def __init__(self, directory: Path) -> None:
        self._place: Place = prepare(directory)
        self._supervisor: subprocess.Popen[str] | None = None

    @property
    def directory(self) -> Path:
        """Where the data are."""
        return self._place.directory

    @property
    def url(self) -> str:
        """The address of the streams: database 0."""
        return self._place.url(0)

    @property
    def queue_url(self) -> str:
        """The address of RQ's database, 1: it may be wiped and the streams do not notice."""
        return self._place.url(1)

    def start(self, on_progress: OnProgress = lambda _: None) -> None:
        """Return when the server serves, its log read; raises `DirectoryInUse` or `NotStarted`."""
        assert self._supervisor is None, "started already"
        self._supervisor = self._spawn()
        try:
            with closing(Wire(self.url)) as wire:
                wait_until_loaded(wire, on_progress)
        except StoreFailure as failure:
            self.stop()
            raise NotStarted(f"{failure}\n{last_words(self._place)}") from failure
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Return when server and supervisor have ended; without a start, do nothing."""
        if self._supervisor is None:
            return
        self._let_go(self._supervisor)
        if self._supervisor.returncode < 0:
            # killed by somebody: its server is an orphan, which a new supervisor waits out and then stops
            self._let_go(self._spawn())
        self._supervisor = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _spawn(self) -> subprocess.Popen[str]:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "service.embedded", self._place.directory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,  # where `-m` finds us, installed or not
            start_new_session=True,
        )
        assert supervisor.stdout is not None
        status, _, detail = supervisor.stdout.readline().strip().partition(" ")
        if status != "ready":
            self._let_go(supervisor)
            raise _failure(status, detail or f"the supervisor ended with code {supervisor.returncode}")
        return supervisor

    @staticmethod
    def _let_go(supervisor: subprocess.Popen[str]) -> None:
        """Close the lifeline and wait for the end."""
        assert supervisor.stdin is not None
        assert supervisor.stdout is not None
        supervisor.stdin.close()
        supervisor.wait()
        supervisor.stdout.close()


def _failure(status: str, detail: str) -> EmbeddedFailure:
    """Turn the supervisor's line into the error it tells of."""
    return DirectoryInUse(detail) if status == "in_use" else NotStarted(detail)
