"""Check what the host set aside without a decision: a veto has a cause, and the cause can be repeated."""

from __future__ import annotations

from collections.abc import Sequence

from service.audit.history import claims_a_loss
from service.audit.verdict import FALSE_QUARANTINE, Fault, Verdict
from service.record.commit import QUARANTINED, Commit
from service.record.quarantine import DISPUTED


def check_disputed(commits: Sequence[Commit]) -> None:
    """Raise `Fault` for a command set aside as disputed, unless a loss is accepted right after it.

    At the end of the record the acceptance may still be missing.
    """
    suspect: int | None = None
    for commit in commits:
        if commit.outcome == QUARANTINED:
            if suspect is None and cause_of(commit) == DISPUTED:
                suspect = commit.n
        elif suspect is not None and not any(claims_a_loss(event) for event in commit.events):
            detail = f"it was set aside as disputed, and commit {commit.n} accepts no loss"
            raise Fault(Verdict(FALSE_QUARANTINE, suspect, detail))
        else:
            suspect = None


def cause_of(commit: Commit) -> str:
    """Return why a quarantined commit says that it was set aside."""
    assert commit.quarantine is not None, "a quarantined commit says why"
    return str(commit.quarantine["cause"])
