"""Read archived encounters as if they were in the store, and bring them back before anything is appended.

A file is loaded at the first read, and stays loaded for those after it. A command, or an opening that is
asked for again, waits until a worker has put the encounter back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from threading import Lock
from typing import Final, TypeVar, Unpack

import structlog

from service.caches import RecentCache
from service.log import Appended, EncounterSize, Log, NoSuchEncounter, Outcome, SubmitOptions, Submitted
from service.log.memory import MemoryLog
from service.log.protocol import AppendOptions
from service.log.valkey.loop_log import LoopLog
from service.stores.archive.container import NotAnArchive, unpack
from service.stores.archive.entries import IDLE, MARKS, RESTORING, SUFFIX, Archived, find
from service.stores.archive.reading import EncounterReading
from service.stores.archive.storage import ArchiveUnavailable, FileLost, FileMissing, Storage

LOADED_BYTES: Final = 64_000_000
"""What the archived encounters that a process has loaded may take together; the newest always stays."""
WAIT_S: Final = 10.0
"""How long a command waits for its encounter to be brought back; then it is answered 503."""
_TICK_S: Final = 0.02

_logger: Final = structlog.get_logger()

T = TypeVar("T")


class ArchiveLog(EncounterReading):
    """A log that has archived encounters too. It may be used by any number of threads."""

    def __init__(self, log: Log, storage: Storage, keys: Sequence[bytes]) -> None:
        """Read what is not in *log* from *storage*; one of *keys* opens each file."""
        super().__init__(log)
        self._storage = storage
        self._keys = keys
        self._loaded: RecentCache[str, tuple[MemoryLog, int]] = RecentCache(
            LOADED_BYTES, size_of=lambda loaded: loaded[1]
        )
        self._loading: dict[str, Lock] = {}
        self._lock = Lock()

    # --- reading -------------------------------------------------------------------------------------

    def read(self, encounter: str, question: Callable[[Log], T]) -> T:
        """Return the store's answer; where it has nothing, the file's.

        A worker may put the encounter back between two questions, and delete its file: the store is asked
        once more before what it has is called nothing.
        """
        answer = question(self.log)
        if answer and answer != (None, []):
            return answer
        try:
            memory = self.loaded(encounter)
        except ArchiveUnavailable:
            if find(self.log, encounter) is not None:
                raise
            memory = None
        return question(self.log if memory is None else memory)

    def sizes(self, encounters: Sequence[str]) -> list[EncounterSize]:
        """Read what *encounters* hold; an archived one its commands, and the bytes of its file."""
        found = self.log.sizes(encounters)
        for place, encounter in enumerate(encounters):
            entry = None if found[place].commands else find(self.log, encounter)
            if entry is not None:
                found[place] = EncounterSize(entry.n, entry.size)
        return found

    def marks_named(self, name: str, encounters: Sequence[str]) -> list[bytes | None]:
        """Read one mark of each of *encounters*; that of an archived one is in its entry, or in its file."""
        found = self.log.marks_named(name, encounters)
        for place, encounter in enumerate(encounters):
            entry = find(self.log, encounter) if found[place] is None else None
            if entry is None:
                continue
            if name in MARKS:
                found[place] = entry.marks[name].encode() if name in entry.marks else None
            else:
                memory = self.loaded(encounter)
                found[place] = None if memory is None else memory.marks_named(name, [encounter])[0]
        return found

    def loaded(self, encounter: str) -> MemoryLog | None:
        """Return a log with the archived encounter alone, None if it is not archived."""
        entry = find(self.log, encounter)
        if entry is None:
            return None
        with self._lock:
            loading = self._loading.setdefault(entry.name, Lock())
        with loading:  # two readers of one encounter load it once, and those of others do not wait
            try:
                known = self._loaded.get(entry.name)
                return self._load(entry) if known is None else known[0]
            finally:
                with self._lock:
                    self._loading.pop(entry.name, None)

    def _load(self, entry: Archived) -> MemoryLog:
        try:
            memory = read_file(entry, self._storage, self._keys)
        except (FileMissing, NotAnArchive) as why:
            raise _lost(entry, why) from why
        except ArchiveUnavailable as why:
            _logger.warning("archive.unavailable", encounter=entry.encounter, why=str(why))
            raise
        self._loaded.put(entry.name, (memory, entry.stored))
        return memory

    # --- writing -------------------------------------------------------------------------------------

    def append(self, encounter: str, request: bytes, **options: Unpack[AppendOptions]) -> Appended:
        """Append; an archived encounter is brought back first."""
        return self._append(encounter, options, lambda: self.log.append(encounter, request, **options))

    def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Append and notify; an archived encounter is brought back first."""
        return self._append(encounter, options, lambda: self.log.submit(encounter, request, **options))

    def _append(self, encounter: str, options: AppendOptions, append: Callable[[], T]) -> T:
        if options.get("create"):
            self.bring_back(encounter)
            return append()
        try:
            return append()
        except NoSuchEncounter:  # it is archived, has come back since, or never was
            self.bring_back(encounter)
            return append()

    def bring_back(self, encounter: str) -> None:
        """Return once an archived encounter is in the store again; at once where none is archived.

        Raises `FileLost` at once if its file is missing or damaged, and `ArchiveUnavailable` if no worker has
        put it back after `WAIT_S`.
        """
        entry = find(self.log, encounter)
        if entry is None:
            return
        ends = time.monotonic() + WAIT_S
        self.log.set_due(RESTORING, [encounter], 0, reschedule=False)
        self._check_file(entry)
        while self.log.head(encounter) is None:
            if time.monotonic() > ends:
                raise ArchiveUnavailable(f"{encounter} is not back from the archive yet: send it again")
            time.sleep(_TICK_S)

    def _check_file(self, entry: Archived) -> None:
        """Raise `FileLost` if no worker can put the encounter back.

        An outage is only logged, because it may end while a command waits.
        """
        try:
            fetch(entry, self._storage)
        except (FileMissing, NotAnArchive) as why:
            if (
                find(self.log, entry.encounter) == entry
            ):  # else it is back, and its file was deleted after that
                raise _lost(entry, why) from why
        except ArchiveUnavailable as why:
            _logger.warning("archive.unavailable", encounter=entry.encounter, why=str(why))

    def forget(self, encounter: str) -> None:
        """Delete all that there is of one encounter, in the store and in the archive."""
        self.log.forget(encounter)
        for name in self._storage.names(f"{encounter}."):
            if name.endswith(SUFFIX):
                self._storage.drop(name)
        self.log.drop_due(IDLE, encounter)
        self.log.drop_due(RESTORING, encounter)


