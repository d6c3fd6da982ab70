"""The values that go into the log and come out of it.

Bytes, numbers and hashes: nothing here knows what the bytes say.
A hash is 64 lower-case hexadecimal digits everywhere in the log.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

ZERO_HASH = "0" * 64
"""What commit 1 names as the hash of the commit before it."""


SNAPSHOT_BYTES = 262_144
"""What the snapshots of one encounter may hold in any case."""

SNAPSHOT_SHARE = 4
"""They may hold the record's bytes divided by this, where that is more."""

RULES_DIGITS = 16
"""How many digits of a ruleset's digest stand in a snapshot's name."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """What makes a request happen once: whose key, the key, and the fingerprint of what was asked with it."""

    scope: str
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Appended:
    """The place of a command: its number, and whether an earlier call with the same key put it there."""

    n: int
    replayed: bool


@dataclass(frozen=True, slots=True)
class Submitted:
    """The place of a command, and whether the caller must now enqueue a fold of its bucket."""

    n: int
    replayed: bool
    must_notify: bool


@dataclass(frozen=True, slots=True)
class StreamHead:
    """Where an encounter stands: last numbers appended and folded, the last commit's hash, the tree frontier.

    *run_id* names the server process that last wrote; it changes with a restart and with a failover.
    """

    appended: int
    folded: int
    hash: str
    frontier: bytes
    run_id: str


@dataclass(frozen=True, slots=True)
class EncounterSize:
    """What one encounter holds: commands; bytes of requests, commits, envelopes and snapshots."""

    commands: int
    bytes: int


@dataclass(frozen=True, slots=True)
class StoreMemory:
    """How full the store is, in bytes; a *limit* of 0 means that it has none."""

    used: int
    limit: int


@dataclass(frozen=True, slots=True)
class Entry:
    """Number n of a stream: the request's bytes, or the commit's."""

    n: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Payload:
    """What lies in envelope *index* of commit *n*."""

    n: int
    index: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class CommitWrite:
    """One command folded: its commit, and what is written together with it or not at all.

    *prev* is the hash the worker started from, *request* the bytes of the command that was decided; *sealed*
    holds (index, payload) with rising indices; *marks* are set beside those of earlier commits.
    """

    n: int
    prev: str
    hash: str
    raw: bytes
    request: bytes
    frontier: bytes = b""
    sealed: tuple[tuple[int, bytes], ...] = ()
    marks: Mapping[str, bytes] = field(default_factory=dict)
    told: bytes = b""
    """What those who wait for the commit hear beside its bytes, on one line; it is not kept."""
    process: str = ""
    """The process that hears of it beside those who follow the bucket; where none is named, all do."""


@dataclass(frozen=True, slots=True)
class KnownKey:
    """What an idempotency key stands for."""

    n: int
    fingerprint: str


@dataclass(frozen=True, slots=True, order=True)
class SnapshotName:
    """Which commit a snapshot was taken of, and the first digits of the digest of the rules that made it."""

    n: int
    rules: str


@dataclass(frozen=True, slots=True)
class CachedState:
    """A fold up to commit *n* as it was cached: worth only what *hash* and *ruleset_digest* confirm."""

    n: int
    hash: str
    ruleset_digest: str
    blob: bytes

    @property
    def name(self) -> SnapshotName:
        """The name under which it is kept as a snapshot."""
        return SnapshotName(self.n, self.ruleset_digest[:RULES_DIGITS])

    @property
    def packed(self) -> bytes:
        """Everything but the number, as one value."""
        return f"{self.hash} {self.ruleset_digest} ".encode() + self.blob

    @classmethod
    def unpacked(cls, n: int, packed: bytes) -> Self:
        """Return the state of commit *n* that was `packed`."""
        hash_, digest, blob = packed.split(b" ", 2)
        return cls(n, hash_.decode(), digest.decode(), blob)


@dataclass(frozen=True)
class StoredEncounter:
    """Everything that a store keeps of one encounter but for its secret: for an archive."""

    encounter: str
    hash: str
    """The last commit's."""
    frontier: bytes
    commands: list[bytes]
    commits: list[bytes]
    sealed: list[Payload]
    keys: dict[str, str]
    """Idempotency keys: scope, LF, key; number, space, fingerprint."""
    marks: dict[str, bytes]
    derived: dict[str, bytes]
    """Snapshots and occasions by the names of their fields."""

    @property
    def size(self) -> int:
        """How many bytes its requests, commits and envelopes hold."""
        sealed = sum(len(each.raw) for each in self.sealed)
        return sum(map(len, self.commands)) + sum(map(len, self.commits)) + sealed


@dataclass(frozen=True, slots=True)
class ArchivedTotals:
    """How many encounters are archived, and how many bytes their files hold."""

    encounters: int
    bytes: int


@dataclass(frozen=True, slots=True)
class CommandNotification:
    """News of a command that waits: its number and bytes as appended; 0 and nothing if they are not told."""

    encounter: str
    n: int
    raw: bytes
    process: str = ""
    """Which process asked, as far as it says so."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A commit, the moment it stands, and what was told with it."""

    encounter: str
    n: int
    raw: bytes
    told: bytes = b""


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a shelf, with the number it got when it was first put there."""

    number: int
    id: str
    blob: bytes
