"""Turn the replies of the log's functions into values, or into refusals."""

from service.log.errors import (
    EncounterExists,
    KeyReused,
    NoSuchEncounter,
    StaleCommit,
    TooManyUndecided,
    VersionConflict,
)
from service.log.valkey.wire import Reply


def place_in(encounter: str, answer: Reply, most: int | None = None) -> tuple[int, bool]:
    """Return (number, replayed) from the reply to an append, or raise its refusal.

    *most* commands were allowed to be undecided.
    """
    what: bytes = answer[0]
    if what == b"exists":
        raise EncounterExists(encounter)
    if what == b"missing":
        raise NoSuchEncounter(encounter)
    n: int = answer[1]
    if what == b"conflict":
        raise VersionConflict(n)
    if what == b"undecided":
        raise TooManyUndecided(n, most or 0)
    if what == b"key_reused":
        raise KeyReused(n)
    assert what in {b"appended", b"replayed"}, what
    return n, what == b"replayed"


def stale_in(answer: Reply) -> StaleCommit | None:
    """Return the reason why a commit was not written; None if it was."""
    what, *head = answer
    if what != b"stale":
        return None
    folded, head_hash = head
    return StaleCommit(folded, head_hash.decode())


def entry_numbers(entry_id: bytes) -> tuple[int, int]:
    """Return both numbers of a stream entry's id."""
    n, _, sub = entry_id.partition(b"-")
    return int(n), int(sub)
