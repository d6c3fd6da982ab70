"""The directory of one embedded server, with its locks and its socket.

The kernel releases both locks whenever their holder dies. The supervisor holds `supervisor.lock`. The server
itself inherits `server.lock`, so the lock shows whether a server runs even if its keeper was killed and its
socket deleted. A process takes `server.lock` before it starts a server, so a directory never has two.
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
"""How long to wait for a supervisor that serves to release the directory."""

STOPPING_S = 60.0
"""How long to wait for a supervisor that is stopping its server."""

SERVING, STOPPING = "serving", "stopping"
_STEP_S = 0.05

LONGEST_SOCKET_PATH = 100
"""Bytes; the kernel's limit is 107 on Linux and 103 on macOS."""


@dataclass(frozen=True, slots=True)
class Place:
    """The directory and socket of one embedded server."""

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
        """The server's log file."""
        return self.directory / "server.log"

    def url(self, database: int = 0) -> str:
        """Return the URL of a database."""
        return f"unix://{quote(str(self.socket))}?db={database}"


def prepare(directory: Path) -> Place:
    """Make *directory* private and choose the socket; raises `NotStarted` if another user owns it."""
    directory = directory.absolute()
    make_private(directory)
    directory = directory.resolve()
    socket = directory / "valkey.sock"
    if len(os.fsencode(socket)) > LONGEST_SOCKET_PATH:
        socket = _short_socket(directory)
    return Place(directory, socket)


def take(lock: Path) -> int | None:
    """Take *lock* and return the file descriptor that holds it, None if it is not free."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def claim(place: Place) -> int:
    """Take the directory and return the file descriptor that holds it.

    Waits for a holder to end: up to `STOPPING_S` if it is stopping, else up to `GRACE_S`. Then raises
    `DirectoryInUse`.
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
    """Write this process's id and what it is *doing* into the lock, for waiting processes."""
    os.ftruncate(claimed, 0)
    os.pwrite(claimed, f"{os.getpid()} {doing}".encode(), 0)


def make_private(directory: Path) -> None:
    """Make *directory* with mode 0700, or set the mode of an existing one; raises `NotStarted`."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if directory.stat().st_uid != os.getuid():
        raise NotStarted(f"{directory} belongs to another user: choose another REWOUND_DATA_DIR")
    directory.chmod(0o700)


def _short_socket(directory: Path) -> Path:
    """Return a socket for a directory whose path is too long for one; depends only on the directory.

    Raises `NotStarted`.
    """
    runtime = Path(tempfile.gettempdir()) / f"rewound-{os.getuid()}"
    make_private(runtime)
    socket = runtime / f"{hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]}.sock"
    if len(os.fsencode(socket)) > LONGEST_SOCKET_PATH:
        raise NotStarted(
            f"{directory} and {runtime} are too long for a socket: choose a shorter data directory"
        )
    return socket
