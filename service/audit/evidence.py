"""Gather what an audit looks at: the stored bytes of one encounter and what may be opened of them.

Nothing here is believed. It comes from a store, or from a bundle that anybody may have written; `None` stands
for a request that its reader may not see, and an envelope that stays closed is simply not among the opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from service.audit import checkpoint
from service.audit.checkpoint import Checkpoint
from service.audit.signing import VouchedKey, foreign, vouched
from service.encounter.record.canonical import NotCanonical
from service.encounter.record.commit import load_commit
from service.encounter.record.envelopes import Opened, Place, envelopes
from service.encounter.stores import imports, points
from service.log import Entry, Log, NoSuchEncounter

PAGE: Final = 500

EVERYBODY: Final = "*"
"""The reader of a store itself: every request is there, and every envelope is open."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What somebody was once told: that commit *n* has this hash."""

    n: int
    hash: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One encounter as an audit finds it; requests and commits in order, from number 1."""

    encounter: str
    requests: Sequence[bytes | None]
    commits: Sequence[bytes]
    opened: Mapping[Place, Opened]
    count: int
    """How many commits there are said to be."""
    head: str
    """The hash that the last of them is said to have."""
    links: Mapping[tuple[int, int], bytes] = field(default_factory=dict)
    """Links disclosed beside the commits, by lane and epoch."""
    receipts: tuple[Receipt, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    """Heads that somebody else has seen signed, and vouches for."""
    notes: tuple[str, ...] = ()
    """Signed checkpoints as they stand there; nothing of them is believed."""
    keys: tuple[VouchedKey, ...] = ()
    """The keys that are said to have signed, the first one first."""
    pinned: tuple[bytes, ...] = ()
    """Public keys that whoever asks believes; none: those that are told here are taken as they are."""
    seat: str | None = None
    """Who is said to read this: no more and no less than that seat may see is here. None: nobody is named."""
    edition_told: str | None = None
    """The edition that is named beside the commits."""
    claimed: tuple[int, Any] | None = None
    """A state that somebody keeps, and the number of the commit it is said to be folded to."""

    @property
    def edition(self) -> str | None:
        """The edition that commit 1 names, None where there is none to be read."""
        try:
            return load_commit(self.commits[0]).edition if self.commits else None
        except NotCanonical:
            return None


def stored(log: Log, encounter: str) -> Evidence:
    """Return the stored bytes of *encounter*, all of them; raises `NoSuchEncounter`.

    Every envelope is open; of the encounter's secrets nothing is read, so the dice are checked as a stranger
    would.
    """
    notes = points.all_notes(log, encounter)  # before the head: what is signed meanwhile lies beyond it
    head = log.head(encounter)
    if head is None:
        raise NoSuchEncounter(encounter)
    commits = _all(lambda after, count: log.commits(encounter, after, count), head.folded)
    requests = _all(lambda after, count: log.commands(encounter, after, count), len(commits))
    return Evidence(
        encounter=imports.record_at(log, encounter),
        requests=requests,
        commits=commits,
        opened=envelopes(log, encounter, 0, len(commits)),
        count=head.folded,
        head=head.hash,
        notes=tuple(sorted(notes, key=checkpoint.size_of)),
        keys=tuple(foreign(log, encounter) or vouched(log)),
        seat=EVERYBODY,
    )


def _all(read: Callable[[int, int], list[Entry]], upto: int) -> list[bytes]:
    """Return what *read* gives from number 1 to *upto*, empty bytes where one is missing amid others."""
    found: list[bytes] = []
    while len(found) < upto:
        page = read(len(found), min(PAGE, upto - len(found)))
        if not page:
            break
        for entry in page:
            if entry.n <= upto:
                found += [b""] * (entry.n - 1 - len(found))
                found.append(entry.raw)
        if page[-1].n >= upto:
            break
    return found
