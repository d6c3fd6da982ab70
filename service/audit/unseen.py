"""List what came between the head that a seat signed on and its command, and hold it to a reader's bound.

A host can hold a signed command back. What it decides meanwhile stands in the record, and a reader says how
much of that is too much.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from service.audit.beginnings import repeated
from service.audit.report import Report
from service.audit.verdict import OUTDATED, Verdict
from service.audit.witness_policy import MostUnseen
from service.record.commit import Commit, Request

Data = dict[str, Any]


def unseen(
    commits: Sequence[Commit], requests: Sequence[Request | None], decisions: Sequence[Data]
) -> tuple[Data, ...]:
    """Return what came between the head that a seat signed on and its command, of each where something did.

    Each has `n`, `seat`, `head`, the number of `commits` of others between them, and how many of these made
    `decisions`. The head is that of the statement, which has been checked. What a line of play repeats was
    signed in the line before, where its head has its place.
    """
    sent: dict[str, list[int]] = {}
    for n, request in enumerate(requests, 1):
        if request is not None:
            sent.setdefault(request.actor.seat, []).append(n)
    decided = sorted({each["n"] for each in decisions})
    own_decided: dict[str | None, set[int]] = {}
    for each in decisions:
        own_decided.setdefault(each["seat"], set()).add(each["n"])
    owned = {seat: sorted(numbers) for seat, numbers in own_decided.items()}
    found: list[Data] = []
    exempt = repeated(commits)
    for commit, request in zip(commits, requests, strict=True):
        if request is None or request.signed is None or commit.n in exempt:
            continue
        seat, head = request.actor.seat, request.signed.n
        others = max(0, commit.n - 1 - head) - _between(sent[seat], head, commit.n)
        if others > 0:
            own = _between(owned.get(seat, ()), head, commit.n)
            made = _between(decided, head, commit.n) - own
            found.append({"n": commit.n, "seat": seat, "head": head, "commits": others, "decisions": made})
    return tuple(found)


def _between(numbers: Sequence[int], head: int, n: int) -> int:
    """Return how many of *numbers*, which rise, are above *head* and below *n*."""
    return max(0, bisect_left(numbers, n) - bisect_right(numbers, head))


def hold_to_bound(report: Report, most: MostUnseen) -> Report:
    """Return *report*, or that a command came later than *most* allows: the first that did."""
    for each in report.unseen:
        if each["commits"] > most.commits or each["decisions"] > most.decisions:
            came = f"{each['commits']} commits of others came between, {each['decisions']} of them decisions"
            detail = f"{each['seat']} signed it on commit {each['head']}; {came}"
            return replace(report, verdict=Verdict(OUTDATED, each["n"], detail))
    return report
