"""What a log does with an encounter as a whole: see `protocol` for everything else."""

from typing import Protocol

from service.log.values import ArchivedTotals, StoredEncounter


class ArchivedEncounters(Protocol):
    """Encounters as a whole, on their way into an archive and back."""

    def dump(self, encounter: str) -> StoredEncounter | None:
        """Read everything that the store has of one encounter but its secret.

        None where it does not exist, or has commands that wait.
        """
        ...

    def evict(self, encounter: str, n: int, hash_: str, entry: bytes, size: int) -> bool:
        """Put *entry* in the place of all that the store has of an encounter but its secret, in one step.

        *size* is what its file holds, in bytes. It happens only if the encounter's last commit is *n* with
        that hash, and nothing waits; whether it did.
        """
        ...

    def archived(self, encounter: str) -> bytes | None:
        """Read the entry of an archived encounter; None if it is not archived."""
        ...

    def archived_totals(self) -> ArchivedTotals:
        """Read how many encounters are archived, and what their files hold."""
        ...

    def restore(self, stored: StoredEncounter, entry: bytes = b"", over: int = 0) -> bool:
        """Put an encounter in the place of *entry*, in one step; whether it did.

        Commands beyond its commits wait as before; the caller marks it dirty. False where there is another
        entry, or the encounter itself. With *over* it replaces the encounter, which must have exactly so many
        commands and no commit.
        """
        ...
