"""Check that accepted keys have signed enough of a record.

A finished fight discloses its seeds, so anybody who has the rules can decide other commands with true dice.
Anybody may have written commits that no accepted head covers. A closed record must be covered to its last
commit, and so must one whose bundle discloses links beside its commits. An open one must be covered to the
last commit that closed an epoch or accepted a loss: hosts sign these at once, and only later commits of the
open epoch may wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from service.audit.evidence import Evidence
from service.audit.history import claimed_losses
from service.audit.signatures import Signed
from service.audit.verdict import UNSIGNED_FROM, Fault, Verdict
from service.record.commit import Commit
from service.rules.contests.amendments import Continued
from service.rules.rolls.closing import EncounterClosed, EpochClosed

ENDING: Final = (EncounterClosed.type, Continued.type)
"""Types of events that close the record: no play follows them."""


def check_coverage(evidence: Evidence, commits: Sequence[Commit], signed: Signed) -> None:
    """Check that the greatest accepted head covers every commit that must be signed; raises `Fault`.

    Checks nothing if no key was given and nothing is signed: the verdict's name says so.
    """
    if not evidence.pinned and not evidence.notes:
        return
    owed = _owed(evidence, commits)
    if signed.size and signed.size >= owed:
        return
    detail = (
        f"accepted heads cover {signed.size} of {len(commits)} commits, and must cover commit {owed}"
        if signed.size
        else "no accepted key has signed any commit of this record"
    )
    raise Fault(Verdict(UNSIGNED_FROM, signed.size + 1, detail))


def _owed(evidence: Evidence, commits: Sequence[Commit]) -> int:
    """Return the number of the last commit that a head must cover."""
    types = [(commit.n, event.get("type")) for commit in commits for event in commit.events]
    if evidence.links or any(type_ in ENDING for _, type_ in types):
        return len(commits)  # links beside the commits come from a continuation, so this line is closed
    closes = [n for n, type_ in types if type_ == EpochClosed.type]
    return max([*closes, *(loss.accepted_in for loss in claimed_losses(commits))], default=0)