def read_file(entry: Archived, storage: Storage, keys: Sequence[bytes]) -> MemoryLog:
    """Return a log with the encounter of *entry* alone, read from *storage* now.

    Raises `ArchiveUnavailable` and `NotAnArchive`.
    """
    memory = MemoryLog()
    memory.restore(unpack(entry.encounter, fetch(entry, storage), keys))
    return memory


def fetch(entry: Archived, storage: Storage) -> bytes:
    """Return the file of *entry* as it was written; raises `ArchiveUnavailable` and `NotAnArchive`."""
    raw = storage.get(entry.name)
    if sha256(raw).hexdigest() != entry.digest:
        raise NotAnArchive(entry.encounter, "it is not the file that was written")
    return raw


def _lost(entry: Archived, why: Exception) -> FileLost:
    _logger.warning("archive.file_lost", encounter=entry.encounter, why=str(why))
    return FileLost(str(why))


def with_archive(log: Log, storage: Storage, keys: Sequence[bytes]) -> ArchiveLog:
    """Return *log* with what is archived in *storage*."""
    return ArchiveLog(log, storage, keys)


class ArchiveLoopLog:
    """The event loop's part of a log that has archived encounters too."""

    def __init__(self, loop_log: LoopLog, log: ArchiveLog) -> None:
        """Append through *loop_log*; *log* is the one with an archive, asked in a thread."""
        self._loop_log = loop_log
        self._bring_back = log.bring_back

    async def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Append and notify; an archived encounter is brought back first, while the loop goes on."""
        if options.get("create"):
            await asyncio.to_thread(self._bring_back, encounter)
            return await self._loop_log.submit(encounter, request, **options)
        try:
            return await self._loop_log.submit(encounter, request, **options)
        except NoSuchEncounter:  # as above
            await asyncio.to_thread(self._bring_back, encounter)
            return await self._loop_log.submit(encounter, request, **options)

    async def hear_outcomes(
        self, heard: Callable[[Outcome], None], begun: Callable[[], Awaitable[None]]
    ) -> None:
        """Hear of commits: an archived encounter has none."""
        await self._loop_log.hear_outcomes(heard, begun)

    async def follow(self, bucket: int) -> None:
        """Hear every commit of *bucket* too."""
        await self._loop_log.follow(bucket)

    def leave(self, bucket: int) -> None:
        """Hear the bucket no more."""
        self._loop_log.leave(bucket)


class _OneFromMemory(EncounterReading):
    """A log in which one encounter is read from memory alone."""

    def __init__(self, log: Log, encounter: str, memory: MemoryLog) -> None:
        super().__init__(log)
        self._encounter = encounter
        self._memory = memory

    def read(self, encounter: str, question: Callable[[Log], T]) -> T:
        """Return the memory's answer for the one encounter, the log's for others."""
        return question(self._memory if encounter == self._encounter else self.log)


def with_one_from_memory(log: Log, encounter: str, memory: MemoryLog) -> Log:
    """Return *log* with *encounter* as *memory* has it: what a file holds, and nothing else of it."""
    return _OneFromMemory(log, encounter, memory)
