"""Check that a bundle contains exactly what its seat may see.

This detects a line that was removed from a bundle, although the remaining lines are consistent: the commits,
whose hashes are checked first, determine what the seat may see. They determine the checkpoints too, because
the host signs every close in order, before anything after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from service.audit.checkpoint import parse
from service.audit.evidence import EVERYBODY, Evidence
from service.audit.history import Loss
from service.audit.requests import read_request, was_refused_for_it
from service.audit.verdict import MALFORMED, TAMPERED, Fault, Verdict
from service.core.views import Reader, may_read_request
from service.record.canonical import NotCanonical
from service.record.commit import Commit, load_request
from service.record.occasions import occasions_of
from service.rules.rolls.closing import EncounterClosed, EpochClosed

CLOSING: Final = (EpochClosed.type, EncounterClosed.type)
"""Types of events whose commits a host signs at once."""


def may_read(reader: Reader, request: bytes, commit: Commit) -> bool:
    """Return whether *reader* may see the bytes *request*, which need not be a valid request."""
    try:
        read = read_request(request) if was_refused_for_it(commit) else load_request(request)
    except NotCanonical:
        read = None
    return may_read_request(commit, reader, "" if read is None else read.actor.seat)


def check_completeness(evidence: Evidence, commits: Sequence[Commit], losses: Sequence[Loss] = ()) -> None:
    """Check that *evidence* contains exactly what its seat may see; raises `Fault`.

    *losses* are ranges of signed commits that were lost; an accepted head covers each acceptance.
    """
    if evidence.seat is None:
        return
    if evidence.named_edition is not None and commits and evidence.named_edition != commits[0].edition:
        detail = f"the header names {evidence.named_edition}, and commit 1 is of {commits[0].edition}"
        raise Fault(Verdict(MALFORMED, 1, detail))
    own = Reader(evidence.seat, occasions_of(commits))
    others = [(upto, Reader(evidence.seat, came)) for upto, came in evidence.shared]
    for commit in commits:
        readers = (own, *(reader for upto, reader in others if commit.n <= upto))
        for index, event in enumerate(commit.events):
            if "sealed" in event:
                _check_envelope(evidence, readers, commit, index)
        _check_request(evidence, readers, commit)
    _check_signed(evidence, commits, losses)


def _check_signed(evidence: Evidence, commits: Sequence[Commit], losses: Sequence[Loss]) -> None:
    """Check that every close up to the greatest checkpoint has a checkpoint; raises `Fault`.

    Numbers of lost commits are exempt, and so are checkpoints of a lost history.
    """
    sizes = {parse(note).size for note in evidence.notes}
    standing = [size for size in sizes if not any(loss.covers(size) for loss in losses)]
    for commit in commits[: max(standing, default=0)]:
        is_closing = any(event.get("type") in CLOSING for event in commit.events)
        is_asked = is_closing and not any(loss.covers(commit.n) for loss in losses)
        if is_asked and commit.n not in sizes:
            name = TAMPERED if evidence.seat == EVERYBODY else MALFORMED
            raise Fault(Verdict(name, commit.n, "the commit closes an epoch, and its checkpoint is missing"))


def _check_envelope(evidence: Evidence, readers: Sequence[Reader], commit: Commit, index: int) -> None:
    is_here = (commit.n, index) in evidence.opened
    if evidence.seat == EVERYBODY:
        if not is_here:
            raise Fault(Verdict(TAMPERED, commit.n, f"the payload of envelope {index} is missing"))
        return
    may = any(reader.may_open(commit.events[index]) for reader in readers)
    if may and not is_here:
        detail = f"envelope {index} is open to {evidence.seat}, and its payload is missing"
        raise Fault(Verdict(MALFORMED, commit.n, detail))
    if is_here and not may:
        raise Fault(Verdict(MALFORMED, commit.n, f"envelope {index} is not open to {evidence.seat}"))


def _check_request(evidence: Evidence, readers: Sequence[Reader], commit: Commit) -> None:
    request, seat = evidence.requests[commit.n - 1], evidence.seat
    if seat == EVERYBODY:
        return
    if request is None and any(may_read_request(commit, reader, "") for reader in readers):
        raise Fault(Verdict(MALFORMED, commit.n, f"the request is open to {seat}, and it is withheld"))
    if request is not None and not any(may_read(reader, request, commit) for reader in readers):
        raise Fault(Verdict(MALFORMED, commit.n, f"the request is not open to {seat}"))
