"""Give the service a disk that can be filled and slowed.

Filled: the data directory is a small file system of its own, and a file takes what room is left. As root
that is an ext4 image over a loop device, else a tmpfs; where neither can be mounted, the server's files are
limited in size (`RLIMIT_FSIZE`), which ends it as a full disk does.
Slowed: where strace is found, it delays each fdatasync of the server; otherwise the server is stopped and
let go again many times a second.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from tests.nemesis.tree import STORE, Process

IMAGE_MB: Final = 2_000
RESERVE: Final = 64 * 1024
DELAY_MICROSECONDS: Final = 300_000


class Processes(Protocol):
    """Knows the processes of a service by their roles."""

    def of(self, role: str) -> list[Process]:
        """Return the processes of one role."""
        ...


@dataclass(frozen=True)
class Disk:
    """Where the data lie, and what can be done to it."""

    home: Path
    kind: str
    """`ext4`, `tmpfs` or `limit`."""

    @property
    def slow_by(self) -> str:
        """Say how the disk is slowed."""
        return "strace" if shutil.which("strace") else "stops"

    def fill(self, tree: Processes, seconds: float) -> None:
        """Have no room for *seconds*."""
        if self.kind == "limit":
            _limited(tree, seconds)
            return
        ballast = self.home.parent / "ballast"
        try:
            _fill(ballast)
            time.sleep(seconds)
        finally:
            ballast.unlink(missing_ok=True)

    def slow(self, tree: Processes, seconds: float) -> None:
        """Make each write to disk wait for *seconds*."""
        stores = tree.of(STORE)
        if not stores:
            return
        if self.slow_by == "strace":
            _traced(stores[0].pid, seconds)
        else:
            _stuttering(stores[0].pid, seconds)


@contextmanager
def mounted(directory: Path, *, own: bool = True) -> Iterator[Disk]:
    """Give a disk below *directory*, mounted if it is to be its *own*; it is unmounted afterwards."""
    place = directory / "disk"
    place.mkdir()
    kind = _mount(directory / "disk.img", place) if own else "limit"
    try:
        yield Disk(place / "data" if kind != "limit" else directory / "data", kind)
    finally:
        if kind != "limit":
            subprocess.run(["umount", "--lazy", place], check=False)


def _mount(image: Path, place: Path) -> str:
    if os.getuid() == 0 and shutil.which("mkfs.ext4") and shutil.which("mount"):
        with image.open("wb") as file:
            file.truncate(IMAGE_MB * 1024 * 1024)
        made = subprocess.run(["mkfs.ext4", "-q", "-F", image], capture_output=True, check=False)
        if made.returncode == 0 and _mounts("-o", "loop", str(image), str(place)):
            return "ext4"
        image.unlink()
    if os.getuid() == 0 and _mounts("-t", "tmpfs", "-o", f"size={IMAGE_MB}m", "nemesis", str(place)):
        return "tmpfs"
    return "limit"


def _mounts(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


def _fill(ballast: Path) -> None:
    """Take all the room there is, down to the last block."""
    with ballast.open("wb", buffering=0) as file:
        room = os.statvfs(ballast.parent)
        with suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, room.f_bfree * room.f_bsize)
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                file.seek(0, os.SEEK_END)
                while True:
                    file.write(b"\0" * size)


def _limited(tree: Processes, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        for store in tree.of(STORE):
            with suppress(OSError):
                _, hard = resource.prlimit(store.pid, resource.RLIMIT_FSIZE)
                resource.prlimit(store.pid, resource.RLIMIT_FSIZE, (RESERVE, hard))
        time.sleep(0.1)
    for store in tree.of(STORE):
        with suppress(OSError):
            _, hard = resource.prlimit(store.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(store.pid, resource.RLIMIT_FSIZE, (hard, hard))


def _traced(pid: int, seconds: float) -> None:
    delayed = "fdatasync,fsync"
    traced = ("-e", f"trace={delayed}", "-e", f"inject={delayed}:delay_enter={DELAY_MICROSECONDS}")
    tracing = subprocess.Popen(
        ["strace", "-f", "-qq", "-p", str(pid), *traced, "-o", os.devnull],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds)
    tracing.terminate()
    tracing.wait()


def _stuttering(pid: int, seconds: float) -> None:
    ends = time.monotonic() + seconds
    try:
        while time.monotonic() < ends:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.25)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.05)
    except ProcessLookupError:
        return
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
