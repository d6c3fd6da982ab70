"""A server whose keeper was killed: it is asked to end and waited out, then ours is started.

It is never left running beside a second one, and never taken over: what runs is always our child, with the
settings of this release. What it acknowledged is on disk, so ending it loses nothing.
"""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from service.log import StoreFailure
from service.log.wire import Wire
from service.supervisor.errors import NotStarted
from service.supervisor.place import Place, take

PATIENCE_S = 60.0
"""How long an orphan may take: it may be loading a long log, or wait for a slow disk."""

_STEP_S = 0.05


def wait_out(place: Place, is_needed: Callable[[], bool] = lambda: True) -> int | None:
    """Return the held server lock once no server lives here any more, None once nobody needs it.

    Raises `NotStarted` if the server does not end.
    """
    wire = Wire(place.url(), answer_s=1.0)
    ends = time.monotonic() + PATIENCE_S
    try:
        while is_needed():
            lock = take(place.server_lock)
            if lock is not None and not place.socket.exists():
                return lock
            answers = _ask_to_end(wire, place)
            if lock is not None and not answers:  # the socket of one that was killed
                place.socket.unlink(missing_ok=True)
                return lock
            if lock is not None:
                os.close(lock)
            if time.monotonic() > ends:
                raise NotStarted(f"a server lives in {place.directory} and does not end: stop it by hand")
            time.sleep(_STEP_S)
        return None
    finally:
        wire.close()


def _ask_to_end(wire: Wire, place: Place) -> bool:
    """Ask the server behind the socket to end if it is this directory's; False if none answers."""
    try:
        home = Path(os.fsdecode(wire.read("CONFIG", "GET", "dir")[1]))
    except StoreFailure:
        return False
    if home != place.directory:
        raise NotStarted(f"the server at {place.socket} keeps {home}, not {place.directory}: stop it by hand")
    with contextlib.suppress(StoreFailure):  # it ends instead of answering
        wire.change("SHUTDOWN", "NOSAVE")
    return True
