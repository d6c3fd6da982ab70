"""The errors of the log: refusals, and the three ways in which a store can fail.

A refusal changed nothing, and carries what the store has instead. A failure of the store says whether the
change may have happened. `StoreUnavailable` and `StoreFull` mean that it has not. `OutcomeUnknown` means that
it may have: a retry with the same idempotency key settles it.
"""

from asyncio import (
    AbstractEventLoop,
    _get_running_loop,  # public by its documentation, and the cheap one
)
from typing import Final

FORMAT: Final = "1"
"""The format of keys and records that this version reads and writes."""


class LogError(Exception):
    """The base of the log's errors."""


class WouldWait(Exception):
    """The store cannot be called on an event loop's thread, which must not block; nothing was sent."""


def refuse_on_loop() -> None:
    """Raise `WouldWait` on the thread of an event loop."""
    if running_loop() is not None:
        raise WouldWait


def running_loop() -> AbstractEventLoop | None:
    """Return the event loop that runs on this thread; None if none does."""
    return _get_running_loop()


# --- refusals: checked before the first write, so they leave no trace ---------------------------------


class StoreRefusal(LogError):
    """The log refused a change by its rules; nothing was changed."""


class KeyReused(StoreRefusal):
    """The idempotency key was used for command *n*, which was another request."""

    def __init__(self, n: int) -> None:
        super().__init__(f"the key was already used for another request, command {n}")
        self.n = n


class EncounterExists(StoreRefusal):
    """The encounter that was to be created exists already."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"encounter {encounter} exists already")
        self.encounter = encounter


class NoSuchEncounter(StoreRefusal):
    """Nothing was ever appended to the encounter."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"there is no encounter {encounter}")
        self.encounter = encounter


class VersionConflict(StoreRefusal):
    """The last appended number is *actual*, not the expected one."""

    def __init__(self, actual: int) -> None:
        super().__init__(f"the encounter is at {actual}")
        self.actual = actual


class TooManyUndecided(StoreRefusal):
    """*undecided* commands wait for their decision already, and at most *most* may."""

    def __init__(self, undecided: int, most: int) -> None:
        super().__init__(f"{undecided} commands wait for their decision, and at most {most} may")
        self.undecided = undecided
        self.most = most


class StaleCommit(StoreRefusal):
    """The commit does not continue the stream's head, or its number has another command.

    *folded* and *hash* are the head's.
    """

    def __init__(self, folded: int, hash_: str) -> None:
        super().__init__(f"the head is commit {folded}, {hash_[:12]}")
        self.folded = folded
        self.hash = hash_


# --- failures of the store ---------------------------------------------------------------------------


class StoreFailure(LogError):
    """The base of the store's outages; the message names the server and the reason."""


class StoreUnavailable(StoreFailure):
    """The store did not do it: it was not reached, is loading or read-only, or a read was cut short."""


class StoreLoading(StoreUnavailable):
    """The server is reading its log from disk after a start; it serves once it has."""


class NotPermitted(StoreUnavailable):
    """The server refuses the command to the service's user, or refuses the login."""


class CommandRefused(StoreUnavailable):
    """The server refuses the command as such: it does not know it, or is not set up for it."""


class FunctionsLost(StoreUnavailable):
    """The server does not have the log's functions: it was emptied, or they were flushed."""


class StoreFull(StoreFailure):
    """The store did not do it because it has no room (memory or disk)."""


class OutcomeUnknown(StoreFailure):
    """The change was sent and no reply came, so it may have happened; ask by key."""


class StoreRefused(LogError):
    """The base of the errors that make a store unusable until an operator acts."""


class OtherFormat(StoreRefused):
    """The store has data that this version cannot read."""

    def __init__(self, found: str | None) -> None:
        what = f"the format {found}" if found else "an unnamed format"
        super().__init__(
            f"the store holds keys in {what}, and this version reads format {FORMAT}: "
            "start with an empty store, or with the version that wrote this one"
        )


class NotDurable(StoreRefused):
    """The server could lose what it acknowledged; the message names every such setting and its remedy."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("the server may lose acknowledged commands: " + "; ".join(faults))
        self.faults = faults
