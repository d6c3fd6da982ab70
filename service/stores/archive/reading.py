"""Read one encounter through another log than the rest: the calls that read what belongs to one encounter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from service.log import CachedState, Entry, KnownKey, Log, Payload, SnapshotName, StreamHead
from service.stores.archive.passing import PassingLog

T = TypeVar("T")


class EncounterReading(PassingLog, ABC):
    """A log that chooses for each encounter where to read it; every other call goes to *log*."""

    @abstractmethod
    def read(self, encounter: str, question: Callable[[Log], T]) -> T:
        """Return the answer to *question* of the log that has *encounter*."""

    def head(self, encounter: str) -> StreamHead | None:
        """Read the head."""
        return self.read(encounter, lambda log: log.head(encounter))

    def look(self, encounter: str, after: int, count: int) -> tuple[StreamHead | None, list[Entry]]:
        """Read the head and up to *count* commands above *after*."""
        return self.read(encounter, lambda log: log.look(encounter, after, count))

    def commands(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Read up to *count* commands above *after*."""
        return self.read(encounter, lambda log: log.commands(encounter, after, count))

    def commits(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Read up to *count* commits above *after*."""
        return self.read(encounter, lambda log: log.commits(encounter, after, count))

    def sealed(self, encounter: str, after: int, upto: int) -> list[Payload]:
        """Read the envelope payloads of commits *after* < n <= *upto*."""
        return self.read(encounter, lambda log: log.sealed(encounter, after, upto))

    def marks(self, encounter: str) -> dict[str, bytes]:
        """Read all marks."""
        return self.read(encounter, lambda log: log.marks(encounter))

    def find_key(self, encounter: str, scope: str, key: str) -> KnownKey | None:
        """Read what an idempotency key stands for."""
        return self.read(encounter, lambda log: log.find_key(encounter, scope, key))

    def state(self, encounter: str) -> CachedState | None:
        """Read the cached fold."""
        return self.read(encounter, lambda log: log.state(encounter))

    def snapshots(self, encounter: str) -> list[SnapshotName]:
        """Read which snapshots there are."""
        return self.read(encounter, lambda log: log.snapshots(encounter))

    def snapshot(self, encounter: str, name: SnapshotName) -> CachedState | None:
        """Read one snapshot."""
        return self.read(encounter, lambda log: log.snapshot(encounter, name))

    def occasions(self, encounter: str) -> list[Entry]:
        """Read the occasions of every interval."""
        return self.read(encounter, lambda log: log.occasions(encounter))
