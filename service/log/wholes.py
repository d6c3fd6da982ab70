"""What a log does with an encounter as a whole: see `protocol` for everything else."""

from typing import Protocol

from service.log.values import StoredEncounter


class Wholes(Protocol):
    """Encounters as a whole, on their way into an archive and back."""

    def dump(self, encounter: str) -> StoredEncounter | None:
        """Read everything that is kept of one encounter but its secret.

        None where it does not exist, or has commands that wait.
        """
        ...

    def evict(self, encounter: str, n: int, hash_: str, entry: bytes) -> bool:
        """Put *entry* in the place of all that is kept of an encounter but its secret, in one step.

        Only if its last commit is *n* with that hash, and nothing waits; whether it did.
        """
        ...

    def archived(self, encounter: str) -> bytes | None:
        """Read what stands in the place of an encounter; None if nothing does."""
        ...

    def restore(self, stored: StoredEncounter, entry: bytes = b"") -> bool:
        """Put an encounter in the place of *entry*, in one step; whether it did.

        False where another entry stands there, or the encounter does.
        """
        ...
