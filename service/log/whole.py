"""What a log does with the store as a whole, for backups and metrics: see `protocol` for everything else."""

from collections.abc import Sequence
from typing import Protocol

from service.log.values import Record, StoredEncounter, StoreDisk


class WholeStore(Protocol):
    """Everything that a store has, read while others write, and put into an empty store."""

    def has_data(self) -> bool:
        """Return whether the store has anything besides the mark of its format."""
        ...

    def collections(self) -> list[str]:
        """Return the names of all collections, sorted; one that is made meanwhile may be missing."""
        ...

    def schedules(self) -> list[str]:
        """Return the names of all schedules, sorted; one that is made meanwhile may be missing."""
        ...

    def scheduled(self, schedule: str, count: int | None = None) -> list[tuple[str, int]]:
        """Return every name on a schedule, or the first *count*, with its time in ms, the first due first."""
        ...

    def put_numbered(self, collection: str, records: Sequence[Record]) -> None:
        """Put or replace records, each at its own number."""
        ...

    def put_scheduled(self, schedule: str, names: Sequence[tuple[str, int]]) -> None:
        """Put or move names on a schedule, each to its time in ms."""
        ...

    def waiting_since(self) -> int | None:
        """Return since when, in ms, some encounter has waited for a fold; None if none waits."""
        ...

    def disk(self) -> StoreDisk:
        """Return how the store's log on disk is; of a cluster, of all primaries together."""
        ...

    def copy(self, encounter: str) -> StoredEncounter | None:
        """Read one encounter as it is at one moment, with the commands that wait; None if it does not exist.

        Its secret and what is derived from it are not read.
        """
        ...
