"""Archive idle encounters, and restore those that are requested.

Laws. An encounter leaves the store only after its file was written, read back, compared with what was
written, and audited as sound. The store deletes the record in one step, and only if the record is unchanged.
If a worker dies between two steps, the encounter is still scheduled and another worker starts again. A file's
name contains its digest, so an encounter that is written twice has two files, and the store names at most one
of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from threading import Event
from typing import Final

import structlog

from service.audit.evidence import stored
from service.audit.notary import Disputed
from service.audit.signing import own_keys
from service.audit.verify import verify
from service.core.fold import Folder, Registry
from service.log.errors import NoSuchEncounter, StoreFailure
from service.log.memory import MemoryLog
from service.log.protocol import Log
from service.stores import imports, removals
from service.stores.archive import entries
from service.stores.archive.archive_log import fetch, with_one_from_memory
from service.stores.archive.container import NotAnArchive, pack, unpack
from service.stores.archive.entries import IDLE, RESTORING, Archived
from service.stores.archive.storage import ArchiveUnavailable, FileMissing, Storage
from service.stores.disputes import Disputes
from service.stores.encounter_index import COLLECTION as REGISTERED
from service.stores.encounter_index import EncounterIndex
from workers.periodic import PeriodicThread, WorkerStopped

EVERY_S: Final = 0.5
"""How often requests to restore are read. A command waits for them."""
STORAGE_PAUSE_S: Final = 60.0
"""How long archiving pauses after the storage was unavailable, because each try packs an encounter again."""
DAY_S: Final = 86_400
PAGE: Final = 20
_REGISTER_PAGE: Final = 500
SNAPSHOT_EVERY: Final = 1024
"""A file keeps one snapshot for this many commits; the others are made again on demand."""
_BREATH_S: Final = 0.002
"""Pause between two steps of an audit, or of the writing or reading of a file, for the threads that fold."""

_logger: Final = structlog.get_logger()


class NotArchivable(Exception):
    """The encounter must stay in the store; the text is the reason."""


class Archiver(PeriodicThread):
    """One worker's thread that archives and restores encounters; several workers may do so at once."""

    name = "archiver"
    every_s = EVERY_S

    def __init__(  # noqa: PLR0913 - what an archive takes
        self,
        log: Log,
        registry: Registry,
        storage: Storage,
        keys: Sequence[bytes],
        idle_s: float,
        stopping: Event,
        *,
        sign: Callable[[str], object] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Archive from *log*, which is the store without the archive.

        An encounter is archived after *idle_s* seconds without activity; 0 means never. *sign* signs an
        encounter's head, so that an archived record is signed to its end.
        """
        super().__init__(stopping)
        self._log = log
        self._registry = registry
        self._storage = storage
        self._keys = keys
        self._idle_s = idle_s
        self._sign = sign
        self._clock = clock
        self._folder = Folder(log, registry, capacity=1, asks=False)
        self._has_started = False
        self._away_until = 0.0

    def touched(self, encounter: str) -> None:
        """Restart the encounter's idle time. Thread-safe."""
        if self._idle_s:
            self._log.set_due(IDLE, [encounter], self._ms(self._idle_s), reschedule=True)

    def look(self) -> None:
        """Restore the requested encounters, then archive the idle ones."""
        self._bring_back_all()
        if not self._idle_s or self._is_storage_down():
            return
        if not self._has_started:
            self._note_all()
            self._has_started = True
        for encounter in self._log.due(IDLE, self._ms(0), PAGE):
            if self.stopping.is_set() or self._is_storage_down():
                return
            self._archive(encounter)
            self._bring_back_all()

    def _is_storage_down(self) -> bool:
        return self._clock() < self._away_until

    def _ms(self, later_s: float) -> int:
        return int((self._clock() + later_s) * 1000)

    def _note_all(self) -> None:
        """Schedule every encounter, because some became idle before archiving was switched on."""
        before = None
        while page := self._log.records(REGISTERED, before, _REGISTER_PAGE):
            names = [record.id for record in page]
            self._log.set_due(IDLE, names, self._ms(self._idle_s), reschedule=False)
            before = page[-1].number

    # --- archiving -----------------------------------------------------------------------------------

    def _archive(self, encounter: str) -> None:
        """Archive one encounter; after a fault, try again when another idle time has passed."""
        try:
            entry = self.archive(encounter)
        except NoSuchEncounter:
            self._log.drop_due(IDLE, encounter)  # it was removed, or is archived already
        except ArchiveUnavailable as why:
            self._away_until = self._clock() + STORAGE_PAUSE_S
            _logger.warning("archive.unavailable", encounter=encounter, why=str(why))
        except (StoreFailure, WorkerStopped):
            raise
        except Exception as why:  # noqa: BLE001 - one encounter's fault must not stop the others
            reason = str(why) if isinstance(why, NotArchivable) else type(why).__name__
            _logger.warning("archive.skipped", encounter=encounter, why=reason)
            self._log.set_due(IDLE, [encounter], self._ms(self._idle_s), reschedule=True)
        else:
            self._log.drop_due(IDLE, encounter)
            _logger.info("encounter.archived", encounter=encounter, commits=entry.n, bytes=entry.size)

    def archive(self, encounter: str) -> Archived:
        """Archive *encounter*; raises `NotArchivable` and `NoSuchEncounter`."""
        self._check(encounter)
        whole = self._log.dump(encounter)
        if whole is None:
            raise NoSuchEncounter(encounter)
        whole = replace(whole, derived=_retained(whole.derived))
        raw = pack(whole, self._keys[0], self._breathe)
        digest = sha256(raw).hexdigest()
        n = len(whole.commits)
        entry = Archived(
            encounter=encounter,
            name=f"{encounter}.{n}.{digest[:16]}{entries.SUFFIX}",
            digest=digest,
            n=n,
            hash=whole.hash,
            stored=whole.size,
            size=len(raw),
            at=int(self._clock()),
            marks={name: value.decode() for name, value in whole.marks.items() if name in entries.MARKS},
        )
        self._storage.put(entry.name, raw)
        try:
            self._move(entry)
        except (NotArchivable, WorkerStopped):
            self._storage.drop(entry.name)
            raise
        return entry

    def _move(self, entry: Archived) -> None:
        """Check the file of *entry*, then replace the record by the entry; raises `NotArchivable`."""
        raw = self._storage.get(entry.name)
        if sha256(raw).hexdigest() != entry.digest:
            raise NotArchivable("what was read back is not what was written")
        self._verify(entry.encounter, raw, entry.hash)
        if not self._log.evict(entry.encounter, entry.n, entry.hash, entry.blob, entry.size):
            raise NotArchivable("something happened to it meanwhile")

    def _check(self, encounter: str) -> None:
        """Return if the encounter may leave the store; raises `NotArchivable`."""
        entry = EncounterIndex(self._log).find(encounter)
        head = self._log.head(encounter)
        if head is None or entry is None or removals.find(self._log, encounter) is not None:
            raise NoSuchEncounter(encounter)
        if entry.expires is not None:
            raise NotArchivable("it is a fork, which expires")
        if head.appended != head.folded:
            raise NotArchivable("a command waits to be decided")
        if Disputes(self._log).standing(encounter) is not None:
            raise NotArchivable("its record is not the signed one")
        if self._folder.current(encounter).state.draft:
            raise NotArchivable("it is only proposed")
        if imports.find(self._log, encounter) is None:
            with suppress(Disputed):  # the audit reports the dispute
                self._sign(encounter)

    def _verify(self, encounter: str, raw: bytes, head: str) -> None:
        """Audit the archive file *raw*; raises `NotArchivable` if it is not sound."""
        memory = MemoryLog()
        memory.restore(unpack(encounter, raw, self._keys, self._breathe))
        evidence = stored(with_one_from_memory(self._log, encounter, memory), encounter, self._breathe)
        keys = () if imports.find(self._log, encounter) is not None else own_keys(self._log, encounter)
        report = verify(replace(evidence, pinned=keys), self._registry, progress=self._breathe)
        if not report.verdict.is_sound or report.head != head:
            raise NotArchivable(f"its file is {report.verdict.name}")

    def _breathe(self, _done: int = 0, _of: int = 0) -> None:
        """Let the threads that fold work; raises `WorkerStopped` if the worker stops."""
        if self.stopping.is_set():
            raise WorkerStopped
        time.sleep(_BREATH_S)

    # --- restoring -----------------------------------------------------------------------------------

    def _bring_back_all(self) -> None:
        for encounter in self._log.due(RESTORING, self._ms(0), PAGE):
            try:
                self.bring_back(encounter)
            except (FileMissing, NotAnArchive) as why:
                _logger.error("archive.damaged", encounter=encounter, why=str(why))  # noqa: TRY400 - ids only
            self._log.drop_due(RESTORING, encounter)

    def bring_back(self, encounter: str) -> None:
        """Restore an archived encounter into the store; do nothing if it is not archived.

        Raises `FileMissing` and `NotAnArchive`.
        """
        entry = entries.find(self._log, encounter)
        if entry is None:
            return
        raw = fetch(entry, self._storage)
        if not self._log.restore(unpack(encounter, raw, self._keys, self._breathe), entry.blob):
            return  # another worker was first
        self._storage.drop(entry.name)
        self.touched(encounter)
        _logger.info("encounter.restored", encounter=encounter, commits=entry.n)


def _retained(derived: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the derived data that a file keeps: few snapshots, all occasions."""
    found = {}
    for name, blob in derived.items():
        first, _, _ = name.partition("/")
        if not first.isdigit() or int(first) % SNAPSHOT_EVERY == 0:
            found[name] = blob
    return found
