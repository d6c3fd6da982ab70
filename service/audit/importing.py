"""Take a bundle into the store: it is audited whole before a single line of it is kept.

What is taken in can be read, replayed and audited like any other encounter, and is closed to commands: the
secrets that would decide them are its own host's. Only a bundle from which nothing is withheld can be folded,
so only such a one is taken; signatures and keys of its host are kept beside it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from service.audit import bundle, checkpoint
from service.audit.evidence import Evidence
from service.audit.report import Report
from service.audit.signing import keep_foreign
from service.audit.verdict import MALFORMED, VALID_AS_OPENED, Counts, Verdict
from service.audit.verify import verify
from service.encounter import points
from service.encounter.commit import Commit, fold_commit, load_commit, load_request
from service.encounter.decider import marks_of
from service.encounter.frontier import Frontier
from service.encounter.host import Host
from service.encounter.points import Point
from service.encounter.register import Registered
from service.log import Fold
from service.rules.ruleset import Ruleset

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
class Taken:
    """What was taken in, and what its audit found."""

    entry: Registered
    report: Report
    is_new: bool


def take(host: Host, owner: str, raw: bytes) -> Taken:
    """Take in the bundle *raw* for the API keys of *owner*; raises `NotTaken`, `AlreadyHere`.

    The same bundle again changes nothing, and one that was cut short by a crash is completed.
    """
    evidence, report = _audited(host, raw)
    commits = [load_commit(text) for text in evidence.commits]
    head = host.log.head(evidence.encounter)
    _check_here(host, owner, evidence, commits)
    first = load_request(_present(evidence, 1))
    title = str(first.data.get("title") or first.data.get("opening", {}).get("title") or "")
    entry = host.register.enter(
        Registered(evidence.encounter, owner, commits[0].edition, title, commits[0].at, imported=True)
    )
    host.register.finish(evidence.encounter)
    keep_foreign(host.log, evidence.encounter, evidence.keys)
    for note in evidence.notes:
        read = checkpoint.parse(note)
        points.put(host.log, evidence.encounter, Point(read.size, read.root.hex()), note)
    _store(host, evidence, commits, head.folded if head is not None else 0)
    return Taken(entry, report, is_new=head is None)


def _audited(host: Host, raw: bytes) -> tuple[Evidence, Report]:
    try:
        evidence = bundle.read(raw)
    except bundle.BadBundle as fault:
        verdict = Verdict(MALFORMED, fault.n, str(fault))
        raise NotTaken(Report("", verdict, Counts())) from fault
    report = verify(evidence, host.shelf)
    if not report.verdict.is_sound or report.verdict.name == VALID_AS_OPENED or not evidence.commits:
        raise NotTaken(report)
    return evidence, report


def _check_here(host: Host, owner: str, evidence: Evidence, commits: list[Commit]) -> None:
    """Demand that nothing is here under its id, or the beginning of this very import."""
    entry = host.register.find(evidence.encounter)
    if entry is not None and not (entry.imported and entry.owner == owner):
        raise AlreadyHere(evidence.encounter)
    for stored in host.log.commits(evidence.encounter, 0, len(commits) + 1):
        if stored.n > len(commits) or stored.raw != commits[stored.n - 1].raw:
            raise AlreadyHere(evidence.encounter)


def _store(host: Host, evidence: Evidence, commits: list[Commit], after: int) -> None:
    """Write commands and commits above number *after*, as a worker would have written them."""
    ruleset: Ruleset[Any] = host.shelf[commits[0].edition]
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
        host.log.append(
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
            host.log.commit(evidence.encounter, *waiting)
            waiting = []


def _of(evidence: Evidence, commit: Commit) -> dict[tuple[int, int], Any]:
    places = ((commit.n, index) for index in range(len(commit.events)))
    return {place: evidence.opened[place] for place in places if place in evidence.opened}


def _present(evidence: Evidence, n: int) -> bytes:
    request = evidence.requests[n - 1]
    assert request is not None, "a bundle from which something is withheld was taken in"
    return request
