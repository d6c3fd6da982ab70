"""What a log does with the store as a whole, for a backup: see `protocol` for everything else."""

from collections.abc import Sequence
from typing import Protocol

from service.log.values import Record, StoredEncounter


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

    def scheduled(self, schedule: str) -> list[tuple[str, int]]:
        """Return every name on a schedule with its time in ms, the first due first."""
        ...

    def put_numbered(self, collection: str, records: Sequence[Record]) -> None:
        """Put or replace records, each at its own number."""
        ...

    def put_scheduled(self, schedule: str, names: Sequence[tuple[str, int]]) -> None:
        """Put or move names on a schedule, each to its time in ms."""
        ...

    def copy(self, encounter: str) -> StoredEncounter | None:
        """Read one encounter as it is at one moment, with the commands that wait; None if it does not exist.

        Its secret and what is derived from it are not read.
        """
        ...
