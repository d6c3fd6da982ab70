"""The directory of one embedded server: who may enter, who is inside, where the socket is.

Two locks, both given back by the kernel when their holder dies, however it dies:
`supervisor.lock` is held by the process that supervises; `server.lock` is inherited by the server itself, so
that it tells whether a server lives even when its keeper was killed and its socket deleted. Whoever starts a
server holds `server.lock` first; that is why there are never two on one directory.
"""

import fcntl
import hashlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from service.supervisor.errors import DirectoryInUse, NotStarted

GRACE_S = 2.0
"""How long a supervisor that serves may need to end."""

STOPPING_S = 60.0
"""How long one that stops may take to stop its server."""

SERVING, STOPPING = "serving", "stopping"
_STEP_S = 0.05

LONGEST_SOCKET_PATH = 100
"""Bytes; the kernel takes 107 on Linux and 103 on macOS."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one embedded server lives."""

    directory: Path
    socket: Path

    @property
    def supervisor_lock(self) -> Path:
        """The supervisor's lock; it holds the supervisor's process id and what it is doing."""
        return self.directory / "supervisor.lock"

    @property
    def server_lock(self) -> Path:
        """The server's lock."""
        return self.directory / "server.lock"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.directory / "server.log"

    def url(self, database: int = 0) -> str:
        """Spell the address of one of its databases."""
        return f"unix://{quote(str(self.socket))}?db={database}"


def prepare(directory: Path) -> Place:
    """Make *directory* ours alone and choose the socket; raises `NotStarted` if it is another's."""
    directory = directory.absolute()
    make_private(directory)
    directory = directory.resolve()
    socket = directory / "valkey.sock"
    if len(os.fsencode(socket)) > LONGEST_SOCKET_PATH:
        socket = _short_socket(directory)
    return Place(directory, socket)


def take(lock: Path) -> int | None:
    """Take *lock* if it is free: the open file that holds it, else None."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def claim(place: Place) -> int:
    """Take the directory: the open file that holds it. Raises `DirectoryInUse`.

    A holder that is about to end is waited for, another is not.
    """
    started = time.monotonic()
    while (held := take(place.supervisor_lock)) is None:
        holder, _, doing = place.supervisor_lock.read_text().partition(" ")
        patience = STOPPING_S if doing == STOPPING else GRACE_S
        if time.monotonic() - started > patience:
            raise DirectoryInUse(f"{place.directory} is in use by process {holder or '?'}: stop it first")
        time.sleep(_STEP_S)
    write_down(held, SERVING)
    return held


def write_down(claimed: int, doing: str) -> None:
    """Write into the lock who holds it and what it is doing, for whoever waits."""
    os.ftruncate(claimed, 0)
    os.pwrite(claimed, f"{os.getpid()} {doing}".encode(), 0)


def make_private(directory: Path) -> None:
    """Make *directory* with mode 0700, or give an existing one of ours that mode."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if directory.stat().st_uid != os.getuid():
        raise NotStarted(f"{directory} belongs to another user: choose another REWOUND_DATA_DIR")
    directory.chmod(0o700)


def _short_socket(directory: Path) -> Path:
    """Choose a socket outside a directory whose path is too long for one; always the same for it."""
    runtime = Path(tempfile.gettempdir()) / f"rewound-{os.getuid()}"
    make_private(runtime)
    socket = runtime / f"{hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]}.sock"
    if len(os.fsencode(socket)) > LONGEST_SOCKET_PATH:
        raise NotStarted(
            f"{directory} and {runtime} are too long for a socket: choose a shorter data directory"
        )
    return socket
