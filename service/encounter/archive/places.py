"""Keep files by name outside the store: in a directory.

A file is there whole or not at all, and is never changed: its name holds its digest. Any outage is an
`ArchiveUnavailable`, which the API answers as it does the store's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final, Protocol

from service.log.errors import Unavailable

_MODE: Final = 0o700


class ArchiveUnavailable(Unavailable):
    """The archive could not be reached, or does not have the file that it should."""


class Place(Protocol):
    """Where files are kept."""

    def put(self, name: str, raw: bytes) -> None:
        """Keep *raw* under *name*, on disk before this returns."""
        ...

    def get(self, name: str) -> bytes:
        """Return the file *name*."""
        ...

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin with *prefix*."""
        ...

    def drop(self, name: str) -> None:
        """Delete a file; nothing if there is none."""
        ...


class Directory:
    """Files in one directory, for their owner's eyes alone."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, raw: bytes) -> None:
        """Keep *raw* under *name*: whole, synced, or not at all."""
        with _told(f"{self.path}"):
            self.path.mkdir(mode=_MODE, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self.path, prefix=".draft-", delete=False) as draft:
                draft.write(raw)
                draft.flush()
                os.fsync(draft.fileno())
            Path(draft.name).replace(self.path / name)
            handle = os.open(self.path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def get(self, name: str) -> bytes:
        """Return the file *name*."""
        with _told(f"{self.path}"):
            return (self.path / name).read_bytes()

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin with *prefix*."""
        with _told(f"{self.path}"):
            if not self.path.exists():
                return []
            return sorted(each.name for each in self.path.iterdir() if each.name.startswith(prefix))

    def drop(self, name: str) -> None:
        """Delete a file; nothing if there is none."""
        with _told(f"{self.path}"), suppress(FileNotFoundError):
            (self.path / name).unlink()


@contextmanager
def _told(where: str) -> Iterator[None]:
    """Raise whatever an outage looks like as `ArchiveUnavailable`."""
    try:
        yield
    except OSError as fault:
        raise ArchiveUnavailable(f"the archive {where}: {fault.strerror or type(fault).__name__}") from fault
