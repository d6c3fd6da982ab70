"""Index all encounters: the owner of each, and the encounters of each owner.

An entry is stored before the encounter's first command is appended, so a crash may leave an entry without an
encounter but never an encounter without an owner. Entries do not change, except that an expiring one may end
sooner; those are read from the store each time. An expiring encounter is on a schedule as soon as it has an
entry. The entry outlives the encounter, so that its address can report that it expired.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Final

from service.caches import RecentCache
from service.log import SideStore

COLLECTION: Final = "encounters"
EXPIRING: Final = "expiring"
"""The schedule of encounters that expire."""
_LINES: Final = "/lines"
_PAGE: Final = 1_000
GRACE_S: Final = 60.0
"""Seconds for which an expired record stays in the store: a worker may still be writing its last state."""


@dataclass(frozen=True, slots=True)
class EncounterEntry:
    """The data of an encounter that is available without reading its record."""

    encounter: str
    owner: str
    """The owner of the API key that opened it."""
    edition: str
    title: str
    opened: str
    """RFC 3339, as the opening's `at`."""
    root: str | None = None
    """The first of the lines of play that this one continues; seat tokens name it."""
    expires: str | None = None
    """RFC 3339: when a fork expires."""
    imported: bool = False
    """Whether it came in a bundle; then it takes no commands."""

    parent: str | None = None
    """Of a fork: the encounter that it continues."""
    made_by: str | None = None
    """Of a fork: the parent's seat that made it."""

    @property
    def ends_at(self) -> float | None:
        """When it expires, in seconds since 1970; None: never."""
        return None if self.expires is None else datetime.fromisoformat(self.expires).timestamp()

    def has_expired(self, now: float) -> bool:
        """Return whether it has expired at *now*, in seconds since 1970, deleted or not."""
        ends = self.ends_at
        return ends is not None and ends <= now


class EncounterIndex:
    """The entries of all encounters; those that were read are cached."""

    def __init__(self, store: SideStore, size: int = 50_000) -> None:
        self._store = store
        self._known: RecentCache[str, EncounterEntry] = RecentCache(size)

    def enter(self, entry: EncounterEntry) -> EncounterEntry:
        """Store *entry* if the encounter has none; return the stored one.

        The owner's encounters are listed once each: a later line of play is among the owner's lines.
        """
        standing = self.find(entry.encounter)
        if standing is not None:
            return standing
        ends = entry.ends_at
        if ends is not None:
            self._store.set_due(EXPIRING, [entry.encounter], int((ends + GRACE_S) * 1000), reschedule=False)
        blob = json.dumps(asdict(entry)).encode()
        each = ((COLLECTION, entry.encounter, blob), (_list_of(entry), entry.encounter, blob))
        self._store.put_records(each)
        return self._keep(entry)

    def find(self, encounter: str) -> EncounterEntry | None:
        """Return the encounter's entry; None if there is none."""
        known = self._known.get(encounter)
        if known is not None and known.expires is None:
            return known
        blob = self._store.record(COLLECTION, encounter)
        return self._keep(_read(blob)) if blob is not None else None

    def end(self, entry: EncounterEntry, now: float) -> EncounterEntry:
        """Let an expiring encounter end at *now*, in seconds since 1970; return its new entry."""
        ended = replace(entry, expires=expiry(now))
        blob = json.dumps(asdict(ended)).encode()
        self._store.put_record(COLLECTION, entry.encounter, blob)
        if self._store.record(_list_of(entry), entry.encounter) is not None:
            self._store.put_record(_list_of(entry), entry.encounter, blob)
        self._store.set_due(EXPIRING, [entry.encounter], int((now + GRACE_S) * 1000), reschedule=True)
        return self._keep(ended)

    def root(self, encounter: str) -> str:
        """Return the first of the lines of play that *encounter* continues; itself if it continues none."""
        entry = self.find(encounter)
        return entry.root if entry is not None and entry.root is not None else encounter

    def first(self, entry: EncounterEntry) -> EncounterEntry:
        """Return the entry of the first line of play, whose id is the encounter's own."""
        return (self.find(entry.root) if entry.root is not None else None) or entry

    def owned_by(self, owner: str, before: int | None, limit: int) -> list[tuple[int, EncounterEntry]]:
        """Return entries of one owner, the newest first, each with its number in the owner's collection."""
        page = self._store.records(f"{COLLECTION}/{owner}", before, limit)
        return [(record.number, _read(record.blob)) for record in page]

    def lines_owned_by(self, owner: str) -> Iterator[list[EncounterEntry]]:
        """Yield, page by page, the later lines of the owner's encounters, proposed ones too."""
        before = None
        while page := self._store.records(f"{COLLECTION}/{owner}{_LINES}", before, _PAGE):
            yield [_read(record.blob) for record in page]
            before = page[-1].number

    def finish(self, encounter: str) -> None:
        """Record that the fight of a line was played to its end; repeating this does not count twice."""
        entry = self.find(encounter)
        if entry is not None:
            self._store.put_record(f"{COLLECTION}/{entry.owner}/finished", entry.root or encounter, b"")

    def unfinished_before(self, entry: EncounterEntry) -> int:
        """Return how many earlier encounters of the entry's owner are unfinished now.

        An end is recorded here before it is committed, so a client that has read it finds it counted.
        """
        collection = f"{COLLECTION}/{entry.owner}"
        opened = self._store.put_record(collection, entry.encounter, json.dumps(asdict(entry)).encode()) - 1
        finished = self._store.records(f"{collection}/finished", None, 1)
        return max(0, opened - (finished[0].number if finished else 0))

    def _keep(self, entry: EncounterEntry) -> EncounterEntry:
        self._known.put(entry.encounter, entry)
        return entry


def _list_of(entry: EncounterEntry) -> str:
    """Return the collection in which the owner's encounter, or the later line of one, is listed."""
    return f"{COLLECTION}/{entry.owner}{'' if entry.root is None else _LINES}"


def expiry(at: float) -> str:
    """Return a time, in seconds since 1970, in RFC 3339 as entries have it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read(blob: bytes) -> EncounterEntry:
    return EncounterEntry(**json.loads(blob))
