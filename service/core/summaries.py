"""Summarize an encounter in a few bytes that are written with each commit, so that a list folds nothing.

Laws. A summary is what the gm's seat may see, and only the encounter's owner reads it; `status`, `round` and
`winner` are public. It is a mark of the record, written in the same step as its commit, so it is never older
or newer than the encounter. It is no part of any hash.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal

from service.rules.kernel.sealed import view
from service.rules.ruleset import Ruleset, waiting
from service.rules.table.table import GM, Table

Status = Literal["open", "over", "closed", "continued"]
STATUSES: Final[tuple[Status, ...]] = ("open", "over", "closed", "continued")

MARK: Final = "summary"
"""The mark that holds the summary of the last commit."""

OBJECT: Final = "object"
"""The kind of a creature that is a thing, which wins nothing."""


def status_of(state: Table) -> Status:
    """Return the status of an encounter: one meaning wherever the API shows one.

    `over`: the fight has ended, but the encounter is not closed. `continued`: another line continues it.
    """
    if state.continued is not None:
        return "continued"
    if state.closed:
        return "closed"
    return "over" if state.is_over else "open"


def summary_mark(ruleset: Ruleset[Any], before: Table, after: Table, at: str) -> Mapping[str, bytes]:
    """Return the mark of a commit at the time *at*; none if the encounter was closed *before* it."""
    if before.closed:
        return {}
    summary = {
        "status": status_of(after),
        "round": after.round,
        "waiting": waiting_seats(after),
        "winner": winner(ruleset, after),
        "closed_at": at if status_of(after) == "closed" else None,
        "continued": after.continued,
    }
    return {MARK: json.dumps(summary, separators=(",", ":")).encode()}


def read_summary(blob: bytes) -> dict[str, Any]:
    """Return the members of the summary in a mark."""
    found: dict[str, Any] = json.loads(blob)
    return found


def winner(ruleset: Ruleset[Any], state: Table) -> str | None:
    """Return who won the fight, a side or a creature; None if nobody did or it is not over.

    The ruleset may say it; else it is the only side with a creature that stands.
    """
    if not state.is_over or state.won_by is not None:
        return state.won_by if state.is_over else None
    seen = ruleset.tokens(view(state, GM))
    sides = {
        each.side: None
        for each in seen
        if each.status == "active" and not each.hidden and each.kind != OBJECT
    }
    return next(iter(sides)) if len(sides) == 1 else None


def waiting_seats(state: Table) -> list[dict[str, Any]]:
    """Return whose turn it is, as the gm may know it: each seat that may answer, and for which creatures."""
    found: dict[tuple[str, bool], list[str]] = {}
    for awaited in waiting(view(state, GM)):
        creatures = found.setdefault((awaited.seat, awaited.optional), [])
        if awaited.creature and awaited.creature not in creatures:
            creatures.append(awaited.creature)
    return [
        {"seat": seat or None, "creatures": creatures, "optional": optional}
        for (seat, optional), creatures in sorted(found.items(), key=lambda each: each[0][1])
    ]
