"""Track which occasions have come: an envelope is open to all from the commit with its occasion on.

An event that opens envelopes names them in its field `occasion`; only public events count. Each process reads
an encounter once, then only the commits since its last read. Envelopes that wait for an occasion are tracked
too, so that a commit with an occasion can be shown together with what it opens.

The occasions of each interval are stored beside the record, so that a first read takes one interval of
commits. They are trusted only as a chain: each interval names the hash of the commit it begins after and of
the one it ends with, and the last hash must be that of the stored commit. A hash covers every commit before
it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from service.caches import RecentCache
from service.log import ZERO_HASH, Entry, Log
from service.log.errors import refuse_on_loop
from service.record.commit import Commit, load_commit
from service.record.envelopes import Place
from service.record.intervals import EVERY, ask
from service.record.subjects import REVEALED, SEALED, events_about, is_about
from service.rules.kernel.sealed import is_opened

PAGE: Final = 500
_WHAT: Final = "occasions"


def occasions_of(commits: Iterable[Commit]) -> dict[str, int]:
    """Return the occasions in *commits*, each with the commit in which it came first."""
    found: dict[str, int] = {}
    for commit in commits:
        for event in commit.events:
            occasion = event.get("occasion")
            if isinstance(occasion, str):
                found.setdefault(occasion, commit.n)
    return found


@dataclass(frozen=True, slots=True)
class SealedEnvelope:
    """The public part of an envelope: its place, its audience, and the occasion that opens it."""

    place: Place
    audience: tuple[str, ...]
    opens: str


@dataclass
class _ReadPart:
    """The part of an encounter that was read: its occasions with their first commits, and its envelopes."""

    upto: int = 0
    came: dict[str, int] = field(default_factory=dict)
    envelopes: list[SealedEnvelope] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lock = Lock()

    def note(self, entry: Entry) -> None:
        """Add the next commit."""
        for index, event in events_about(entry.raw, REVEALED, SEALED).items():
            if "sealed" in event:
                place = (entry.n, index)
                self.envelopes.append(SealedEnvelope(place, tuple(event["audience"]), event["opens"]))
            occasion = event.get("occasion")
            if isinstance(occasion, str):
                self.came.setdefault(occasion, entry.n)
        self.upto = entry.n


class Occasions:
    """The occasions of the encounters last asked for."""

    def __init__(self, log: Log, capacity: int = 512) -> None:
        self._log = log
        self._cached: RecentCache[str, _ReadPart] = RecentCache(capacity)

    def upto(self, encounter: str, n: int) -> Mapping[str, int]:
        """Return the occasions that came by commit *n*, perhaps later ones too, each with its commit."""
        return dict(self._read(encounter, n).came)

    def opened_by(self, encounter: str, commit: Commit) -> list[SealedEnvelope]:
        """Return the envelopes of earlier commits that are open to all from *commit* on, in order."""
        if not is_about(commit.raw, REVEALED):
            return []
        seen = self._read(encounter, commit.n)
        new = {occasion for occasion, n in seen.came.items() if n == commit.n}
        before = {occasion for occasion, n in seen.came.items() if n < commit.n}
        return [
            each
            for each in tuple(seen.envelopes)
            if each.place[0] < commit.n and is_opened(each.opens, new) and not is_opened(each.opens, before)
        ]

    def _read(self, encounter: str, n: int) -> _ReadPart:
        """Return the encounter as read up to commit *n* or further."""
        refuse_on_loop()  # the lock is held while the store is read
        seen = self._cached.get_or_add(encounter, _ReadPart)
        with seen.lock:
            if not seen.upto and n > EVERY:
                derived = _derived(self._log, encounter, n)
                seen.came, seen.envelopes, seen.upto = derived.came, derived.envelopes, derived.upto
                if n - seen.upto > EVERY:
                    ask(self._log, encounter, _WHAT)
            while seen.upto < n:
                entries = self._log.commits(encounter, seen.upto, min(PAGE, n - seen.upto))
                if not entries:
                    break
                for entry in entries:
                    seen.note(entry)
            return seen


# --- derived data of intervals ------------------------------------------------------------------------


def derive(log: Log, encounter: str, n: int) -> bytes | None:
    """Return the derived data of the interval that ends with commit *n*; None if commits are missing."""
    after = n - EVERY
    entries = log.commits(encounter, max(0, after - 1), EVERY + (after > 0))
    if not entries or entries[-1].n != n:
        return None
    start = load_commit(entries.pop(0).raw).hash if after else ZERO_HASH
    seen = _ReadPart()
    for entry in entries:
        seen.note(entry)
    end = load_commit(entries[-1].raw).hash
    envelopes = [(*each.place, each.audience, each.opens) for each in seen.envelopes]
    data = {"start": start, "end": end, "came": seen.came, "envelopes": envelopes}
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode())


def missing(log: Log, encounter: str, upto: int) -> list[int]:
    """Return the ends of the intervals, up to commit *upto*, that lack usable derived data."""
    return list(range(_derived(log, encounter, upto).upto + EVERY, upto + 1, EVERY))


def _derived(log: Log, encounter: str, upto: int) -> _ReadPart:
    """Return the occasions of the consecutive intervals that end by commit *upto*."""
    seen, end = _ReadPart(), ZERO_HASH
    for entry in log.occasions(encounter):
        data = _read(entry.raw)
        if entry.n != seen.upto + EVERY or entry.n > upto or data is None or data["start"] != end:
            break
        for occasion, n in data["came"].items():
            seen.came.setdefault(occasion, n)
        seen.envelopes += [
            SealedEnvelope((n, index), tuple(audience), opens)
            for n, index, audience, opens in data["envelopes"]
        ]
        seen.upto, end = entry.n, data["end"]
    return seen if not seen.upto or _hash_of(log, encounter, seen.upto) == end else _ReadPart()


def _read(blob: bytes) -> dict[str, Any] | None:
    try:
        data: dict[str, Any] = json.loads(zlib.decompress(blob))
    except (ValueError, zlib.error):
        return None
    return data


def _hash_of(log: Log, encounter: str, n: int) -> str | None:
    entries = log.commits(encounter, n - 1, 1)
    return load_commit(entries[0].raw).hash if entries and entries[0].n == n else None
