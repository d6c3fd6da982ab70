"""Find the snapshot nearest below a commit, and ask for snapshots where they are missing.

A snapshot at the end of every interval bounds the cost of any past state. Snapshots are never evidence: one
that is damaged, of other rules, or of another history is skipped for the one below it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from service.core.decide import FoldedState
from service.core.snapshot import folded_from
from service.log.protocol import Log
from service.log.values import RULES_DIGITS, CachedState, SnapshotName
from service.record import intervals
from service.record.commit import load_commit
from service.record.digest import ruleset_digest
from service.rules.ruleset import Ruleset

_TRIES: Final = 8
"""Snapshots to try, from the nearest down, before folding from commit 1."""


def nearest(log: Log, encounter: str, ruleset: Ruleset[Any], upto: int) -> FoldedState[Any] | None:
    """Return the usable snapshot with the greatest n <= *upto*; None if there is none."""
    reads: list[tuple[int, Callable[[], CachedState | None]]] = [
        (name.n, lambda name=name: log.snapshot(encounter, name))  # type: ignore[misc]  # bound now
        for name in (named(log, encounter, ruleset) if upto >= intervals.EVERY else ())
        if name.n <= upto
    ]
    newest = log.state(encounter)
    if newest is not None and 0 < newest.n <= upto:
        reads.append((newest.n, lambda: newest))
    for _, read in sorted(reads, key=lambda each: -each[0])[:_TRIES]:
        cached = read()
        if cached is not None and is_of_record(log, encounter, cached):
            folded = folded_from(encounter, ruleset, cached)
            if folded is not None:
                return folded
    return None


def named(log: Log, encounter: str, ruleset: Ruleset[Any]) -> list[SnapshotName]:
    """Return the names of the snapshots that were taken under *ruleset*, the earliest commit first."""
    rules = ruleset_digest(ruleset)[:RULES_DIGITS]
    return [name for name in log.snapshots(encounter) if name.rules == rules]


def is_of_record(log: Log, encounter: str, cached: CachedState) -> bool:
    """Return whether *cached* matches the commits that are stored now."""
    entries = log.commits(encounter, cached.n - 1, 1)
    return bool(entries) and entries[0].n == cached.n and load_commit(entries[0].raw).hash == cached.hash


def ask(log: Log, encounter: str, ruleset: Ruleset[Any]) -> None:
    """Have a worker make the snapshots that *encounter* lacks."""
    intervals.ask(log, encounter, ruleset_digest(ruleset)[:RULES_DIGITS])
