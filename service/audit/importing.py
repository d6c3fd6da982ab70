"""Take a bundle into the store: it is audited whole before a single line of it is kept.

What is taken in can be read, replayed and audited like any other encounter, and is closed to commands: the
secrets that would decide them are its own host's. Only a bundle from which nothing is withheld can be folded,
so only such a one is taken; signatures and keys of its host are kept beside it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from service.audit import bundle, checkpoint
from service.audit.evidence import Evidence
from service.audit.report import Report
from service.audit.signing import keep_foreign
from service.audit.verdict import MALFORMED, VALID_AS_OPENED, Counts, Verdict
from service.audit.verify import Shelf, verify
from service.encounter.deciding.decider import marks_of
from service.encounter.host import Host
from service.encounter.record.commit import Commit, fold_commit, load_commit, load_request
from service.encounter.record.frontier import Frontier
from service.encounter.stores import points
from service.encounter.stores.points import Point
from service.encounter.stores.register import Register, Registered
from service.log import Fold, Log
from service.rules.ruleset import Ruleset

SHELF: Final = "imports"
"""Bundles that a worker is to take in, by encounter: the owner, a line's end, the file; nothing once done."""

_SCOPE: Final = "import"
_PAGE: Final = 64


class NotTaken(Exception):
    """Say why a bundle is not taken in: its audit's report."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report.verdict))
        self.report = report


class AlreadyHere(Exception):
    """Say that another encounter, or another history of it, is here under its id."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"{encounter} is here already")
        self.encounter = encounter


@dataclass(frozen=True)
class Found:
    """A bundle that may be taken in: what is in it, what its audit found, and what is here of it already."""

    evidence: Evidence
    commits: list[Commit]
    report: Report
    here: int
    """How many of its commits are here."""

    @property
    def encounter(self) -> str:
        """The encounter that it is."""
        return self.evidence.encounter


# --- asked for by an API, done by a worker -----------------------------------------------------------


def ask(host: Host, owner: str, raw: bytes) -> Found:
    """Audit the bundle *raw*, and have a worker take it in for the API keys of *owner*.

    Raises `NotTaken`, `AlreadyHere`. The same bundle again changes nothing. An API may not write commits, so
    it leaves the file where a worker finds it.
    """
    found = look(host.log, host.shelf, host.register, owner, raw)
    if found.here < len(found.commits):
        host.log.put_record(SHELF, found.encounter, owner.encode() + b"\n" + raw)
        host.ring(host.shard_of(found.encounter))
    return found


def work(log: Log, shelf: Shelf) -> int:
    """Take in every bundle that was asked for; how many. What cannot be taken in by now is left out."""
    taken = 0
    for record in log.records(SHELF, None, _PAGE):
        if record.blob:
            owner, _, raw = record.blob.partition(b"\n")
            with suppress(NotTaken, AlreadyHere):
                take(log, shelf, owner.decode(), raw)
                taken += 1
            log.put_record(SHELF, record.id, b"")
    return taken


# --- here and now ------------------------------------------------------------------------------------


def take(log: Log, shelf: Shelf, owner: str, raw: bytes) -> Found:
    """Take in the bundle *raw* for the API keys of *owner*; raises `NotTaken`, `AlreadyHere`.

    One that was cut short by a crash is completed.
    """
    register = Register(log)
    found = look(log, shelf, register, owner, raw)
    evidence, commits = found.evidence, found.commits
    title = str(load_request(_present(evidence, 1)).data.get("title") or "")
    register.enter(
        Registered(evidence.encounter, owner, commits[0].edition, title, commits[0].at, imported=True)
    )
    register.finish(evidence.encounter)
    keep_foreign(log, evidence.encounter, evidence.keys)
    for note in evidence.notes:
        read = checkpoint.parse(note)
        points.put(log, evidence.encounter, Point(read.size, read.root.hex()), note)
    _store(log, shelf, found)
    return found


def look(log: Log, shelf: Shelf, register: Register, owner: str, raw: bytes) -> Found:
    """Return what is in the bundle *raw*, if it may be taken in; raises `NotTaken`, `AlreadyHere`."""
    try:
        evidence = bundle.read(raw)
    except bundle.BadBundle as fault:
        verdict = Verdict(MALFORMED, fault.n, str(fault))
        raise NotTaken(Report("", verdict, Counts())) from fault
    report = verify(evidence, shelf)
    if not report.verdict.is_sound or report.verdict.name == VALID_AS_OPENED or not evidence.commits:
        raise NotTaken(report)
    commits = [load_commit(text) for text in evidence.commits]
    here = _here(log, register, owner, evidence.encounter, commits)
    return Found(evidence, commits, report, here)


def _here(log: Log, register: Register, owner: str, encounter: str, commits: list[Commit]) -> int:
    """Return how many of *commits* are here by an earlier import; raises `AlreadyHere` for anything else."""
    entry = register.find(encounter)
    if entry is not None and not (entry.imported and entry.owner == owner):
        raise AlreadyHere(encounter)
    stored = log.commits(encounter, 0, len(commits) + 1)
    if len(stored) > len(commits) or any(each.raw != commits[each.n - 1].raw for each in stored):
        raise AlreadyHere(encounter)
    return len(stored)


def _store(log: Log, shelf: Shelf, found: Found) -> None:
    """Write the commands and commits that are not here, as deciding would have written them."""
    evidence, commits, after = found.evidence, found.commits, found.here
    ruleset: Ruleset[Any] = shelf[commits[0].edition]
    state, frontier = ruleset.blank, Frontier()
    waiting: list[Fold] = []
    for commit in commits:
        request = _present(evidence, commit.n)
        lying = {i: opened for (n, i), opened in _of(evidence, commit).items() if n == commit.n}
        payloads = {index: json.loads(opened.payload) for index, opened in lying.items()}
        before = state
        state = fold_commit(ruleset, before, commit, payloads, load_request(request).stops)
        frontier = frontier.append(bytes.fromhex(commit.hash))
        if commit.n <= after:
            continue
        log.append(
            evidence.encounter,
            request,
            scope=_SCOPE,
            key=str(commit.n),
            fingerprint=sha256(request).hexdigest(),
            create=commit.n == 1,
        )
        waiting.append(
            Fold(
                n=commit.n,
                prev=commit.prev,
                hash=commit.hash,
                raw=commit.raw,
                frontier=frontier.to_bytes(),
                sealed=tuple((index, opened.stored) for index, opened in sorted(lying.items())),
                marks=marks_of(before, state, commit.n),
            )
        )
        if len(waiting) == _PAGE or commit.n == len(commits):
            log.commit(evidence.encounter, *waiting)
            waiting = []


def _of(evidence: Evidence, commit: Commit) -> dict[tuple[int, int], Any]:
    places = ((commit.n, index) for index in range(len(commit.events)))
    return {place: evidence.opened[place] for place in places if place in evidence.opened}


def _present(evidence: Evidence, n: int) -> bytes:
    request = evidence.requests[n - 1]
    assert request is not None, "a bundle from which something is withheld was taken in"
    return request
