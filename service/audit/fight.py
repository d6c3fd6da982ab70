"""Audit a whole fight: every line of play in a bundle, and how each continues an earlier one.

The line that is played is judged last, and its verdict is that of the fight, if nothing is wrong with the
lines that rulings took back. A line whose earlier lines are missing is a part: it has a verdict of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from service.audit.beginnings import Beginning, beginnings
from service.audit.evidence import Evidence
from service.audit.lines import AuditedLine, OpenLines, seam_fault
from service.audit.progress import Progress, unheard
from service.audit.redecide import Known
from service.audit.report import Report, RuledLine
from service.audit.verdict import NOT_ACCEPTED, SIGNED, VALID_IN_PART, Verdict
from service.audit.verify import verify
from service.core.fold import Registry
from service.record.commit import Commit
from service.record.subjects import LINE_BEGUN
from service.rules.contests.amendments import AmendmentProposed
from service.rules.contests.continuing import Forked
from service.rules.rolls.draws import StreamRedirected


def verify_fight(
    fight: Sequence[Evidence],
    registry: Registry,
    *,
    span: tuple[int, int] | None = None,
    without_rules: bool = False,
    repeats_killed: bool = False,
    progress: Progress = unheard,
) -> Report:
    """Return the report of an audit of *fight*, whose last line is the one that is played.

    Arguments are those of `verify`; *span* is of the last line, and with it the lines before are not decided.
    """
    known = Known(raw for evidence in fight for raw in _left_at(evidence.commits))
    sound: list[Report] = []
    for evidence in fight:
        is_last = evidence is fight[-1]
        report = verify(
            evidence,
            registry,
            span=span if is_last else None,
            without_rules=without_rules or (span is not None and not is_last),
            repeats_killed=repeats_killed,
            progress=progress,
            known=Known() if span is not None else known,
        )
        if not report.verdict.is_sound:
            return report if is_last else aside(report, evidence)
        sound.append(report)
    lines = [AuditedLine.of(each) for each in fight]
    by_id = {line.evidence.encounter: line for line in lines}
    for line in lines:
        if line.begun is not None and line.begun.accepted is None:
            detail = f"commit {line.begun.n} begins a line of play that nobody has accepted"
            unaccepted = replace(sound[-1], verdict=Verdict(NOT_ACCEPTED, line.begun.n, detail))
            return unaccepted if line is lines[-1] else aside(unaccepted, line.evidence)
    again = None if without_rules or lines[-1].begun is None else OpenLines(registry)
    above: dict[str, AuditedLine] = {}
    for line in lines:
        found = _seam(line, by_id, above, again)
        above[line.evidence.encounter] = line
        if again is not None:
            again = again.with_(line)
        if found is not None:
            broken = replace(sound[-1], verdict=found)
            return broken if line is lines[-1] else aside(broken, line.evidence)
    verdict = _whole(lines, by_id, [each.verdict for each in sound])
    missing = list(_missing(lines[-1], by_id))
    as_fork = _least([each.verdict for each in sound]) if [n for n, _ in missing] == [1] else None
    return replace(
        sound[-1],
        verdict=verdict,
        lines=tuple(ruled_lines(lines, by_id)),
        as_fork=as_fork,
        signed_sizes=tuple(each.signed.size for each in sound),
    )


def _left_at(commits: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the commits of an unchecked record behind which another line may begin."""
    trace = LINE_BEGUN.traces[0]
    return (before for before, raw in pairwise(commits) if trace in raw)


def with_parent(report: Report) -> Report:
    """Return the report of a fork whose parent proves its first state."""
    return report if report.as_fork is None else replace(report, verdict=report.as_fork)


def aside(report: Report, evidence: Evidence) -> Report:
    """Return *report* about a line that was taken back, and say so."""
    detail = f"in the line {evidence.encounter}, which was taken back: {report.verdict.detail}"
    return replace(report, verdict=replace(report.verdict, detail=detail))


def _seam(
    line: AuditedLine,
    by_id: Mapping[str, AuditedLine],
    above: Mapping[str, AuditedLine],
    again: OpenLines | None,
) -> Verdict | None:
    """Return what is wrong where *line* begins; None if nothing is, or if its earlier lines are missing.

    Those that are *above* it in the file are the ones that it may continue.
    """
    earlier = _earlier(line, by_id)
    return None if earlier is None else seam_fault(line, *earlier, above, again)


