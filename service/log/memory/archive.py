"""Move whole encounters out of a memory log, and back."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final

from service.log import keys
from service.log.values import (
    SNAPSHOT_BYTES,
    SNAPSHOT_SHARE,
    ArchivedTotals,
    CachedState,
    KnownKey,
    Payload,
    StoredEncounter,
    StreamHead,
)

RUN_ID: Final = "0" * 40


@dataclass
class Encounter:
    """All keys of one encounter; *head* is None until the first append."""

    head: StreamHead | None = None
    commands: list[bytes] = field(default_factory=list)
    traces: dict[int, str] = field(default_factory=dict)
    commits: list[bytes] = field(default_factory=list)
    keys: dict[tuple[str, str], KnownKey] = field(default_factory=dict)
    sealed: list[Payload] = field(default_factory=list)
    marks: dict[str, bytes] = field(default_factory=dict)
    secret: bytes | None = None
    state: CachedState | None = None
    snapshots: dict[int, CachedState] = field(default_factory=dict)
    occasions: dict[int, bytes] = field(default_factory=dict)
    tries: tuple[int, int] = (0, 0)
    archived: bytes | None = None
    """The entry that is there in its place."""
    archived_bytes: int = 0
    """What its file holds."""
    bytes: int = 0
    """The size of its requests, commits and envelopes."""

    @property
    def derived(self) -> int:
        """The size of its snapshots and occasions, in bytes."""
        snapshots = sum(len(each.blob) for each in self.snapshots.values())
        return snapshots + sum(map(len, self.occasions.values()))

    def has_room(self, n: int, old: int, new: int) -> bool:
        """Return whether *new* bytes, derived from the commits up to *n*, may replace *old* ones."""
        room = max(SNAPSHOT_BYTES, self.bytes // SNAPSHOT_SHARE)
        is_there = self.head is not None and n <= self.head.folded
        return is_there and self.derived - old + new <= room


class MemoryArchive:
    """Encounters as a whole, under the lock of the log."""

    _lock: AbstractContextManager[Any]
    _encounters: dict[str, Encounter]

    def dump(self, encounter: str) -> StoredEncounter | None:
        """Read everything of one encounter; see `ArchivedEncounters.dump`."""
        with self._lock:
            kept = self._encounters.get(encounter)
            if kept is None or kept.head is None or kept.head.appended != kept.head.folded:
                return None
            snapshots = {f"{each.n}/{each.name.rules}": each.packed for each in kept.snapshots.values()}
            occasions = {f"{keys.OCCASIONS}/{n:08}": blob for n, blob in kept.occasions.items()}
            return StoredEncounter(
                encounter=encounter,
                hash=kept.head.hash,
                frontier=kept.head.frontier,
                commands=list(kept.commands),
                commits=list(kept.commits),
                sealed=list(kept.sealed),
                keys={
                    keys.key_field(scope, key): f"{known.n} {known.fingerprint}"
                    for (scope, key), known in kept.keys.items()
                },
                marks=dict(kept.marks),
                derived=snapshots | occasions,
            )

    def evict(self, encounter: str, n: int, hash_: str, entry: bytes, size: int) -> bool:
        """Put *entry* in the place of an encounter; see `ArchivedEncounters.evict`."""
        with self._lock:
            kept = self._encounters.get(encounter)
            head = kept.head if kept is not None else None
            if kept is None or head is None or (head.appended, head.folded, head.hash) != (n, n, hash_):
                return False
            self._encounters[encounter] = Encounter(secret=kept.secret, archived=entry, archived_bytes=size)
            return True

    def archived(self, encounter: str) -> bytes | None:
        """Read the entry of an archived encounter."""
        with self._lock:
            kept = self._encounters.get(encounter)
            return None if kept is None else kept.archived

    def archived_totals(self) -> ArchivedTotals:
        """Read how many encounters are archived, and what their files hold."""
        with self._lock:
            found = [each.archived_bytes for each in self._encounters.values() if each.archived is not None]
            return ArchivedTotals(len(found), sum(found))

    def restore(self, stored: StoredEncounter, entry: bytes = b"", over: int = 0) -> bool:
        """Put an encounter in the place of *entry*; see `ArchivedEncounters.restore`."""
        with self._lock:
            kept = self._encounters.get(stored.encounter, Encounter())
            there = (kept.head.appended, kept.head.folded) if kept.head is not None else (0, 0)
            if there != (over, 0) or (kept.archived or b"") != entry:
                return False
            restored = Encounter(
                head=StreamHead(
                    len(stored.commands), len(stored.commits), stored.hash, stored.frontier, RUN_ID
                ),
                commands=list(stored.commands),
                commits=list(stored.commits),
                sealed=list(stored.sealed),
                marks=dict(stored.marks),
                secret=kept.secret,
                bytes=stored.size,
            )
            for field_, value in stored.keys.items():
                scope, _, key = field_.partition("\n")
                n, _, fingerprint = value.partition(" ")
                restored.keys[scope, key] = KnownKey(int(n), fingerprint)
            for name, blob in stored.derived.items():
                first, _, last = name.partition("/")
                if first == keys.OCCASIONS:
                    restored.occasions[int(last)] = blob
                else:
                    restored.snapshots[int(first)] = CachedState.unpacked(int(first), blob)
            self._encounters[stored.encounter] = restored
            return True
