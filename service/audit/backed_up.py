"""Check the encounters of a backup: chain, requests, envelopes and signed heads of each; name what is lost.

No rule runs here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

from service.audit import signing
from service.audit.evidence import stored
from service.audit.integrity import examine
from service.audit.signing_memory import SigningMemory
from service.audit.verdict import EMPTY, UNSIGNED_FROM, Fault
from service.log import Log, StoredEncounter
from service.log.memory import MemoryLog
from service.stores import checkpoints, imports, removals
from service.stores.archive.container import NotAnArchive, unpack
from service.stores.archive.entries import Archived, read
from service.stores.backups.container import BackupRefused
from service.stores.backups.items import EncounterItem, Item, RecordsItem
from service.stores.encounter_index import EncounterIndex
from service.stores.secrets import EncounterSecrets, Undecipherable

_NEEDED: Final = (signing.COLLECTION, signing.FOREIGN, imports.COLLECTION)
"""Collections that an audit reads besides the checkpoints."""

_PASSING: Final = (EMPTY, UNSIGNED_FROM)
"""Verdicts of records that are sound and still wait for their first commit or a signature."""


@dataclass
class BackupCheck:
    """Takes the items of a backup in their order, and counts and checks what they have."""

    secret_keys: Sequence[bytes] = field(repr=False)
    archive_keys: Sequence[bytes] = field(repr=False)
    encounters: int = 0
    archived: int = 0
    commits: int = 0
    waiting: int = 0
    records: int = 0
    unsound: dict[str, str] = field(default_factory=dict)
    """Encounters whose record is not sound, each with its verdict."""
    _known: MemoryLog = field(default_factory=MemoryLog, repr=False)

    def take(self, item: Item) -> None:
        """Check *item*.

        Raises `BackupRefused` for a file or a secret that the keys of this installation do not open. A record
        that is not sound is noted: it was so in the store.
        """
        if isinstance(item, RecordsItem):
            self.records += len(item.records)
            if item.collection in _NEEDED:
                self._known.put_numbered(item.collection, item.records)
        elif isinstance(item, EncounterItem):
            self._take_encounter(item)

    def _take_encounter(self, item: EncounterItem) -> None:
        whole = self.opened(item)
        if whole is None:
            return
        self._check_secret(item)
        self.encounters += 1
        self.archived += item.stored is None
        self.commits += len(whole.commits)
        self.waiting += len(whole.commands) - len(whole.commits)
        verdict = self._verdict(item, whole)
        if verdict is not None:
            self.unsound[item.encounter] = verdict

    def opened(self, item: EncounterItem) -> StoredEncounter | None:
        """Return the encounter of *item*, from its file if it is archived; raises `BackupRefused`."""
        if item.stored is not None or item.entry is None or item.file is None:
            return item.stored
        entry: Archived = read(item.entry)
        if sha256(item.file).hexdigest() != entry.digest:
            raise BackupRefused(f"{item.encounter}: its archived file is not the one that was written")
        try:
            return unpack(item.encounter, item.file, self.archive_keys)
        except NotAnArchive as fault:
            raise BackupRefused(f"{fault}; put back the secret key of the service that wrote it") from fault

    def _check_secret(self, item: EncounterItem) -> None:
        if item.secret is None:  # an imported encounter throws no dice here
            return
        try:
            EncounterSecrets.decrypt(item.encounter, item.secret, self.secret_keys)
        except Undecipherable as fault:
            raise BackupRefused(
                f"the secret key of this installation does not open the seeds of {item.encounter}: "
                "put back the key of the service that wrote the backup (REWOUND_KEY_FILE)"
            ) from fault

    def _verdict(self, item: EncounterItem, whole: StoredEncounter) -> str | None:
        """Return the verdict about a record that is not sound, None about others."""
        log, encounter = self._known, item.encounter
        notes = f"{checkpoints.COLLECTION}/{encounter}"
        log.restore(whole)
        log.put_numbered(notes, item.notes)
        try:
            evidence = stored(log, encounter)
            examine(replace(evidence, pinned=signing.own_keys(log, encounter)))
        except Fault as fault:
            return None if fault.verdict.name in _PASSING else str(fault.verdict)
        else:
            return None
        finally:
            log.forget(encounter)
            log.drop_collection(notes)


@dataclass(frozen=True)
class LostCommits:
    """Signed commits of an encounter that a restored store does not have."""

    encounter: str
    signed: int
    """How many commits were signed."""
    restored: int
    """How many the store has; 0: not even the encounter."""
    owner: str


def lost_since(
    signing_memory: SigningMemory, log: Log, restored: Mapping[str, int], now: float
) -> Iterator[LostCommits]:
    """Yield what *signing_memory* has seen signed and the restored store does not have.

    *restored* counts the commits of each encounter; *now* is in seconds since 1970. A removed encounter, or a
    fork that has expired, is not lost.
    """
    register = EncounterIndex(log)
    for encounter in signing_memory.encounters():
        seen, there = signing_memory.seen(encounter), restored.get(encounter, 0)
        if seen is None or seen.size <= there or removals.find(log, encounter) is not None:
            continue
        entry = register.find(encounter)
        if entry is None or not entry.has_expired(now):
            yield LostCommits(encounter, seen.size, there, seen.owner)
