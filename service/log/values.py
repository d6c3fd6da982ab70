"""The values that the log takes and returns.

Bytes, numbers and hashes: nothing here interprets the bytes. A hash is 64 lower-case hexadecimal digits
everywhere in the log.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, Self

ZERO_HASH = "0" * 64
"""The `prev` hash of commit 1."""


SNAPSHOT_BYTES = 262_144
"""The bytes that the snapshots of one encounter may always have."""

SNAPSHOT_SHARE = 4
"""They may have the record's bytes divided by this, if that is more."""

RULES_DIGITS = 16
"""The number of digits of a ruleset's digest in a snapshot's name."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """What makes a request happen once: the key's scope, the key, and the request's fingerprint."""

    scope: str
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Appended:
    """An append's result: the command's number, and whether an earlier call with this key appended it."""

    n: int
    replayed: bool


@dataclass(frozen=True, slots=True)
class Submitted:
    """The result of a submission; *must_notify*: the caller must enqueue a fold of the bucket."""

    n: int
    replayed: bool
    must_notify: bool
    undecided: int
    """How many commands of the encounter wait for their decision, those submitted included."""


@dataclass(frozen=True, slots=True)
class StreamHead:
    """An encounter's head: last numbers appended and folded, the last commit's hash, the tree frontier.

    *run_id* names the server process that last wrote; it changes with a restart and with a failover.
    """

    appended: int
    folded: int
    hash: str
    frontier: bytes
    run_id: str

    @property
    def undecided(self) -> int:
        """How many commands wait for their decision."""
        return self.appended - self.folded


@dataclass(frozen=True, slots=True)
class EncounterSize:
    """The size of one encounter: commands; bytes of requests, commits, envelopes and snapshots."""

    commands: int
    bytes: int


@dataclass(frozen=True, slots=True)
class StoreMemory:
    """The store's memory, in bytes; a *limit* of 0 means none."""

    used: int
    limit: int


@dataclass(frozen=True, slots=True)
class StoreDisk:
    """The store's log on disk: its size, and whether its last rewrite succeeded.

    Whether its last write did is not here: with `appendfsync always` a server that cannot write ends itself.
    """

    log_bytes: int
    rewrites: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry n of a stream: the bytes of a request or a commit."""

    n: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Payload:
    """The content of envelope *index* of commit *n*."""

    n: int
    index: int
    raw: bytes


class CommitWrite(NamedTuple):
    """The commit of one command, and what is written together with it or not at all.

    *prev* is the hash that the worker started from, *request* the bytes of the decided command; *sealed* has
    (index, payload) with rising indices; *marks* are added to those of earlier commits.
    """

    n: int
    prev: str
    hash: str
    raw: bytes
    request: bytes
    frontier: bytes = b""
    sealed: tuple[tuple[int, bytes], ...] = ()
    marks: Mapping[str, bytes] = MappingProxyType({})
    next_prompt: bytes = b""
    """One line that is published with the commit's bytes and not stored."""
    process: str = ""
    """The process to notify besides those that follow the bucket; empty for all processes."""


@dataclass(frozen=True, slots=True)
class KnownKey:
    """The number and fingerprint of an idempotency key."""

    n: int
    fingerprint: str


@dataclass(frozen=True, slots=True, order=True)
class SnapshotName:
    """The commit of a snapshot, and the first digits of the digest of its rules."""

    n: int
    rules: str


@dataclass(frozen=True, slots=True)
class CachedState:
    """A cached fold up to commit *n*; valid only if *hash* and *ruleset_digest* match the record."""

    n: int
    hash: str
    ruleset_digest: str
    blob: bytes

    @property
    def name(self) -> SnapshotName:
        """Its name as a snapshot."""
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
    """Everything that a store has of one encounter, except its secret: for an archive or a backup."""

    encounter: str
    hash: str
    """The last commit's hash."""
    frontier: bytes
    commands: list[bytes]
    commits: list[bytes]
    """Of the first commands; the others wait."""
    sealed: list[Payload]
    keys: dict[str, str]
    """Idempotency keys: scope, LF, key -> number, space, fingerprint."""
    marks: dict[str, bytes]
    derived: dict[str, bytes]
    """Snapshots and occasions by their field names."""

    @property
    def size(self) -> int:
        """The size of its requests, commits and envelopes, in bytes."""
        sealed = sum(len(each.raw) for each in self.sealed)
        return sum(map(len, self.commands)) + sum(map(len, self.commits)) + sealed


@dataclass(frozen=True, slots=True)
class ArchivedTotals:
    """How many encounters are archived, and how many bytes their files hold."""

    encounters: int
    bytes: int


@dataclass(frozen=True, slots=True)
class CommandNotification:
    """A command waits: its number and bytes as appended; 0 and empty if they are not included."""

    encounter: str
    n: int
    raw: bytes
    process: str = ""
    """The process that asked; empty if it is not named."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A commit as published when it was written, and what was published beside it."""

    encounter: str
    n: int
    raw: bytes
    next_prompt: bytes = b""


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a collection, with the number it got when it was first put."""

    number: int
    id: str
    blob: bytes
