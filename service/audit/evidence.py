"""Collect the evidence for an audit: the stored bytes of one encounter and its opened envelopes.

Evidence is untrusted: it comes from a store, or from a bundle that anybody may have written. `None` stands
for a withheld request; closed envelopes are missing from the opened ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from service.audit import checkpoint
from service.audit.checkpoint import Checkpoint
from service.audit.progress import READING, Progress, part, unheard
from service.audit.signing import VouchedKey, foreign, vouched
from service.core.lineage import beginning_request
from service.core.seams import ending
from service.log import Entry, Log, NoSuchEncounter
from service.record.canonical import NotCanonical
from service.record.commit import load_commit
from service.record.envelopes import Place, StoredEnvelope, envelopes
from service.record.subjects import CONTINUED, ENDED, LINKS, SEEDS, events_about, is_about
from service.rules.table.lines import FORK
from service.stores import checkpoints, imports

PAGE: Final = 500

PATIENCE_S: Final = 2.0
"""How long `evidence_once_signed` waits for the signature of a closed encounter."""
_TICK_S: Final = 0.02

EVERYBODY: Final = "*"
"""The reader of the store itself, who sees every request and every envelope."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The number and hash of a commit, as a client received them."""

    n: int
    hash: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One encounter as the input of an audit; requests and commits are in order, from number 1."""

    encounter: str
    requests: Sequence[bytes | None]
    commits: Sequence[bytes]
    opened: Mapping[Place, StoredEnvelope]
    count: int
    """The claimed number of commits."""
    head: str
    """The claimed hash of the last commit."""
    links: Mapping[tuple[int, int], bytes] = field(default_factory=dict)
    """Links disclosed beside the commits, by lane and epoch."""
    receipts: tuple[Receipt, ...] = ()
    signed_receipts: tuple[bytes, ...] = ()
    """Receipts that the service signed, as their bytes, unverified."""
    checkpoints: tuple[Checkpoint, ...] = ()
    """Checkpoints whose signatures the caller has verified."""
    notes: tuple[str, ...] = ()
    """Signed checkpoints as text, unverified."""
    keys: tuple[VouchedKey, ...] = ()
    """The keys that claim to have signed, oldest first."""
    pinned: tuple[bytes, ...] = ()
    """Trusted public keys. If empty, the evidence's own keys are accepted unverified."""
    seat_keys: Mapping[str, str] = field(default_factory=dict)
    """Public keys of seats that the reader knows from elsewhere, by seat, as 64 hexadecimal digits."""
    seat: str | None = None
    """The seat whose view this claims to be, complete and with nothing else; None if no seat is named."""
    named_edition: str | None = None
    """The edition that the bundle's header names."""
    shared: tuple[tuple[int, Mapping[str, int]], ...] = ()
    """For each other line of the same file: how many commits both have, and the occasions of that line.

    What the seat could open in one of the lines stands in the file, once for all that have the commit.
    """
    claimed: tuple[int, Any] | None = None
    """The number of a commit, and a stored state that claims to be folded to it."""

    def line_at(self, n: int) -> str:
        """Return the line of play that commit *n* names; beyond the end that of the record."""
        try:
            return (
                load_commit(self.commits[n - 1]).encounter if 1 <= n <= len(self.commits) else self.encounter
            )
        except NotCanonical:
            return self.encounter

    @property
    def edition(self) -> str | None:
        """The edition that commit 1 names, None if there is no readable commit 1."""
        try:
            return load_commit(self.commits[0]).edition if self.commits else None
        except NotCanonical:
            return None


def stored(log: Log, encounter: str, progress: Progress = unheard) -> Evidence:
    """Return all stored bytes of *encounter*, every envelope opened; raises `NoSuchEncounter`.

    The encounter's secrets are not read, so an audit checks the dice as a stranger would.
    """
    notes = checkpoints.all_notes(log, encounter)  # before the head, so that no checkpoint is beyond it
    head = log.head(encounter)
    if head is None:
        raise NoSuchEncounter(encounter)
    commits = _all(lambda after, count: log.commits(encounter, after, count), head.folded)
    requests = _all(lambda after, count: log.commands(encounter, after, count), len(commits))
    part(progress, head.folded, READING)(head.folded)
    notes += earlier_notes(log, encounter, commits)
    return Evidence(
        encounter=imports.record_at(log, encounter),
        requests=requests,
        commits=commits,
        opened=envelopes(log, encounter, 0, len(commits)),
        count=head.folded,
        head=head.hash,
        links=later_links(log, commits),
        notes=tuple(sorted(notes, key=checkpoint.size_of)),
        keys=tuple(foreign(log, encounter) or vouched(log)),
        seat=EVERYBODY,
    )


