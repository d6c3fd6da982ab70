"""Print a run as a table: what was killed, what clients did, how long it took to come back, what is wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from tests.nemesis.measures import ANSWER_AIM_S, BACKLOG_AIM_S, WAIT_AIM_S, Recovery, counts
from tests.nemesis.run import Outcome

SHOWN: Final = 40
"""Violations that are printed; all of them follow from the history that is kept."""


def table(outcome: Outcome) -> str:
    """Return the whole table, with a line feed at its end."""
    return "".join(f"{line}\n" for line in _lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    by_what: dict[str, list[Recovery]] = defaultdict(list)
    for each in outcome.recoveries:
        by_what[each.what].append(each)
    yield f"{'fault':32} {'times':>5} {'kills':>5} {'in flight':>9} {'next answer':>12} {'backlog':>9}"
    for what, found in sorted(
        by_what.items(), key=lambda item: (-sum(each.kills for each in item[1]), item[0])
    ):
        yield _row(what, found)
    yield _row("all", [each for found in by_what.values() for each in found])
    yield from _clients(outcome)
    yield from _verdict(outcome)


def _row(what: str, found: list[Recovery]) -> str:
    kills = sum(each.kills for each in found)
    met = f"{100 * sum(each.in_flight > 0 for each in found) // max(1, len(found))} %"
    answer = _longest(each.answer_s for each in found)
    backlog = _longest(each.backlog_s for each in found)
    return f"{what:32} {len(found):5} {kills:5} {met:>9} {answer:>12} {backlog:>9}"


def _longest(seconds: Iterable[float | None]) -> str:
    known = [each for each in seconds if each is not None]
    return f"{max(known):.1f} s" if known else "-"


def _clients(outcome: Outcome) -> Iterator[str]:
    found = counts(outcome.history)
    yield (
        f"{found.invoked:,} attempts: {found.ok:,} acknowledged, {found.fail:,} failed, "
        f"{found.unknown:,} unknown; "
        f"{found.settled_on + found.settled_off:,} requests with an unknown attempt were settled, "
        f"{found.settled_on:,} of them on the record, {found.unsettled:,} never"
    )
    yield (
        f"{outcome.commits:,} commits in {outcome.encounters:,} encounters; disk: {outcome.disk}; "
        f"starts of serve that were refused: {outcome.refused_starts}; {outcome.seconds:.0f} s"
    )
    waits, (taken, refused) = outcome.waits, outcome.greedy
    yield (
        f"beside a greedy owner ({taken:,} commands, {refused:,} arrays refused) others waited "
        f"{_longest(waits.in_peace)} for a decision (law: {WAIT_AIM_S:g} s), "
        f"{_longest(waits.after_kills)} after a kill (law: {BACKLOG_AIM_S:g} s): {waits.late} too long"
    )
    late = [
        each
        for each in outcome.recoveries
        if (each.answer_s or 0) > ANSWER_AIM_S or (each.backlog_s or 0) > BACKLOG_AIM_S
    ]
    yield (
        f"later than aimed at ({ANSWER_AIM_S:g} s to an answer, {BACKLOG_AIM_S:g} s to an empty backlog): "
        f"{len(late)} of {len(outcome.recoveries)}"
    )


def _verdict(outcome: Outcome) -> Iterator[str]:
    yield f"violations: {len(outcome.violations)}"
    for violation in outcome.violations[:SHOWN]:
        yield f"  {violation}"
    if outcome.faults:
        yield f"faults: {len(outcome.faults)}"
        yield from (f"  {fault}" for fault in outcome.faults[:SHOWN])
    if outcome.is_void:
        yield "void: too few kills met a request in flight"
    if not outcome.is_good or outcome.is_void:
        yield f"kept: seed {outcome.plan.seed}, {outcome.directory}"
