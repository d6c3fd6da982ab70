"""Write and read files by name outside the store: in a directory, or in a bucket of S3 (`s3`).

A file is there whole or not at all, and never changes: its name has its digest. An outage is an
`ArchiveUnavailable`, which the API answers 503 `archive-unavailable`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final, Protocol

from service.log.errors import StoreUnavailable

_MODE: Final = 0o700


class ArchiveUnavailable(StoreUnavailable):
    """The archive cannot be reached, or an archived encounter cannot be had from it now."""


class FileMissing(ArchiveUnavailable):
    """The archive answers, and does not have the file."""


class FileLost(ArchiveUnavailable):
    """The file of an archived encounter is missing or damaged; only the operator can bring it back."""


class Storage(Protocol):
    """Files by name. Every call raises `ArchiveUnavailable` where the storage does not do it."""

    def put(self, name: str, raw: bytes) -> None:
        """Write *raw* as the file *name*, durably before this returns."""
        ...

    def get(self, name: str) -> bytes:
        """Return the bytes of the file *name*; raises `FileMissing`."""
        ...

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin with *prefix*, sorted."""
        ...

    def drop(self, name: str) -> None:
        """Delete a file; nothing if there is none."""
        ...


class DirectoryStorage:
    """Files in one directory, readable by their owner alone."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, raw: bytes) -> None:
        """Write *raw* as the file *name*: whole and synced, or not at all."""
        with self._outages():
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
        """Return the bytes of the file *name*."""
        with self._outages():
            try:
                return (self.path / name).read_bytes()
            except FileNotFoundError as fault:
                raise FileMissing(f"the archive {self.path} has no {name}") from fault

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin with *prefix*, sorted."""
        with self._outages():
            if not self.path.exists():
                return []
            return sorted(each.name for each in self.path.iterdir() if each.name.startswith(prefix))

    def drop(self, name: str) -> None:
        """Delete a file; nothing if there is none."""
        with self._outages(), suppress(FileNotFoundError):
            (self.path / name).unlink()

    @contextmanager
    def _outages(self) -> Iterator[None]:
        """Raise whatever an outage looks like as `ArchiveUnavailable`."""
        try:
            yield
        except OSError as fault:
            why = fault.strerror or type(fault).__name__
            raise ArchiveUnavailable(f"the archive {self.path}: {why}") from fault
