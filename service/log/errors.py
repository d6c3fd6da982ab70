"""What the log answers instead of doing: refusals, and the three ways a store can fail.

A refusal changed nothing, and says what stands instead.
A failure of the store says whether the change may have happened. `StoreUnavailable` and `StoreFull` mean
that it has not. `OutcomeUnknown` means that it may have: a repeat with the same idempotency key settles it.
"""

from asyncio import (
    AbstractEventLoop,
    _get_running_loop,  # public by its documentation, and the cheap one
)
from typing import Final

FORMAT: Final = "1"
"""The format of keys and records that this version reads and writes."""


class LogError(Exception):
    """Stand above everything the log raises by intention."""


class WouldWait(Exception):
    """The store cannot be asked on an event loop's thread, which must not wait; nothing was sent."""


def refuse_on_loop() -> None:
    """Raise `WouldWait` on the thread of an event loop."""
    if running_loop() is not None:
        raise WouldWait


def running_loop() -> AbstractEventLoop | None:
    """Return the event loop that runs on this thread, None where none does."""
    return _get_running_loop()


# --- refusals: checked before the first write, so they leave no trace ---------------------------------


class StoreRefusal(LogError):
    """Say that the log kept to its rules and changed nothing."""


class KeyReused(StoreRefusal):
    """Say that the idempotency key already stands for command *n*, which was another request."""

    def __init__(self, n: int) -> None:
        super().__init__(f"the key was already used for another request, command {n}")
        self.n = n


class NumberTaken(StoreRefusal):
    """Say that the encounter to be created exists."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"encounter {encounter} exists already")
        self.encounter = encounter


class NoSuchEncounter(StoreRefusal):
    """Say that nothing was ever appended to the encounter."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"there is no encounter {encounter}")
        self.encounter = encounter


class VersionConflict(StoreRefusal):
    """Say that another number than the expected one is the last appended: *actual*."""

    def __init__(self, actual: int) -> None:
        super().__init__(f"the encounter is at {actual}")
        self.actual = actual


class StaleCommit(StoreRefusal):
    """Say that a commit does not continue the head, or that its number has another command.

    *folded* and *hash* are the head's.
    """

    def __init__(self, folded: int, hash_: str) -> None:
        super().__init__(f"the head is commit {folded}, {hash_[:12]}")
        self.folded = folded
        self.hash = hash_


# --- failures of the store ---------------------------------------------------------------------------


class StoreFailure(LogError):
    """Stand above what an outage looks like from here; the text says which server and why."""


class StoreUnavailable(StoreFailure):
    """Say that the store did not do it: not reached, loading, read-only, or a read was cut short."""


class StoreLoading(StoreUnavailable):
    """The server reads its log from disk after a start; it serves once it has."""


class StoreFull(StoreFailure):
    """Say that the store did not do it because it has no room (memory or disk)."""


class OutcomeUnknown(StoreFailure):
    """Say that the change was sent and no answer came: it stands or it does not; ask by key."""


class StoreRefused(LogError):
    """Stand above what keeps a store from being used at all, until somebody mends it."""


class OtherFormat(StoreRefused):
    """Say that the store holds what this version cannot read."""

    def __init__(self, found: str | None) -> None:
        what = f"the format {found}" if found else "no format it names"
        super().__init__(
            f"the store holds keys in {what}, and this version reads format {FORMAT}: "
            "start with an empty store, or with the version that wrote this one"
        )


class NotDurable(StoreRefused):
    """Name every setting with which the server could lose what it acknowledged, and how to mend each."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("the server may lose acknowledged commands: " + "; ".join(faults))
        self.faults = faults