def _earlier(line: AuditedLine, by_id: Mapping[str, AuditedLine]) -> tuple[AuditedLine, AuditedLine] | None:
    """Return the line that *line* continues and the one in which that was ruled; None if one is missing."""
    if line.begun is None:
        return None
    origin = line.begun.origin
    parent, ruled = by_id.get(origin["parent"]), by_id.get(origin["ruled_in"] or origin["parent"])
    is_there = parent is not None and ruled is not None and line not in (parent, ruled)
    return (parent, ruled) if is_there and parent is not None and ruled is not None else None


def _whole(
    lines: Sequence[AuditedLine], by_id: Mapping[str, AuditedLine], verdicts: Sequence[Verdict]
) -> Verdict:
    """Return the verdict on sound lines: that of the last, unless it is a part, or another says less."""
    missing = next((each for line in (lines[-1], *lines) for each in _missing(line, by_id)), None)
    if missing is not None:
        return Verdict(VALID_IN_PART, missing[0], missing[1])
    return _least(verdicts)


def _least(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the last of sound *verdicts*, or one that says less."""
    least = min(verdicts, key=lambda each: SIGNED.index(each.extent or ""))
    return verdicts[-1] if least.extent == verdicts[-1].extent else least


def _missing(played: AuditedLine, by_id: Mapping[str, AuditedLine]) -> Iterator[tuple[int, str]]:
    """Yield each commit at which the file lacks what it continues, and what that is."""
    first = played.commits[0].events[0] if played.commits[0].events else {}
    if first.get("type") == Forked.type:
        yield 1, f"it is a fork of {first['origin']['parent']}, whose record is not in this file"
    for begun in beginnings(played.commits):
        line = by_id.get(begun.line)
        if line is None or _earlier(line, by_id) is None:
            yield begun.n, f"what {begun.line} continues and took back is not in this file"


# --- what was ruled --------------------------------------------------------------------------------------


def ruled_lines(lines: Sequence[AuditedLine], by_id: Mapping[str, AuditedLine]) -> Iterator[RuledLine]:
    """Yield each accepted ruling of a fight, in the order of its lines."""
    for line in lines:
        begun, earlier = line.begun, _earlier(line, by_id)
        if begun is None or earlier is None or begun.accepted is None:
            continue
        parent, ruled = earlier
        n, event = _proposal(ruled.commits, begun)
        request = ruled.request(n)
        last = n - 1 if begun.origin["kind"] != "redo" else _last(ruled, n)
        first = begun.n if begun.origin["kind"] != "redo" else _first(ruled)
        yield RuledLine(
            line=line.evidence.encounter,
            n=begun.n,
            kind=str(begun.origin["kind"]),
            by="" if request is None else request.actor.seat,
            decision=str(event.get("decision") or event.get("reason") or ""),
            parent=parent.evidence.encounter,
            took_back=(first, last) if first <= last else None,
            drawn_anew=_drawn_anew(line.commits[begun.n - 1 :]),
        )


def _first(ruled: AuditedLine) -> int:
    """Return the first commit of the line that a redo leaves: that of its undo."""
    return ruled.begun.n if ruled.begun is not None else 1


def _last(ruled: AuditedLine, proposed: int) -> int:
    return proposed - 1 if ruled.begun is not None else 0


def _proposal(commits: Sequence[Commit], begun: Beginning) -> tuple[int, Mapping[str, Any]]:
    wanted = (AmendmentProposed.type, begun.origin["amendment"])
    found = [
        (commit.n, event)
        for commit in commits
        for event in commit.events
        if (event.get("type"), event.get("amendment")) == wanted
    ]
    return found[-1]


def _drawn_anew(commits: Sequence[Commit]) -> int:
    """Return how many streams were drawn from other dice, up to where another line begins."""
    count = 0
    for i, commit in enumerate(commits):
        types = [event.get("type") for event in commit.events]
        if i and "line_begun" in types:
            break
        count += types.count(StreamRedirected.type)
    return count
