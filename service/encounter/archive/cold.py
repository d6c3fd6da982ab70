"""Know which encounters are archived, and read them where they lie as if they were in the store.

An archived encounter has left the store but for its secret, which the API may not read and no archive
holds. What stands in its place names the file that holds the rest. The same step writes it that takes the
record out of the store, and the same step deletes it that puts the record back: an encounter is in one of
the two at any moment. A file is loaded at the first read and kept for those after it. A command, or an
opening asked for again, brings the encounter back first.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from threading import Lock
from typing import Any, Final, Unpack, cast

from service.encounter.archive.container import unpack
from service.encounter.archive.places import ArchiveUnavailable, Place
from service.log import Head, Log, NoSuchEncounter, Outcome, Size, SubmitOptions, Submitted
from service.log.loop_log import LoopLog
from service.log.memory import MemoryLog

SHELF: Final = "archived"
"""The list of archived encounters, for the figures alone: it may miss one whose worker died just then."""
IDLE: Final = "idle"
"""The schedule of encounters that are archived if nothing happens to them until then."""
RESTORING: Final = "restoring"
"""The schedule of those that somebody wants back in the store."""
SUFFIX: Final = ".rwa"

LOADED_BYTES: Final = 64_000_000
"""What the archived encounters that a process has loaded may hold together; the newest is always kept."""
WAIT_S: Final = 10.0
"""How long a command waits for its encounter to be brought back; then it is answered 503."""
_TICK_S: Final = 0.02
_PAGE: Final = 1_000
_READS: Final = frozenset(
    ("commands", "commits", "sealed", "marks", "find_key", "state", "snapshots", "snapshot", "occasions")
)
"""What a log reads of an encounter; nothing is there of one that is archived."""


@dataclass(frozen=True)
class Archived:
    """Where an archived encounter lies."""

    encounter: str
    name: str
    """The file's."""
    digest: str
    """SHA-256 of the file, in hexadecimal digits."""
    n: int
    """How many commits there are."""
    hash: str
    """The last one's."""
    stored: int
    """How many bytes the record held in the store."""
    size: int
    """The file's size."""
    at: int
    """When it was archived, in seconds since 1970."""

    @property
    def blob(self) -> bytes:
        """The bytes that stand in the store in its place."""
        return json.dumps(asdict(self)).encode()


def find(log: Log, encounter: str) -> Archived | None:
    """Return where *encounter* is archived, None if it is not."""
    blob = log.archived(encounter)
    return None if blob is None else Archived(**json.loads(blob))


def totals(log: Log) -> tuple[int, int]:
    """Return how many encounters are archived, and how many bytes their files hold."""
    count, size, before = 0, 0, None
    while page := log.records(SHELF, before, _PAGE):
        count += len(page)
        size += sum(json.loads(record.blob)["size"] for record in page)
        before = page[-1].number
    return count, size


