"""Wait for a server that reads its log from disk; it answers `INFO`, and most commands with `LOADING`.

Ready means loaded. The wait lasts as long as the server makes progress, however long its log is.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.log.errors import NotPermitted, StoreLoading, StoreUnavailable
from service.log.valkey.durable import parse_info
from service.log.valkey.wire import Wire

STALLED_S: Final = 120.0
"""Seconds for which a server may load without one more byte, or be silent, before the wait ends."""

_STEP_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """How much of its log a server has read; all zero if this user may not ask."""

    loaded_bytes: int
    total_bytes: int
    eta_s: int
    """Seconds until it has read all of it, by the server's estimate."""

    @property
    def percent(self) -> int:
        """The percentage of the log that has been read."""
        return 100 * self.loaded_bytes // self.total_bytes if self.total_bytes else 0

    def __str__(self) -> str:
        if not self.total_bytes:
            return "it is reading its log"
        size = megabytes(self.total_bytes)
        return f"it has read {self.percent} % of its log of {size}, about {self.eta_s} s left"


OnProgress = Callable[[LoadProgress], None]


def megabytes(size: int) -> str:
    """Return *size* in bytes as text for people."""
    return f"{size / 1_000_000:.1f} MB"


def load_progress(wire: Wire) -> LoadProgress | None:
    """Return how much of its log the server has read; None once it is loaded. Raises `StoreUnavailable`."""
    try:
        wire.read("PING")  # refused while it loads; INFO and CONFIG GET are answered
    except StoreLoading:
        pass
    else:
        return None
    try:
        fields = parse_info(wire.read("INFO", "persistence"))
    except NotPermitted:
        return LoadProgress(0, 0, 0)
    if fields.get("loading") == "0":  # it finished in between
        return None
    return LoadProgress(
        int(fields.get("loading_loaded_bytes", 0)),
        int(fields.get("loading_total_bytes", 0)),
        int(fields.get("loading_eta_seconds", 0)),
    )


def _nothing() -> None:
    return


def wait_until_loaded(
    wire: Wire,
    on_progress: OnProgress,
    go_on: Callable[[], None] = _nothing,
    *,
    stalled_s: float = STALLED_S,
) -> None:
    """Return when the server has read its log; *on_progress* receives the progress.

    *go_on* is called before each check, and ends the wait by raising. Raises `StoreUnavailable` if the server
    was not reached or read nothing more for *stalled_s*.
    """
    newest, since = -1, time.monotonic()
    while True:
        go_on()
        try:
            progress = load_progress(wire)
        except StoreUnavailable:  # it ended, or its log keeps it too busy to answer
            if time.monotonic() - since > stalled_s:
                raise
        else:
            if progress is None:
                return
            on_progress(progress)
            if progress.loaded_bytes != newest:
                newest, since = progress.loaded_bytes, time.monotonic()
            elif time.monotonic() - since > stalled_s:
                raise StoreLoading(f"{wire.url} has read nothing of its log for {stalled_s:g} s: {progress}")
        time.sleep(_STEP_S)
