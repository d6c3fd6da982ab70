"""A log in plain dictionaries, under one lock: for tests, offline replay and benchmarks.

It fulfils the log's contract except that nothing survives the process.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from service.log.errors import (
    EncounterExists,
    KeyReused,
    NoSuchEncounter,
    StaleCommit,
    TooManyUndecided,
    VersionConflict,
)
from service.log.keys import bucket_of
from service.log.memory.archive import RUN_ID, Encounter, MemoryArchive
from service.log.memory.collections import MemoryCollections
from service.log.memory.doorbell import MemoryDoorbell
from service.log.memory.schedules import MemorySchedules
from service.log.memory.whole import MemoryWhole
from service.log.protocol import Log
from service.log.values import (
    ZERO_HASH,
    Appended,
    CachedState,
    CommandNotification,
    CommitWrite,
    EncounterSize,
    Entry,
    KnownKey,
    Outcome,
    Payload,
    SnapshotName,
    StoreMemory,
    StreamHead,
    Submitted,
)


class MemoryLog(MemoryArchive, MemoryWhole, MemoryDoorbell, MemoryCollections, MemorySchedules):
    """A complete log in this process; *clock* returns monotonic seconds, for the life of leases and rings."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        MemoryCollections.__init__(self, threading.RLock())
        MemorySchedules.__init__(self)
        MemoryDoorbell.__init__(self, clock)
        self._encounters: dict[str, Encounter] = {}

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
        """Give *request* the next number; see `EventLog.append`."""
        with self._lock:
            terms = {"scope": scope, "key": key, "fingerprint": fingerprint}
            replayed = self._checked(encounter, **terms, expected=expected, create=create)
            if replayed is not None:
                return replayed
            kept = self._read(encounter)
            head = kept.head or StreamHead(0, 0, ZERO_HASH, b"", RUN_ID)
            n = head.appended + 1
            self._encounters[encounter] = kept
            kept.commands.append(request)
            kept.bytes += len(request)
            kept.head = replace(head, appended=n)
            kept.keys[scope, key] = KnownKey(n, fingerprint)
            return Appended(n, replayed=False)

    def _checked(
        self, encounter: str, *, scope: str, key: str, fingerprint: str, expected: int | None, create: bool
    ) -> Appended | None:
        """Return the earlier append with this key, None if there is none and a new one would be taken."""
        kept = self._read(encounter)
        known = kept.keys.get((scope, key))
        if known is not None:
            if known.fingerprint != fingerprint:
                raise KeyReused(known.n)
            return Appended(known.n, replayed=True)
        if create and kept.head is not None:
            raise EncounterExists(encounter)
        if not create and kept.head is None:
            raise NoSuchEncounter(encounter)
        appended = kept.head.appended if kept.head is not None else 0
        if expected is not None and expected != appended:
            raise VersionConflict(appended)
        return None

    def submit(  # noqa: PLR0913 an append, and what its notification needs
        self,
        encounter: str,
        request: bytes,
        *,
        scope: str,
        key: str,
        fingerprint: str,
        expected: int | None = None,
        create: bool = False,
        at_ms: int,
        notify_ms: int,
        more: Sequence[bytes] = (),
        secret: bytes = b"",
        process: str = "",
        trace: str = "",
        most_undecided: int | None = None,
    ) -> Submitted:
        """Append, mark dirty and notify in one step; see `Doorbell.submit`."""
        with self._lock:
            known = {"scope": scope, "key": key, "fingerprint": fingerprint}
            if self._checked(encounter, **known, expected=expected, create=create) is None:
                self._check_undecided(encounter, 1 + len(more), most_undecided)
            place = self.append(encounter, request, **known, expected=expected, create=create)
            head = self._read(encounter).head
            if head is not None and place.n <= head.folded:
                return Submitted(place.n, place.replayed, False, head.undecided)  # noqa: FBT003 - as it is shown
            if not place.replayed and head is not None and place.n == head.folded + 1:
                self._dirty.get(bucket_of(encounter), {}).pop(
                    encounter, None
                )  # it waits since now, and was only not yet cleaned
            self.mark_dirty(encounter, at_ms)
            if place.replayed:
                listeners = self._notify(CommandNotification(encounter, 0, b"", process))
            else:
                if secret:
                    self.put_secret(encounter, secret)
                self._extend(encounter, more)
                for n in range(place.n, place.n + 1 + len(more)):
                    self._read(encounter).traces[n] = trace
                listeners = self._notify(CommandNotification(encounter, place.n, request, process))
                for n, raw in enumerate(more, place.n + 1):
                    self._notify(CommandNotification(encounter, n, raw, process))
            must_notify = not listeners and self._mark_notified(bucket_of(encounter), notify_ms)
            head = self._read(encounter).head
            undecided = 0 if head is None else head.undecided
            return Submitted(place.n, place.replayed, must_notify, undecided)

    def _check_undecided(self, encounter: str, more: int, most: int | None) -> None:
        """Raise `TooManyUndecided` if *more* commands would make it more than *most*."""
        head = self._read(encounter).head
        undecided = 0 if head is None else head.undecided
        if most is not None and undecided + more > most:
            raise TooManyUndecided(undecided, most)

    def _extend(self, encounter: str, more: Sequence[bytes]) -> None:
        """Append *more* requests, which have no key of their own."""
        kept = self._write(encounter)
        assert kept.head is not None, "the first of them was appended"
        kept.commands.extend(more)
        kept.bytes += sum(map(len, more))
        kept.head = replace(kept.head, appended=kept.head.appended + len(more))

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        """Write consecutive commits; see `EventLog.commit`."""
        with self._lock:
            written = [self._commit(encounter, fold) for fold in folds]
            if written[-1] is None:
                head = self._read(encounter).head
                raise StaleCommit(*(head.folded, head.hash) if head else (0, ZERO_HASH))
            return written.count(True)

    def commit_all(self, batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[StaleCommit | None]:
        """Write commits of several encounters; see `EventLog.commit_all`."""
        found: list[StaleCommit | None] = []
        for encounter, folds in batch:
            try:
                self.commit(encounter, *folds)
            except StaleCommit as stale:
                found.append(stale)
            else:
                found.append(None)
        return found

    def _commit(self, encounter: str, fold: CommitWrite) -> bool | None:
        """Write one commit: True if new, False if it is the head already, None if it does not continue it."""
        indices = [index for index, _ in fold.sealed]
        assert indices == sorted(set(indices)), f"payloads of commit {fold.n} are not in order: {indices}"
        kept = self._read(encounter)
        if kept.head is None:
            return None
        if (kept.head.folded, kept.head.hash) == (fold.n, fold.hash):
            return False
        if (kept.head.folded, kept.head.hash) != (fold.n - 1, fold.prev) or kept.head.appended < fold.n:
            return None
        if kept.commands[fold.n - 1] != fold.request:
            return None
        kept.commits.append(fold.raw)
        kept.bytes += len(fold.raw) + sum(len(raw) for _, raw in fold.sealed)
        kept.head = replace(kept.head, folded=fold.n, hash=fold.hash, frontier=fold.frontier)
        kept.marks.update(fold.marks)
        kept.sealed.extend(Payload(fold.n, index, raw) for index, raw in fold.sealed)
        self._publish(Outcome(encounter, fold.n, fold.raw, fold.next_prompt))
        return True

    def trace(self, encounter: str, n: int) -> str:
        """Return the trace context of command *n*."""
        with self._lock:
            return self._read(encounter).traces.get(n, "")

    def head(self, encounter: str) -> StreamHead | None:
        """Return the encounter's head."""
        with self._lock:
            return self._read(encounter).head

    def sizes(self, encounters: Sequence[str]) -> list[EncounterSize]:
        """Return the sizes of *encounters*, in the given order."""
        with self._lock:
            kept = [self._read(encounter) for encounter in encounters]
            return [EncounterSize(len(each.commands), each.bytes + each.derived) for each in kept]

    def look(self, encounter: str, after: int, count: int) -> tuple[StreamHead | None, list[Entry]]:
        """Return the head and commands above *after*."""
        with self._lock:
            return self.head(encounter), self.commands(encounter, after, count)

    def commands(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Return up to *count* commands above *after*."""
        with self._lock:
            return _above(self._read(encounter).commands, after, count)

    def commits(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Return up to *count* commits above *after*."""
        with self._lock:
            return _above(self._read(encounter).commits, after, count)

    def tails(
        self, after: Sequence[tuple[str, int]], count: int
    ) -> list[tuple[StreamHead | None, list[Entry]]]:
        """Return heads and commits of several encounters."""
        return [(self.head(encounter), self.commits(encounter, n, count)) for encounter, n in after]

    def sealed(self, encounter: str, after: int, upto: int) -> list[Payload]:
        """Return the envelope payloads of commits *after* < n <= *upto*."""
        with self._lock:
            return [payload for payload in self._read(encounter).sealed if after < payload.n <= upto]

    def marks(self, encounter: str) -> dict[str, bytes]:
        """Return all marks."""
        with self._lock:
            return dict(self._read(encounter).marks)

    def marks_named(self, name: str, encounters: Sequence[str]) -> list[bytes | None]:
        """Return one mark of each of *encounters*."""
        return [self.marks(each).get(name) for each in encounters]

    def find_key(self, encounter: str, scope: str, key: str) -> KnownKey | None:
        """Return the number and fingerprint of an idempotency key."""
        with self._lock:
            return self._read(encounter).keys.get((scope, key))

    def put_secret(self, encounter: str, blob: bytes) -> bool:
        """Store *blob* if the encounter has no secret yet."""
        with self._lock:
            kept = self._write(encounter)
            if kept.secret is not None:
                return False
            kept.secret = blob
            return True

    def replace_secret(self, encounter: str, blob: bytes) -> bool:
        """Store *blob* in place of the encounter's secret, if it has one."""
        with self._lock:
            kept = self._write(encounter)
            if kept.secret is None:
                return False
            kept.secret = blob
            return True

    def secret(self, encounter: str) -> bytes | None:
        """Return the secret."""
        with self._lock:
            return self._read(encounter).secret

    def put_state(self, encounter: str, state: CachedState) -> None:
        """Replace the newest state."""
        with self._lock:
            self._write(encounter).state = state

    def state(self, encounter: str) -> CachedState | None:
        """Return the newest state."""
        with self._lock:
            return self._read(encounter).state

    def put_snapshot(self, encounter: str, snapshot: CachedState) -> bool:
        """Store *snapshot* beside those of other commits; see `EventLog.put_snapshot`."""
        with self._lock:
            kept = self._read(encounter)
            old = kept.snapshots.get(snapshot.n)
            if not kept.has_room(snapshot.n, len(old.blob) if old else 0, len(snapshot.blob)):
                return False
            kept.snapshots[snapshot.n] = snapshot
            return True

    def snapshots(self, encounter: str) -> list[SnapshotName]:
        """Return the names of the snapshots, by rising n."""
        with self._lock:
            return sorted(each.name for each in self._read(encounter).snapshots.values())

    def snapshot(self, encounter: str, name: SnapshotName) -> CachedState | None:
        """Return one snapshot."""
        with self._lock:
            kept = self._read(encounter).snapshots.get(name.n)
            return kept if kept is not None and kept.name == name else None

    def put_occasions(self, encounter: str, n: int, blob: bytes) -> bool:
        """Store the occasions of the interval that ends with commit *n*; see `EventLog.put_occasions`."""
        with self._lock:
            kept = self._read(encounter)
            if not kept.has_room(n, len(kept.occasions.get(n, b"")), len(blob)):
                return False
            kept.occasions[n] = blob
            return True

    def occasions(self, encounter: str) -> list[Entry]:
        """Return the occasions of every interval, by rising n."""
        with self._lock:
            return [Entry(n, blob) for n, blob in sorted(self._read(encounter).occasions.items())]

    def forget(self, encounter: str) -> None:
        """Delete everything of one encounter."""
        with self._lock:
            self._encounters.pop(encounter, None)

    def tried(self, encounter: str, n: int) -> int:
        """Count one more attempt at command *n*."""
        with self._lock:
            kept = self._write(encounter)
            last, count = kept.tries
            kept.tries = (n, count + 1 if last == n else 1)
            return kept.tries[1]

    def _read(self, encounter: str) -> Encounter:
        """Return an encounter, or an empty one that is not stored."""
        return self._encounters.get(encounter) or Encounter()

    def _write(self, encounter: str) -> Encounter:
        """Return an encounter, which is stored from now on."""
        return self._encounters.setdefault(encounter, Encounter())

    def memory(self) -> StoreMemory:
        """Return the store's memory; this one has no limit."""
        return StoreMemory(used=0, limit=0)

    def ping(self) -> None:
        """Return: this process answers."""

    def close(self) -> None:
        """Do nothing: other holders of the log may continue."""


_: Callable[[], Log] = MemoryLog  # the type checker's proof that nothing is missing


def _above(raws: list[bytes], after: int, count: int) -> list[Entry]:
    return [Entry(n, raw) for n, raw in enumerate(raws[after : after + count], after + 1)]
