"""Summarize an encounter in a few bytes that are written with each commit, so that a list folds nothing.

Laws. A summary is what the gm's seat may see, and only the encounter's owner reads it; `status`, `round` and
`winner` are public. It is a mark of the record, written in the same step as the last of the commits that a
worker writes together, so it is as new as the encounter once no command waits. It is no part of any hash.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from service.log.values import CommitWrite
from service.rules.kernel.meter import READING, Meter, TooMuchWork
from service.rules.kernel.sealed import view
from service.rules.ruleset import waiting
from service.rules.table.table import GM, Table

Status = Literal["open", "over", "closed", "continued"]
STATUSES: Final[tuple[Status, ...]] = ("open", "over", "closed", "continued")

MARK: Final = "summary"
"""The mark that holds the summary of the last commit."""


def status_of(state: Table) -> Status:
    """Return the status of an encounter: one meaning wherever the API shows one.

    `over`: the fight has ended, but the encounter is not closed. `continued`: another line continues it.
    """
    if state.continued is not None:
        return "continued"
    if state.closed:
        return "closed"
    return "over" if state.is_over else "open"


def summarized(write: CommitWrite, after: Table, closed_at: str | None = None) -> CommitWrite:
    """Return *write* with the summary of the state *after* it as a mark.

    *closed_at* is the time of the commit if it closes the encounter; a later commit has no summary. Of
    commits that are written together the last alone needs it: a summary costs a fifth of a decision.
    """
    status = status_of(after)
    summary = {
        "status": status,
        "round": after.round,
        "waiting": waiting_seats(after),
        "winner": winner(after),
        "closed_at": closed_at if status == "closed" else None,
        "continued": after.continued,
    }
    mark = json.dumps(summary, separators=(",", ":")).encode()
    return write._replace(marks={**write.marks, MARK: mark})


def last_summarized(writes: list[CommitWrite], after: Table) -> list[CommitWrite]:
    """Return *writes*, the last with the summary of the state *after* them; a closed encounter has one."""
    return writes if not writes or after.closed else [*writes[:-1], summarized(writes[-1], after)]


def read_summary(blob: bytes) -> dict[str, Any]:
    """Return the members of the summary in a mark."""
    found: dict[str, Any] = json.loads(blob)
    return found


def winner(state: Table) -> str | None:
    """Return who won the fight, a side or a creature; None if nobody did or it is not over."""
    return state.won_by if state.is_over else None


def waiting_seats(state: Table) -> list[dict[str, Any]]:
    """Return whose turn it is, as the gm may know it: each seat that may answer, and for which creatures.

    Nobody's if to find it takes more work than a read may take.
    """
    found: dict[tuple[str, bool], list[str]] = {}
    try:
        with Meter(READING, is_lenient=True):
            every = waiting(view(state, GM))
    except TooMuchWork:
        return []
    for awaited in every:
        creatures = found.setdefault((awaited.seat, awaited.optional), [])
        if awaited.creature and awaited.creature not in creatures:
            creatures.append(awaited.creature)
    return [
        {"seat": seat or None, "creatures": creatures, "optional": optional}
        for (seat, optional), creatures in sorted(found.items(), key=lambda each: each[0][1])
    ]
