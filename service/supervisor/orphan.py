"""Stop a server whose keeper was killed, before a new one starts.

An orphan never runs beside a second server and is never taken over, so the running server is always our child
and has the settings of this release. Its acknowledged writes are on disk, so stopping it loses nothing.
"""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from service.log import StoreFailure
from service.log.valkey.wire import Wire
from service.supervisor.errors import NotStarted
from service.supervisor.place import Place, take

PATIENCE_S = 60.0
"""How long an orphan may take to end, since it may be loading a long log or waiting for a slow disk."""

_STEP_S = 0.05


def wait_out(place: Place, is_needed: Callable[[], bool] = lambda: True) -> int | None:
    """Return the held server lock once no server runs in *place*, None if *is_needed* returns False first.

    Raises `NotStarted` if the server does not end within `PATIENCE_S`.
    """
    wire = Wire(place.url(), answer_s=1.0)
    ends = time.monotonic() + PATIENCE_S
    try:
        while is_needed():
            lock = take(place.server_lock)
            if lock is not None and not place.socket.exists():
                return lock
            answers = _ask_to_end(wire, place)
            if lock is not None and not answers:  # a killed server left its socket
                place.socket.unlink(missing_ok=True)
                return lock
            if lock is not None:
                os.close(lock)
            if time.monotonic() > ends:
                raise NotStarted(f"a server in {place.directory} does not end: stop it manually")
            time.sleep(_STEP_S)
        return None
    finally:
        wire.close()


def _ask_to_end(wire: Wire, place: Place) -> bool:
    """Ask the server at the socket to end; return False if none answers.

    Raises `NotStarted` if the server belongs to another directory.
    """
    try:
        home = Path(os.fsdecode(wire.read("CONFIG", "GET", "dir")[1]))
    except StoreFailure:
        return False
    if home != place.directory:
        raise NotStarted(f"the server at {place.socket} uses {home}, not {place.directory}: stop it manually")
    with contextlib.suppress(StoreFailure):  # it ends instead of answering
        wire.change("SHUTDOWN", "NOSAVE")
    return True
