"""The log: the port through which encounters are stored.

It numbers bytes and chains hashes; it never interprets the bytes. Every change is checked before its first
write, so a refused change leaves no trace. This contract holds for every store; `tests/log` tests each of
them against it.
"""

from collections.abc import Sequence
from typing import Final, NotRequired, Protocol, Self, TypedDict, TypeVar, Unpack

from service.log.archived import ArchivedEncounters
from service.log.errors import StaleCommit
from service.log.keys import BUCKETS
from service.log.values import (
    Appended,
    CachedState,
    CommandNotification,
    CommitWrite,
    EncounterSize,
    Entry,
    KnownKey,
    Outcome,
    Payload,
    Record,
    SnapshotName,
    StoreMemory,
    StreamHead,
    Submitted,
)
from service.log.whole import WholeStore

Heard_co = TypeVar("Heard_co", covariant=True)

ALL_BUCKETS: Final = range(BUCKETS)


class Listener(Protocol[Heard_co]):
    """One subscription: hears what is published after it was made, and nothing from before.

    It belongs to one thread. Nothing is buffered for a listener that lost its connection: when `get` raises
    `StoreUnavailable`, make a new one and read what was missed from the log.
    """

    def get(self, timeout: float) -> Heard_co | None:
        """Return the next message; None if none comes within *timeout* seconds."""
        ...

    def follow(self, buckets: Sequence[int]) -> None:
        """Also listen to these buckets; return once that is confirmed."""
        ...

    def leave(self, buckets: Sequence[int]) -> None:
        """Stop listening to these buckets; messages heard until now are still returned."""
        ...

    def interrupt(self) -> None:
        """Make the current or next `get` return None at once; any thread may call this."""
        ...

    def close(self) -> None:
        """End the subscription."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...


class AppendOptions(TypedDict):
    """The idempotency key of a request, and what must be true of the encounter."""

    scope: str
    key: str
    fingerprint: str
    expected: NotRequired[int | None]
    """The last appended number."""
    create: NotRequired[bool]
    """Whether the request opens the encounter."""


class EventLog(Protocol):
    """The commands and commits of encounters, and all other data of one encounter."""

    def append(self, encounter: str, request: bytes, **options: Unpack[AppendOptions]) -> Appended:
        """Give *request* the next number, once for each (*scope*, *key*).

        Raises, in this order: `KeyReused` (the key was used with another fingerprint; with the same one the
        first number is returned), `EncounterExists` (with *create*) or `NoSuchEncounter` (without),
        `VersionConflict` (*expected* is not the last appended number, which is 0 before the first).
        """
        ...

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        """Write consecutive commits, each only on the head it was decided on; return how many are new.

        Each is all or nothing and is published as an `Outcome` as it is written. A commit that already is the
        head (same number, same hash) counts as written earlier. A commit that decides another request than
        the command at its number is refused, because a failover gives a lost number to another command.
        Raises `StaleCommit` if the last one was not written; those before it may have been: read the head
        again.
        """
        ...

    def commit_all(self, batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[StaleCommit | None]:
        """Write commits of several encounters, as `commit` does; return each one's error, or None."""
        ...

    def head(self, encounter: str) -> StreamHead | None:
        """Return the encounter's head; None if it does not exist."""
        ...

    def sizes(self, encounters: Sequence[str]) -> list[EncounterSize]:
        """Return the sizes of *encounters*, in the given order; one that does not exist has size 0."""
        ...

    def look(self, encounter: str, after: int, count: int) -> tuple[StreamHead | None, list[Entry]]:
        """Return the head and up to *count* commands above *after*, in one round trip.

        The head is read first: every command that it counts is there, and later ones may be too.
        """
        ...

    def commands(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Return up to *count* commands with n > *after*, in order."""
        ...

    def commits(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Return up to *count* commits with n > *after*, in order."""
        ...

    def tails(
        self, after: Sequence[tuple[str, int]], count: int
    ) -> list[tuple[StreamHead | None, list[Entry]]]:
        """Return for each (encounter, n) the head, then up to *count* commits above n, in one round trip.

        A commit may be written between the reads of head and commits.
        """
        ...

    def sealed(self, encounter: str, after: int, upto: int) -> list[Payload]:
        """Return the envelope payloads of commits *after* < n <= *upto*, by n and index."""
        ...

    def trace(self, encounter: str, n: int) -> str:
        """Return the trace context with which command *n* was submitted; empty if it came with none."""
        ...

    def marks(self, encounter: str) -> dict[str, bytes]:
        """Return all marks; empty if there are none."""
        ...

    def marks_named(self, name: str, encounters: Sequence[str]) -> list[bytes | None]:
        """Return the mark *name* of each of *encounters*, in one round trip; None where there is none."""
        ...

    def find_key(self, encounter: str, scope: str, key: str) -> KnownKey | None:
        """Return the number and fingerprint of an idempotency key; this settles an append's `OutcomeUnknown`.

        The result is as safe as the append's own reply; raises `OutcomeUnknown` if too few replicas have it.
        """
        ...

    def put_secret(self, encounter: str, blob: bytes) -> bool:
        """Store *blob* if the encounter has no secret yet; return whether it was stored."""
        ...

    def replace_secret(self, encounter: str, blob: bytes) -> bool:
        """Store *blob* in place of the encounter's secret; return False if it has none."""
        ...

    def secret(self, encounter: str) -> bytes | None:
        """Return the secret."""
        ...

    def put_state(self, encounter: str, state: CachedState) -> None:
        """Replace the newest cached state."""
        ...

    def state(self, encounter: str) -> CachedState | None:
        """Return the newest cached state."""
        ...

    def put_snapshot(self, encounter: str, snapshot: CachedState) -> bool:
        """Store *snapshot* beside those of other commits; it replaces one of the same commit.

        Return False if the encounter has no such commit, or no room for snapshots: they may have
        `SNAPSHOT_BYTES`, or one `SNAPSHOT_SHARE`-th of the record's bytes if that is more.
        """
        ...

    def snapshots(self, encounter: str) -> list[SnapshotName]:
        """Return the names of the snapshots, by rising n."""
        ...

    def snapshot(self, encounter: str, name: SnapshotName) -> CachedState | None:
        """Return one snapshot; None if there is none."""
        ...

    def put_occasions(self, encounter: str, n: int, blob: bytes) -> bool:
        """Store the occasions that came in the interval that ends with commit *n*.

        It counts towards the snapshots' room; return False as `put_snapshot` does.
        """
        ...

    def occasions(self, encounter: str) -> list[Entry]:
        """Return the occasions of every interval, by rising n."""
        ...

    def forget(self, encounter: str) -> None:
        """Delete everything of one encounter, in one step; do nothing if it does not exist.

        A later append finds no encounter; a late commit finds no head.
        """
        ...

    def tried(self, encounter: str, n: int) -> int:
        """Count one more attempt at command *n*, and return the count; only the last n is remembered."""
        ...


class SubmitOptions(AppendOptions):
    """The options of a submission."""

    at_ms: int
    notify_ms: int
    more: NotRequired[Sequence[bytes]]
    secret: NotRequired[bytes]
    process: NotRequired[str]
    trace: NotRequired[str]
    most_undecided: NotRequired[int]


class Doorbell(Protocol):
    """The encounters that wait for a fold, and who folds them; each encounter is in one of 1,024 buckets."""

    def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Append, mark dirty and notify in one step, which has its whole effect or, if refused, none.

        An encounter in which nothing waited has waited since this command, even if it was still marked.

        `more` requests get the numbers after the first one's; the idempotency key is that of the first.
        Raises as `append` does, and `TooManyUndecided` if more than *most_undecided* commands of the
        encounter would then wait for their decision. A command that was appended before and is not folded yet
        notifies again. If no worker listens to the encounter's bucket, the doorbell rings, at most once in
        `notify_ms`, until a worker answers. The notification names the `process` that asks; see
        `CommitWrite.process`. The `trace` context stays beside each request, and does not belong to the
        record: archive and backup leave it out.
        """
        ...

    def mark_dirty(self, encounter: str, at_ms: int) -> None:
        """Record that the encounter waits for a fold, since *at_ms* unless it has waited longer."""
        ...

    def dirty(self, buckets: Sequence[int], older_than: int, count: int = 1000) -> list[str]:
        """Return up to *count* encounters waiting since *older_than* (ms) or longer, longest first."""
        ...

    def clean(self, encounter: str) -> bool:
        """Remove the encounter from the dirty set if everything appended is folded; return whether it was."""
        ...

    def answer_notification(self, bucket: int) -> None:
        """Record that a fold of the bucket begins; later commands may ring again."""
        ...

    def hold_leases(self, names: Sequence[str], token: str, ttl_ms: int) -> list[bool]:
        """Take or prolong leases for *ttl_ms*; return for each whether *token* has it now."""
        ...

    def release_lease(self, name: str, token: str) -> bool:
        """Free a lease if *token* has it; return whether it had."""
        ...

    def notify(self, encounter: str) -> None:
        """Notify the listeners of the encounter's bucket that it has something to fold."""
        ...

    def listen_commands(self, buckets: Sequence[int] = ALL_BUCKETS) -> Listener[CommandNotification]:
        """Subscribe to the commands of *buckets*; return when the subscription is active."""
        ...

    def listen_outcomes(self, buckets: Sequence[int] = ALL_BUCKETS) -> Listener[Outcome]:
        """Subscribe to the commits of *buckets*; return when the subscription is active."""
        ...


class Collections(Protocol):
    """Records outside the encounters' history: API keys, audits, the encounters of an owner.

    A collection is a name ("keys", "audits/e1", "encounters/ada"); its records are numbered in the order in
    which they were first put, and may be replaced.
    """

    def put_record(self, collection: str, id_: str, blob: bytes) -> int:
        """Put or replace a record; return its number in the collection."""
        ...

    def put_records(self, records: Sequence[tuple[str, str, bytes]]) -> None:
        """Put or replace records, each as (collection, id, blob) and in order, in one round trip."""
        ...

    def append_records(self, collection: str, size: int, records: Sequence[tuple[str, bytes]]) -> bool:
        """Put new records (id, blob) in order if the last number is *size*, and return whether it was so.

        In one step: the first gets the number *size* + 1. Nothing is put if one of the ids is there already.
        """
        ...

    def record(self, collection: str, id_: str) -> bytes | None:
        """Return one record; None if there is none."""
        ...

    def records_named(self, names: Sequence[tuple[str, str]]) -> list[bytes | None]:
        """Return records by (collection, id), in the given order and in one round trip."""
        ...

    def records(self, collection: str, before: int | None = None, limit: int = 50) -> list[Record]:
        """Return up to *limit* records, newest first, numbered below *before*."""
        ...

    def drop_record(self, collection: str, id_: str) -> None:
        """Delete a record; do nothing if there is none."""
        ...

    def drop_collection(self, collection: str) -> None:
        """Delete all records of a collection; its next record has number 1."""
        ...

    def use_once(self, name: str, ttl_ms: int) -> bool:
        """Use up *name* for *ttl_ms*; return whether it was unused."""
        ...


class Schedules(Protocol):
    """Things to do later: names, each with the time from which it is due."""

    def set_due(self, schedule: str, names: Sequence[str], at_ms: int, *, reschedule: bool) -> None:
        """Schedule *names* for *at_ms*; names that are scheduled already move only with *reschedule*."""
        ...

    def due(self, schedule: str, upto_ms: int, count: int) -> list[str]:
        """Return up to *count* names that are due at *upto_ms*, the longest due first."""
        ...

    def drop_due(self, schedule: str, *names: str) -> None:
        """Remove *names* from the schedule; do nothing for one that is not on it."""
        ...


class SideStore(Collections, Schedules, Protocol):
    """Everything beside the event log: collections and schedules."""


class Log(EventLog, ArchivedEncounters, WholeStore, Doorbell, SideStore, Protocol):
    """Everything a store keeps for the service."""

    def memory(self) -> StoreMemory:
        """Return the store's memory."""
        ...

    def ping(self) -> None:
        """Return if the store answers; raise `StoreUnavailable` otherwise."""
        ...

    def close(self) -> None:
        """Close all connections."""
        ...
