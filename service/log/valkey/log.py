"""The log in a Valkey or Redis server, or in a cluster, with one round trip for each call.

Atomic changes are functions inside the server (`functions/rewound.lua`); this module builds the calls and
parses the replies. It decides nothing.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from hashlib import sha1
from typing import Self, Unpack

from service.log import keys
from service.log.errors import FORMAT, OtherFormat, StaleCommit, StoreLoading
from service.log.protocol import AppendOptions, Log, SubmitOptions
from service.log.valkey.archive import ValkeyArchive, archived_names
from service.log.valkey.collections import ValkeyCollections
from service.log.valkey.doorbell import ValkeyDoorbell
from service.log.valkey.durable import check_durable, parse_info
from service.log.valkey.library import call, install
from service.log.valkey.loading import OnProgress, load_progress, wait_until_loaded
from service.log.valkey.replies import entry_numbers, place_in, stale_in
from service.log.valkey.routing import Router
from service.log.valkey.schedules import ValkeySchedules
from service.log.valkey.states import ValkeyStates
from service.log.valkey.submission import submit_call, submitted
from service.log.valkey.whole import ValkeyWhole
from service.log.valkey.wire import ANSWER_S, Command, Reply, Wire
from service.log.values import (
    Appended,
    CommitWrite,
    EncounterSize,
    Entry,
    KnownKey,
    Payload,
    StoreMemory,
    StreamHead,
    Submitted,
)

_HEAD_FIELDS = ("appended", "folded", "hash", "frontier", "run")


class ValkeyStreams:
    """Commands, commits and all other data of one encounter."""

    _wire: Router

    def append(self, encounter: str, request: bytes, **options: Unpack[AppendOptions]) -> Appended:
        """Give *request* the next number; see `EventLog.append`."""
        expected = options.get("expected")
        answer = self._wire.change(
            *call(
                "append",
                (keys.commands(encounter), keys.head(encounter), keys.idempotency(encounter)),
                keys.key_field(options["scope"], options["key"]),
                options["fingerprint"],
                request,
                "" if expected is None else expected,
                int(options.get("create", False)),
            ),
        )
        n, replayed = place_in(encounter, answer)
        return Appended(n, replayed)

    def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Append, mark dirty and notify in one step; see `Doorbell.submit`."""
        return submitted(encounter, self._wire.change(*submit_call(encounter, request, options)), options)

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        """Write consecutive commits; see `EventLog.commit`."""
        answers = self._wire.change_all([_commit_call(encounter, fold) for fold in folds])
        stale = stale_in(answers[-1])
        if stale is not None:
            raise stale
        return sum(answer[0] == b"committed" for answer in answers)

    def commit_all(self, batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[StaleCommit | None]:
        """Write commits of several encounters in one round trip; see `EventLog.commit_all`."""
        answers = iter(
            self._wire.change_all(
                [_commit_call(encounter, fold) for encounter, folds in batch for fold in folds]
            )
        )
        return [[stale_in(next(answers)) for _ in folds][-1] for _, folds in batch]

    def head(self, encounter: str) -> StreamHead | None:
        """Return the encounter's head."""
        return _head(self._wire.read("HMGET", keys.head(encounter), *_HEAD_FIELDS))

    def sizes(self, encounters: Sequence[str]) -> list[EncounterSize]:
        """Return the sizes of *encounters*, in one round trip."""
        fields = ("appended", "bytes", "derived")
        heads = self._wire.read_all([("HMGET", keys.head(each), *fields) for each in encounters])
        return [EncounterSize(int(head[0] or 0), int(head[1] or 0) + int(head[2] or 0)) for head in heads]

    def look(self, encounter: str, after: int, count: int) -> tuple[StreamHead | None, list[Entry]]:
        """Return the head, then commands above *after*, in one round trip."""
        head, entries = self._wire.read_all(
            (
                ("HMGET", keys.head(encounter), *_HEAD_FIELDS),
                _range(keys.commands(encounter), after, count),
            ),
        )
        return _head(head), _entries(entries)

    def commands(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Return up to *count* commands above *after*."""
        return _entries(self._wire.read(*_range(keys.commands(encounter), after, count)))

    def commits(self, encounter: str, after: int, count: int) -> list[Entry]:
        """Return up to *count* commits above *after*."""
        return _entries(self._wire.read(*_range(keys.commits(encounter), after, count)))

    def tails(
        self, after: Sequence[tuple[str, int]], count: int
    ) -> list[tuple[StreamHead | None, list[Entry]]]:
        """Return heads and commits of several encounters; see `EventLog.tails`."""
        heads = [("HMGET", keys.head(each), *_HEAD_FIELDS) for each, _ in after]
        commits = [_range(keys.commits(each), n, count) for each, n in after]
        answers = self._wire.read_all([*heads, *commits])
        read = map(_head, answers[: len(heads)]), map(_entries, answers[len(heads) :])
        return list(zip(*read, strict=True))

    def sealed(self, encounter: str, after: int, upto: int) -> list[Payload]:
        """Return the envelope payloads of commits *after* < n <= *upto*."""
        if upto <= after:
            return []
        listed = self._wire.read("XRANGE", keys.sealed(encounter), after + 1, upto)
        return [Payload(*entry_numbers(id_), fields[1]) for id_, fields in listed]

    def marks(self, encounter: str) -> dict[str, bytes]:
        """Return all marks."""
        flat = self._wire.read("HGETALL", keys.marks(encounter))
        return {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}

    def marks_named(self, name: str, encounters: Sequence[str]) -> list[bytes | None]:
        """Return one mark of each of *encounters*, in one round trip."""
        return self._wire.read_all([("HGET", keys.marks(each), name) for each in encounters])

    def find_key(self, encounter: str, scope: str, key: str) -> KnownKey | None:
        """Return the number and fingerprint of an idempotency key, once enough replicas have them."""
        place, name = keys.idempotency(encounter), keys.key_field(scope, key)
        if self._wire.wanted_replicas:
            known = self._wire.change(*call("find_key", (place,), name))
        else:
            known = self._wire.read("HGET", place, name)
        if known is None:
            return None
        n, _, fingerprint = known.decode().partition(" ")
        return KnownKey(int(n), fingerprint)

    def put_secret(self, encounter: str, blob: bytes) -> bool:
        """Store *blob* if the encounter has no secret yet."""
        return self._wire.change("SET", keys.secret(encounter), blob, "NX") is not None

    def replace_secret(self, encounter: str, blob: bytes) -> bool:
        """Store *blob* in place of the encounter's secret, if it has one."""
        return self._wire.change("SET", keys.secret(encounter), blob, "XX") is not None

    def secret(self, encounter: str) -> bytes | None:
        """Return the secret."""
        blob: bytes | None = self._wire.read("GET", keys.secret(encounter))
        return blob

    def forget(self, encounter: str) -> None:
        """Delete everything that the store has of one encounter."""
        drop_entry = call("drop_archived", archived_names(encounter))
        self._wire.change_all((drop_entry, ("DEL", *keys.all_of(encounter))))

    def trace(self, encounter: str, n: int) -> str:
        """Return the trace context of command *n*."""
        listed = self._wire.read("XRANGE", keys.commands(encounter), n, n)
        return listed[0][1][3].decode() if listed and len(listed[0][1]) > len((b"r", b"")) else ""

    def tried(self, encounter: str, n: int) -> int:
        """Count one more attempt at command *n*."""
        count: int = self._wire.change(*call("tried", (keys.tries(encounter),), n))
        return count


class ValkeyLog(
    ValkeyStreams,
    ValkeyStates,
    ValkeyArchive,
    ValkeyWhole,
    ValkeyDoorbell,
    ValkeyCollections,
    ValkeySchedules,
):
    """A complete log in one server, or in a cluster."""

    def __init__(self, router: Router) -> None:
        self.router = self._wire = router
        router.prepare = install

    @classmethod
    def at(cls, url: str, *, answer_s: float = ANSWER_S, replicas: int = 0) -> Self:
        """Return the log at *url*, without connecting.

        A change is answered once *replicas* of its node's replicas have it.
        """
        return cls(Router(url, answer_s=answer_s, replicas=replicas))

    @classmethod
    def connect(cls, url: str, *, answer_s: float = ANSWER_S, replicas: int = 0) -> Self:
        """Connect to the server at *url* and install the log's functions; raise `StoreUnavailable`."""
        log = cls.at(url, answer_s=answer_s, replicas=replicas)
        try:
            log.install()
        except BaseException:
            log.close()  # nobody else has it
            raise
        return log

    @classmethod
    def connect_when_loaded(
        cls,
        url: str,
        on_progress: OnProgress,
        go_on: Callable[[], None] = lambda: None,
        *,
        replicas: int = 0,
    ) -> Self:
        """Connect, and wait for a server that reads its log; raise `StoreUnavailable` for any other outage.

        *go_on* is called repeatedly meanwhile, and ends the wait by raising.
        """
        while True:
            try:
                return cls.connect(url, replicas=replicas)
            except StoreLoading:
                with closing(Wire(url)) as wire:
                    wait_until_loaded(wire, on_progress, go_on)

    def install(self) -> None:
        """Install the log's functions on every primary; raise `StoreUnavailable` and `OtherFormat`."""
        self._claim()
        for wire in self._wire.primaries():
            install(wire)

    def _claim(self) -> None:
        """Mark an empty store with the format; raise `OtherFormat` for one that has another or none."""
        found = self._wire.read("GET", keys.FORMAT)
        if found is None and not any(wire.read("DBSIZE") for wire in self._wire.primaries()):
            self._wire.change("SET", keys.FORMAT, FORMAT, "NX")
        found = found or self._wire.read("GET", keys.FORMAT)  # another process may have been first
        if found != FORMAT.encode():
            raise OtherFormat(found.decode() if found else None)

    def memory(self) -> StoreMemory:
        """Return the store's memory; for a cluster, that of the fullest node."""
        found = [parse_info(wire.read("INFO", "memory")) for wire in self._wire.primaries()]
        memories = [
            StoreMemory(used=int(info["used_memory"]), limit=int(info["maxmemory"])) for info in found
        ]
        return max(memories, key=lambda each: each.used / (each.limit or sys.maxsize))

    def ping(self) -> None:
        """Return if every primary serves; a `StoreLoading` says how much of its log one has read."""
        for wire in self._wire.primaries():
            progress = load_progress(wire)
            if progress is not None:
                raise StoreLoading(f"the store is not ready: {progress}")

    def check_durable(self) -> None:
        """Return if every node retains what it acknowledges; raise `NotDurable` with all faults otherwise."""
        check_durable(self._wire)

    def close(self) -> None:
        """Close all connections."""
        self._wire.close()


_: Callable[[Router], Log] = ValkeyLog  # the type checker's proof that nothing is missing


def _commit_call(encounter: str, fold: CommitWrite) -> Command:
    indices = [index for index, _ in fold.sealed]
    assert indices == sorted(set(indices)), f"payloads of commit {fold.n} are not in order: {indices}"
    assert b"\n" not in fold.next_prompt, "`next_prompt` has more than one line"
    bucket = keys.bucket_of(encounter)
    return call(
        "commit",
        (
            keys.commits(encounter),
            keys.head(encounter),
            keys.marks(encounter),
            keys.sealed(encounter),
            keys.commands(encounter),
        ),
        fold.n,
        fold.prev,
        fold.hash,
        fold.raw,
        sha1(fold.request, usedforsecurity=False).hexdigest(),
        fold.frontier,
        keys.outcomes(bucket),
        keys.replies(bucket, fold.process) if fold.process else keys.notices(bucket),
        encounter,
        fold.next_prompt,
        len(fold.marks),
        *(part for mark in fold.marks.items() for part in mark),
        *(part for payload in fold.sealed for part in payload),
    )


def _range(stream: str, after: int, count: int) -> Command:
    return ("XRANGE", stream, after + 1, "+", "COUNT", count)


def _entries(listed: Reply) -> list[Entry]:
    return [Entry(entry_numbers(id_)[0], fields[1]) for id_, fields in listed]


def _head(fields: Reply) -> StreamHead | None:
    appended, folded, hash_, frontier, run_id = fields
    if appended is None:
        return None
    return StreamHead(int(appended), int(folded), hash_.decode(), frontier, run_id.decode())