class ArchiveLog:
    """A log that has archived encounters too. It may be used by any number of threads."""

    def __init__(self, log: Log, place: Place, key: bytes) -> None:
        """Read what is not in *log* from *place*; *key* opens the files."""
        self.inner = log
        self.place = place
        self._key = key
        self._loaded: OrderedDict[str, tuple[MemoryLog, int]] = OrderedDict()
        self._lock = Lock()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the log has
        if name in _READS:
            return partial(self._read, name)
        return getattr(self.inner, name)

    # --- reading -------------------------------------------------------------------------------------

    def head(self, encounter: str) -> Head | None:
        """Read where the encounter stands."""
        found = self.inner.head(encounter)
        if found is None:
            memory = self.loaded(encounter)
            return None if memory is None else memory.head(encounter)
        return found

    def look(self, encounter: str, after: int, count: int) -> tuple[Head | None, list[Any]]:
        """Read the head and up to *count* commands above *after*."""
        found = self.inner.look(encounter, after, count)
        if found[0] is None:
            memory = self.loaded(encounter)
            return found if memory is None else memory.look(encounter, after, count)
        return found

    def sizes(self, encounters: Sequence[str]) -> list[Size]:
        """Read what *encounters* hold; an archived one its commands, and the bytes of its file."""
        found = self.inner.sizes(encounters)
        for place, encounter in enumerate(encounters):
            entry = None if found[place].commands else find(self.inner, encounter)
            if entry is not None:
                found[place] = Size(entry.n, entry.size)
        return found

    def _read(self, name: str, encounter: str, *arguments: Any) -> Any:  # noqa: ANN401 - as the log has it
        found = getattr(self.inner, name)(encounter, *arguments)
        if not found:
            memory = self.loaded(encounter)
            if memory is not None:
                return getattr(memory, name)(encounter, *arguments)
        return found

    def loaded(self, encounter: str) -> MemoryLog | None:
        """Return a log with the archived encounter alone, None if it is not archived."""
        entry = find(self.inner, encounter)
        if entry is None:
            return None
        with self._lock:  # one file at a time: two readers of one encounter load it once
            known = self._loaded.get(entry.name)
            if known is not None:
                self._loaded.move_to_end(entry.name)
                return known[0]
            memory = self.load(entry)
            self._loaded[entry.name] = (memory, entry.stored)
            while len(self._loaded) > 1 and sum(size for _, size in self._loaded.values()) > LOADED_BYTES:
                self._loaded.popitem(last=False)
            return memory

    def load(self, entry: Archived) -> MemoryLog:
        """Read the file of *entry* anew; raises `ArchiveUnavailable` and `NotAnArchive`."""
        raw = self.place.get(entry.name)
        if sha256(raw).hexdigest() != entry.digest:
            raise ArchiveUnavailable(
                f"the archived file of {entry.encounter} is not the one that was written"
            )
        memory = MemoryLog()
        memory.restore(unpack(entry.encounter, raw, self._key))
        return memory

    # --- writing -------------------------------------------------------------------------------------

    def append(self, encounter: str, request: bytes, **known: Any) -> Any:  # noqa: ANN401 - as the log has it
        """Append; an archived encounter is brought back first."""
        return self._append("append", encounter, request, known)

    def submit(self, encounter: str, request: bytes, **known: Any) -> Any:  # noqa: ANN401 - as the log has it
        """Append and notify; an archived encounter is brought back first."""
        return self._append("submit", encounter, request, known)

    def _append(self, name: str, encounter: str, request: bytes, known: dict[str, Any]) -> Any:  # noqa: ANN401 - as above
        append = getattr(self.inner, name)
        if known.get("create"):
            self.bring_back(encounter)
            return append(encounter, request, **known)
        try:
            return append(encounter, request, **known)
        except NoSuchEncounter:
            if not self.bring_back(encounter):
                raise
            return append(encounter, request, **known)

    def bring_back(self, encounter: str) -> bool:
        """Return once an archived encounter is in the store again; whether it had left it."""
        if find(self.inner, encounter) is None:
            return False
        self.inner.set_due(RESTORING, [encounter], 0, anew=False)
        ends = time.monotonic() + WAIT_S
        while self.inner.head(encounter) is None:
            if time.monotonic() > ends:
                raise ArchiveUnavailable(f"{encounter} is being brought back from the archive: send it again")
            time.sleep(_TICK_S)
        return True

    def forget(self, encounter: str) -> None:
        """Delete everything that is kept of one encounter, in the store and in the archive."""
        self.inner.forget(encounter)
        for name in self.place.names(f"{encounter}."):
            if name.endswith(SUFFIX):
                self.place.drop(name)
        self.inner.drop_due(IDLE, encounter)
        self.inner.drop_due(RESTORING, encounter)
        self.inner.drop_record(SHELF, encounter)


def with_archive(log: Log, place: Place, key: bytes) -> Log:
    """Return *log* with what is archived in *place*."""
    return cast("Log", ArchiveLog(log, place, key))


class ArchiveLoopLog:
    """The event loop's part of a log that has archived encounters too."""

    def __init__(self, loop_log: LoopLog, log: Log) -> None:
        """Append through *loop_log*; *log* is the one with an archive, asked in a thread."""
        self._loop_log = loop_log
        self._bring_back = cast("ArchiveLog", log).bring_back

    async def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Append and notify; an archived encounter is brought back first, while the loop goes on."""
        if options.get("create"):
            await asyncio.to_thread(self._bring_back, encounter)
            return await self._loop_log.submit(encounter, request, **options)
        try:
            return await self._loop_log.submit(encounter, request, **options)
        except NoSuchEncounter:
            if not await asyncio.to_thread(self._bring_back, encounter):
                raise
            return await self._loop_log.submit(encounter, request, **options)

    async def hear_outcomes(
        self, heard: Callable[[Outcome], None], begun: Callable[[], Awaitable[None]]
    ) -> None:
        """Hear of commits: an archived encounter has none."""
        await self._loop_log.hear_outcomes(heard, begun)


class _Alone:
    """A log in which one encounter is read from memory alone, and everything else from the log."""

    def __init__(self, log: Log, encounter: str, memory: MemoryLog) -> None:
        self._log = log
        self._encounter = encounter
        self._memory = memory

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the log has
        if name in _READS or name in ("head", "look"):
            return partial(self._read, name)
        return getattr(self._log, name)

    def _read(self, name: str, encounter: str, *arguments: Any) -> Any:  # noqa: ANN401 - as the log has it
        log = self._memory if encounter == self._encounter else self._log
        return getattr(log, name)(encounter, *arguments)


def alone(log: Log, encounter: str, memory: MemoryLog) -> Log:
    """Return *log* with *encounter* as *memory* has it: what a file holds, and nothing else of it."""
    return cast("Log", _Alone(log, encounter, memory))
