"""The log: what an encounter is made of, as a store keeps it.

It numbers bytes and chains hashes; it never reads what the bytes say.
Every change is checked whole before its first write, so a refused change leaves no trace.
What is said here holds for every store; `tests/log` holds each of them to it.
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

Heard_co = TypeVar("Heard_co", covariant=True)

ALL_BUCKETS: Final = range(BUCKETS)


class Listener(Protocol[Heard_co]):
    """One subscription: hears what is said after it was made, and nothing from before.

    It belongs to one thread. Nothing is kept for a listener that lost its connection: when `get` raises
    `Unavailable`, make a new one and read what was missed from the log.
    """

    def get(self, timeout: float) -> Heard_co | None:
        """Wait up to *timeout* seconds for the next message; None when there was none."""
        ...

    def follow(self, buckets: Sequence[int]) -> None:
        """Hear these buckets from now on, too; returns when that is so."""
        ...

    def leave(self, buckets: Sequence[int]) -> None:
        """Hear these buckets no more; what was heard until now is still got."""
        ...

    def interrupt(self) -> None:
        """Have the `get` that waits, or the next one, return None at once; any thread may."""
        ...

    def close(self) -> None:
        """End the subscription."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...


class EventLog(Protocol):
    """The commands and commits of encounters, and what belongs to one encounter."""

    def append(
        self,
        encounter: str,
        request: bytes,
        *,
        scope: str,
        key: str,
        fingerprint: str,
        expected: int | None = None,
        create: bool = False,
    ) -> Appended:
        """Give *request* the next number, once for each (*scope*, *key*).

        Raises, in this order: `KeyReused` (the key stands for another fingerprint; the same one answers the
        first number again), `Taken` (with *create*) or `NoSuchEncounter` (without), `VersionConflict`
        (*expected* is not the last appended number; 0 is, before the first).
        """
        ...

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        """Write consecutive commits, each only on the head it was decided on; how many are new.

        Each is all or nothing and is published as an `Outcome` as it is written. A commit that already is the
        head (same number, same hash) counts as written earlier. One that decides another request than the
        command at its number is refused: a failover gives a number that it has lost to another command.
        Raises `StaleCommit` when the last one was not written; those before it may have been:
        read the head again.
        """
        ...

    def commit_all(self, batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[StaleCommit | None]:
        """Write commits of several encounters, as `commit` does each; what kept each from it, or None."""
        ...

    def head(self, encounter: str) -> StreamHead | None:
        """Read where the encounter stands; None if it does not exist."""
        ...

    def sizes(self, encounters: Sequence[str]) -> list[EncounterSize]:
        """Read what *encounters* hold, in the order asked for; one that does not exist holds nothing."""
        ...

    def look(self, encounter: str, after: int, count: int) -> tuple[StreamHead | None, list[Entry]]:
        """Read the head and up to *count* commands above *after* in one round trip.

        The head is read first: a command it counts is there, later ones may be too.
        """
        ...

    def commands(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Read up to *count* commands with n > *after*, in order."""
        ...

    def commits(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Read up to *count* commits with n > *after*, in order."""
        ...

    def tails(
        self, after: Sequence[tuple[str, int]], count: int
    ) -> list[tuple[StreamHead | None, list[Entry]]]:
        """Read for each (encounter, n) the head, then up to *count* commits above n, in one round trip.

        Between head and commits another commit may come to stand.
        """
        ...

    def sealed(self, encounter: str, after: int, upto: int) -> list[Payload]:
        """Read the envelope payloads of commits *after* < n <= *upto*, by n and index."""
        ...

    def marks(self, encounter: str) -> dict[str, bytes]:
        """Read all marks; empty if there are none."""
        ...

    def find_key(self, encounter: str, scope: str, key: str) -> KnownKey | None:
        """Read what an idempotency key stands for: the answer to every `Unknown` append.

        What it says is as safe as the append's own answer; raises `Unknown` where too few replicas have it.
        """
        ...

    def put_secret(self, encounter: str, blob: bytes) -> bool:
        """Keep *blob* if the encounter has no secret yet; whether it was kept."""
        ...

    def secret(self, encounter: str) -> bytes | None:
        """Read the secret."""
        ...

    def put_state(self, encounter: str, state: CachedState) -> None:
        """Replace the cached fold, the newest state as it was last written down."""
        ...

    def state(self, encounter: str) -> CachedState | None:
        """Read the cached fold."""
        ...

    def put_snapshot(self, encounter: str, snapshot: CachedState) -> bool:
        """Keep *snapshot* beside those of other commits, in the place of another one of its commit.

        False where the encounter has no such commit, or its snapshots no room: they may hold
        `SNAPSHOT_BYTES`, or one `SNAPSHOT_SHARE`-th of the record's bytes where that is more.
        """
        ...

    def snapshots(self, encounter: str) -> list[SnapshotName]:
        """Read which snapshots there are, by rising n."""
        ...

    def snapshot(self, encounter: str, name: SnapshotName) -> CachedState | None:
        """Read one snapshot."""
        ...

    def put_occasions(self, encounter: str, n: int, blob: bytes) -> bool:
        """Keep what says which occasions came in the interval that ends with commit *n*.

        It counts as a snapshot does; False as there.
        """
        ...

    def occasions(self, encounter: str) -> list[Entry]:
        """Read the occasions of every interval, by rising n."""
        ...

    def forget(self, encounter: str) -> None:
        """Delete everything that is kept of one encounter, in one step; nothing if it does not exist.

        What is appended to it after that finds no encounter; a commit that is late finds no head.
        """
        ...

    def tried(self, encounter: str, n: int) -> int:
        """Count one more try of command *n*, this one included; only the last n asked for is remembered."""
        ...


class SubmitOptions(TypedDict):
    """What is submitted beside a request."""

    scope: str
    key: str
    fingerprint: str
    expected: NotRequired[int | None]
    create: NotRequired[bool]
    at_ms: int
    notify_ms: int
    more: NotRequired[Sequence[bytes]]
    secret: NotRequired[bytes]
    process: NotRequired[str]


class Doorbell(Protocol):
    """Which encounters wait for a fold, and who folds them; each encounter is in one of 1,024 buckets."""

    def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Append, mark dirty and notify in one step: all of it, or after a refusal nothing of it.

        `more` requests get the numbers after the first one's, which is the one the key stands for. Raises as
        `append` does. A command that was there already and is not folded yet notifies again. Where nobody
        listens to the encounter's bucket, it is rung for, once in `ring_ms` until the ring is answered.
        The `process` that asks goes along with the notification; see `CommitWrite.process`.
        """
        ...

    def mark_dirty(self, encounter: str, at_ms: int) -> None:
        """Note that the encounter waits for a fold, since *at_ms* unless it waits for longer."""
        ...

    def dirty(self, buckets: Sequence[int], older_than: int, count: int = 1000) -> list[str]:
        """Read up to *count* encounters that wait since *older_than* (ms) or before, longest first."""
        ...

    def clean(self, encounter: str) -> bool:
        """Take the encounter from the dirty set if everything appended is folded; whether it was taken."""
        ...

    def answer_notification(self, bucket: int) -> None:
        """Note that a fold of the bucket begins: a command that comes from now on may ring again."""
        ...

    def hold_leases(self, names: Sequence[str], token: str, ttl_ms: int) -> list[bool]:
        """Take or prolong leases, each unless another token holds it; whether each is held now."""
        ...

    def release_lease(self, name: str, token: str) -> bool:
        """Free a lease if *token* holds it."""
        ...

    def notify(self, encounter: str) -> None:
        """Notify whoever listens to the encounter's bucket that it has something to fold."""
        ...

    def listen_commands(self, buckets: Sequence[int] = ALL_BUCKETS) -> Listener[CommandNotification]:
        """Subscribe to the commands of *buckets*; returns when the subscription stands."""
        ...

    def listen_outcomes(self, buckets: Sequence[int] = ALL_BUCKETS) -> Listener[Outcome]:
        """Subscribe to the commits of *buckets*; returns when the subscription stands."""
        ...


class Collections(Protocol):
    """Side records that are no encounter's history: API keys, audits, whose encounters are which.

    A shelf is a name ("keys", "audits/e1", "encounters/ada"); its records are numbered in the order of their
    first putting and may be replaced.
    """

    def put_record(self, collection: str, id_: str, blob: bytes) -> int:
        """Put or replace a record; its number on the shelf."""
        ...

    def put_records(self, records: Sequence[tuple[str, str, bytes]]) -> None:
        """Put or replace records, each as (shelf, id, blob) and in order, in one round trip."""
        ...

    def record(self, collection: str, id_: str) -> bytes | None:
        """Read one record."""
        ...

    def records_named(self, names: Sequence[tuple[str, str]]) -> list[bytes | None]:
        """Read records by (shelf, id), in the order asked for and in one round trip."""
        ...

    def records(self, collection: str, before: int | None = None, limit: int = 50) -> list[Record]:
        """Read up to *limit* records, newest first, numbered below *before*."""
        ...

    def drop_record(self, collection: str, id_: str) -> None:
        """Forget a record; nothing if there is none."""
        ...

    def drop_collection(self, collection: str) -> None:
        """Forget all records of a shelf; the next one put there is number 1 again."""
        ...

    def use_once(self, name: str, ttl_ms: int) -> bool:
        """Use up *name*, and remember it for *ttl_ms*; whether it was still unused."""
        ...


class Schedules(Protocol):
    """What is to be done later: names, each with the time from which it is due."""

    def set_due(self, schedule: str, names: Sequence[str], at_ms: int, *, reschedule: bool) -> None:
        """Put *names* on the agenda, due at *at_ms*; those that stand there are moved only with *anew*."""
        ...

    def due(self, schedule: str, upto_ms: int, count: int) -> list[str]:
        """Read up to *count* names that are due at *upto_ms*, the longest due first."""
        ...

    def drop_due(self, schedule: str, name: str) -> None:
        """Take *name* from the agenda; nothing if it does not stand there."""
        ...


class SideStore(Collections, Schedules, Protocol):
    """Everything beside the event log: records, and names that are due at a time."""


class Log(EventLog, ArchivedEncounters, Doorbell, SideStore, Protocol):
    """Everything a store keeps for the service."""

    def memory(self) -> StoreMemory:
        """Read how full the store is."""
        ...

    def ping(self) -> None:
        """Return if the store answers; raises `Unavailable` otherwise."""
        ...

    def close(self) -> None:
        """Give all connections back."""
        ...