def earlier_notes(log: Log, encounter: str, commits: Sequence[bytes]) -> list[str]:
    """Return the checkpoints of the earlier lines in a record, up to where each of them was left."""
    if foreign(log, encounter):
        return []  # an import has them among its own
    last: dict[str, int] = {}
    for n, raw in enumerate(commits, 1):
        with suppress(NotCanonical):  # damaged bytes are for the audit to name
            last[load_commit(raw).encounter] = n
    last.pop(encounter, None)
    return [
        note
        for line, n in last.items()
        for note in checkpoints.all_notes(log, line)
        if checkpoint.size_of(note) <= n
    ]


def evidence_once_signed(log: Log, encounter: str) -> Evidence:
    """Return what `stored` returns; for a closed encounter, wait until its last commit is signed.

    A signature follows its commit within moments. After `PATIENCE_S` the evidence is returned without it.
    """
    ends = time.monotonic() + PATIENCE_S
    while True:
        found = stored(log, encounter)
        sizes = (checkpoint.size_of(note) for note in found.notes[-1:])
        is_signed = not _is_closed(found.commits) or found.count in sizes or not found.keys
        if is_signed or foreign(log, encounter) or time.monotonic() > ends:
            return found
        time.sleep(_TICK_S)


def played_line(log: Log, encounter: str) -> str:
    """Return the line of play in which *encounter* goes on; itself if nothing continues it."""
    while (seam := ending(log, encounter)) is not None and log.head(seam.accepted.encounter) is not None:
        encounter = seam.accepted.encounter
    return encounter


def fight_of(log: Log, encounter: str) -> tuple[str, ...]:
    """Return the lines of play that led to *encounter*, the first one first and *encounter* last."""
    found = [encounter]
    while (before := _before(log, found[0])) is not None and before not in found:
        found.insert(0, before)
    return tuple(found)


def _before(log: Log, line: str) -> str | None:
    """Return the line in which *line* was ruled; None if it is the first one, or if that is not here."""
    request = beginning_request(log, line)
    if request is None or request.data["origin"]["kind"] == FORK:
        return None
    origin = request.data["origin"]
    before = str(origin["ruled_in"] or origin["parent"])
    here = imports.lines_of(log, line)
    if here is not None:
        return here.get(before)
    return before if log.head(before) is not None else None


def stored_fight(log: Log, encounter: str) -> tuple[Evidence, ...]:
    """Return what `evidence_once_signed` returns, of every line of play that led to *encounter*."""
    return tuple(evidence_once_signed(log, line) for line in fight_of(log, encounter))


def _is_closed(commits: Sequence[bytes]) -> bool:
    try:
        return any(is_about(raw, ENDED) for raw in commits)
    except (NotCanonical, AttributeError, TypeError):  # the audit names what is wrong with a damaged record
        return False


def later_links(log: Log, commits: Sequence[bytes]) -> dict[tuple[int, int], bytes]:
    """Return the links that the continuations of *commits* have disclosed in public, by lane and epoch.

    A continuation rolls from the same dice, so its links prove the dice of both lines. Only each lane's last
    link is returned because it determines all earlier ones. Empty if a record cannot be read.
    """
    try:
        return _later_links(log, commits)
    except (NotCanonical, KeyError, TypeError, ValueError):
        return {}


def _later_links(log: Log, commits: Sequence[bytes]) -> dict[tuple[int, int], bytes]:
    found: dict[int, tuple[int, bytes]] = {}
    seen = set()
    line, last = _continuation(commits), commits
    while line is not None and line not in seen:
        seen.add(line)
        head = log.head(line)
        last = [] if head is None else _all(partial(log.commits, line), head.folded)
        for lane, epoch, link in disclosed_in(last):
            found[lane] = max(found.get(lane, (0, b"")), (epoch, link))
        line = _continuation(last)
    return {(lane, epoch): link for lane, (epoch, link) in found.items()}


def _continuation(commits: Sequence[bytes]) -> str | None:
    """Return the encounter that continues the record, None if there is none."""
    events = events_about(commits[-1], CONTINUED).values() if commits else ()
    return next((event["encounter"] for event in events), None)


def disclosed_in(commits: Sequence[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the links that *commits* disclose in public, as (lane, epoch, link)."""
    first: Sequence[Mapping[str, Any]] = ()
    with suppress(NotCanonical):  # damaged bytes are for the audit to name
        first = load_commit(commits[0]).events if commits else ()
    setup: dict[str, Any] = next((event["dice"] for event in first if event.get("dice")), {"lanes": []})
    lengths = {lane["lane"]: lane["n"] for lane in setup["lanes"]}
    for raw in commits:
        for event in events_about(raw, LINKS, SEEDS).values():
            if LINKS.is_of(event):
                yield event["lane"], event["epoch"], bytes.fromhex(event["link"])
            elif event["lane"] in lengths:
                yield event["lane"], lengths[event["lane"]], bytes.fromhex(event["seed"])


def _all(read: Callable[[int, int], list[Entry]], upto: int) -> list[bytes]:
    """Return the bytes of the entries 1 to *upto*; empty bytes mark a gap between entries."""
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
