"""Inject faults into a worker for tests. Without `REWOUND_FAULT` nothing here is active.

`REWOUND_FAULT=<place>[:<nth commit>]`: `before_commit` and `after_commit` kill the process (SIGKILL) there;
`pause_before_commit` stops it (SIGSTOP) until it receives SIGCONT.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar, cast

from service.log.errors import StaleCommit
from service.log.protocol import Log
from service.log.values import CommitWrite

T = TypeVar("T")

_SIGNALS: Final = {
    "before_commit": signal.SIGKILL,
    "pause_before_commit": signal.SIGSTOP,
    "after_commit": signal.SIGKILL,
}


class _FaultyLog:
    """A log that sends its process a signal at the nth commit."""

    def __init__(self, log: Log, fault: str) -> None:
        place, _, nth = fault.partition(":")
        self._log = log
        self._place = place
        self._signal = _SIGNALS[place]
        self._left = int(nth or 1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        """Commit, with the fault before or after it."""
        return self._broken(partial(self._log.commit, encounter, *folds))

    def commit_all(self, batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[StaleCommit | None]:
        """Commit several encounters, with the fault before or after it."""
        return self._broken(partial(self._log.commit_all, batch))

    def _broken(self, write: Callable[[], T]) -> T:
        self._left -= 1
        if self._left == 0 and self._place != "after_commit":
            signal.raise_signal(self._signal)  # to this thread: another could get the process's
        answer = write()
        if self._left == 0 and self._place == "after_commit":
            signal.raise_signal(self._signal)  # to this thread: another could get the process's
        return answer


def faulty(log: Log, fault: str | None) -> Log:
    """Return *log*, wrapped if *fault* is set."""
    return cast("Log", _FaultyLog(log, fault)) if fault else log
