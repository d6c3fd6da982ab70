"""Hold a fight to the public log, under somebody's policy.

The log says which histories the host has committed to before everybody. A record that the log contradicts,
or of which it knows nothing, or too late, is not the one that others were shown. Each line of play owes the
log its opening, or that it goes on from another line, and every close behind that.

Laws. The fight is judged before this, so only sound ones come here. The first check that fails gives the
verdict, in the order of `docs/format-verdicts.md`. Without the log's times (no witnesses) nothing is
said about time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from service.audit.beginnings import Beginning
from service.audit.evidence import Evidence
from service.audit.fight import aside
from service.audit.history import claimed_losses
from service.audit.lines import AuditedLine
from service.audit.log_proof import BadLogProof, LoggedEntry, LogView, read
from service.audit.log_writer import log_name
from service.audit.report import Report
from service.audit.signatures import accepted_keys
from service.audit.tree import Frontier
from service.audit.verdict import (
    BAD_LOG_PROOF,
    LOG_CONTRADICTED,
    MISDATED,
    TRUNCATED,
    UNLOGGED,
    UNWITNESSED,
    Fault,
    Finding,
    Verdict,
)
from service.audit.witness_policy import NONE, Party, Policy
from service.record.commit import ACCEPTED, Commit
from service.record.log_entries import END, HEAD, LINE, OPENING, LogEntry
from service.rules.contests.amendments import Continued
from service.rules.rolls.closing import EncounterClosed, EpochClosed

LOGGED: Final = "logged"
DELAY_S: Final = 86_400
"""How long after a commit's time witnesses may have seen it first, if nothing else is asked."""
AHEAD_S: Final = 300
"""How far the host's clock may be ahead of the witnesses'."""

_ENDS: Final = (EncounterClosed.type, Continued.type)
_CLOSES: Final = (EpochClosed.type, *_ENDS)
_OWED: Final = {
    OPENING: "the opening",
    LINE: "that this line goes on from another one",
    HEAD: "the close",
    END: "the end of this line",
}
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


@dataclass(frozen=True)
class _LoggedLine:
    """A line of play of a sound fight, and what the log has of it."""

    encounter: str
    commits: Sequence[Commit]
    begun: Beginning | None
    """Where it begins in its record; None for the first line of a fight."""
    entries: Sequence[LoggedEntry]
    signed: int
    """The size of its greatest signed head."""

    @property
    def own(self) -> Sequence[Commit]:
        """Its commits from its acceptance on; of the first line all."""
        return (
            self.commits if self.begun is None else self.commits[(self.begun.accepted or self.begun.n) - 1 :]
        )


def judge_log(
    report: Report,
    fight: Sequence[Evidence],
    proof: bytes,
    policy: Policy | None,
    delay_s: int = DELAY_S,
) -> Report:
    """Return *report* on the sound lines of *fight* with what the log proof *proof* says of them.

    That is the finding `logged`, or the verdict that the log gives. Without logs in *policy*, the accepted
    keys of the line that is played are those of the log, too.
    """
    wanted = policy or Policy()
    logs = wanted.logs or tuple(
        Party(log_name(origin), public)
        for public, origin in accepted_keys(fight[-1]).items()
        if origin is not None
    )
    try:
        view = read(proof, [evidence.encounter for evidence in fight], logs, wanted)
    except BadLogProof as fault:
        return replace(report, verdict=Verdict(BAD_LOG_PROOF, detail=str(fault)))
    owed = 0
    for evidence, signed in zip(fight, report.signed_sizes, strict=True):
        try:
            owed += _held_line(_line(evidence, view, signed), view, wanted, delay_s)
        except Fault as fault:
            found = replace(report, verdict=fault.verdict)
            return found if evidence is fight[-1] else aside(found, evidence)
    return replace(report, findings=(*report.findings, Finding(LOGGED, log_summary(view, wanted, owed))))


def _line(evidence: Evidence, view: LogView, signed: int) -> _LoggedLine:
    line = AuditedLine.of(evidence)
    entries = [each for each in view.entries if each.entry.encounter == evidence.encounter]
    return _LoggedLine(evidence.encounter, line.commits, line.begun, entries, signed)


def _held_line(line: _LoggedLine, view: LogView, policy: Policy, delay_s: int) -> int:
    """Hold one line to the log, and return how many entries it owes; raises `Fault`."""
    agreeing = _check_agreement(line)
    owed = _owed(line, agreeing, view, policy, delay_s)
    _check_policy(owed, view, policy)
    _check_times(line.commits, owed, view, policy, delay_s)
    return len(owed)


def log_summary(view: LogView, policy: Policy, owed: int) -> str:
    """Return in words what the log shows, and how far the policy is met."""
    if not view.points:
        return "the log has no checkpoint"
    newest = view.points[-1].checkpoint
    said = [f"{owed} statements of {newest.origin}, which has {newest.size} entries"]
    for name in policy.witnesses:
        seen = [(point.checkpoint.size, point.times[name]) for point in view.points if name in point.times]
        said.append(f"{name} cosigned {seen[-1][0]} of them" if seen else f"{name} cosigned none")
    said.append("no witness is asked for" if policy.quorum == NONE else f"{policy.quorum} is met")
    return "; ".join(said)


def _check_agreement(line: _LoggedLine) -> Sequence[LoggedEntry]:
    """Compare every entry with the record, and return those that agree with it; raises `Fault`.

    Entries of a history that the record says was lost are set aside.
    """
    commits = line.commits
    wanted = {each.entry.size for each in line.entries}
    roots, tree = {}, Frontier()
    for commit in commits:
        tree = tree.append(bytes.fromhex(commit.hash))
        if tree.size in wanted:
            roots[tree.size] = tree.root().hex()
    losses = [loss for loss in claimed_losses(commits) if loss.accepted_in <= line.signed]
    beyond, agreeing = 0, list[LoggedEntry]()
    for each in sorted(line.entries, key=lambda logged: logged.entry.size):
        size = each.entry.size
        if roots.get(size) == each.entry.hash:
            _check_statement(line, each)
            agreeing.append(each)
        elif any(loss.covers(size) for loss in losses):
            continue
        elif size in roots:
            detail = f"entry {each.index} of the log has another history of {size} commits"
            raise Fault(Verdict(LOG_CONTRADICTED, size, detail))
        beyond = max(beyond, size)
    if beyond > len(commits):
        detail = f"the log knows {beyond} commits of this encounter"
        raise Fault(Verdict(TRUNCATED, len(commits) + 1, detail, to=beyond))
    return sorted(agreeing, key=lambda logged: logged.index)


def _check_statement(line: _LoggedLine, logged: LoggedEntry) -> None:
    """Raise `Fault` if an entry with the right root says something else of that commit than the record."""
    entry, n = logged.entry, logged.entry.size
    if entry.kind == OPENING and line.begun is not None:
        detail = f"entry {logged.index} of the log opens this line, which goes on from another one"
        raise Fault(Verdict(LOG_CONTRADICTED, n, detail))
    if entry.kind == LINE and entry != _line_entry(line, entry.hash):
        detail = f"entry {logged.index} of the log says that this line continues another one, or elsewhere"
        raise Fault(Verdict(LOG_CONTRADICTED, n, detail))
    if entry.kind == END and (entry.continued_in or None) not in _ended_by(line.commits[n - 1]):
        detail = f"entry {logged.index} of the log says that commit {n} ends this line, or who continues it"
        raise Fault(Verdict(LOG_CONTRADICTED, n, detail))


def _line_entry(line: _LoggedLine, root: str) -> LogEntry | None:
    """Return the entry that an accepted line with this *root* owes; None if it owes none."""
    begun = line.begun
    if begun is None or begun.accepted is None:
        return None
    origin = begun.origin
    return LogEntry(
        *(LINE, line.encounter, begun.accepted, root),
        parent=origin["parent"],
        n=origin["n"],
        head=origin["hash"],
        ruled_in=origin["ruled_in"] or origin["parent"],
    )


def _ended_by(commit: Commit) -> list[str | None]:
    """Return what *commit* ends its line with: the line that continues it, None if none does."""
    named = [str(event.get("encounter")) for event in commit.events if event.get("type") == Continued.type]
    is_end = any(event.get("type") in _ENDS for event in commit.events)
    return [*named[:1]] if named else [None] * is_end


def _owed(
    line: _LoggedLine, agreeing: Sequence[LoggedEntry], view: LogView, policy: Policy, delay_s: int
) -> list[tuple[int, LoggedEntry]]:
    """Return what must be in the log, by commit, each with the first entry that agrees with the record.

    Raises `Fault` if one is missing. Of a line that has ended everything must be. Of an open one the opening
    or the line, what lies below a logged head, and what is older than the delay by the newest time of the
    witnesses. What a line repeats is bound by its own entry.
    """
    found: dict[tuple[str, int], LoggedEntry] = {}
    for each in agreeing:
        found.setdefault((each.entry.kind, each.entry.size), each)
    own = line.own
    is_closed = any(_ended_by(commit) for commit in own)
    greatest = max((size for _, size in found), default=0)
    newest = policy.met_at(view.points[-1].times) if view.points else None
    owed = []
    for commit in own:
        kinds = [OPENING] if commit.n == 1 and commit.outcome == ACCEPTED else []
        kinds += [LINE] if line.begun is not None and commit.n == line.begun.accepted else []
        at = _seconds(commit.at)
        is_old = newest is not None and (at is None or at + delay_s < newest)
        if any(event.get("type") in _CLOSES for event in commit.events) and (
            is_closed or commit.n <= greatest or is_old
        ):
            kinds.append(END if _ended_by(commit) else HEAD)
        owed += [(commit.n, kind) for kind in kinds]
    for n, kind in owed:
        if (kind, n) not in found:
            raise Fault(Verdict(UNLOGGED, n, f"{_OWED[kind]} is not in the log"))
    return [(n, found[kind, n]) for n, kind in owed]


def _check_policy(owed: Sequence[tuple[int, LoggedEntry]], view: LogView, policy: Policy) -> None:
    for n, logged in owed:
        if not any(policy.is_met(point.times) for point in view.points[logged.point :]):
            seen = sorted({name for point in view.points[logged.point :] for name in point.times})
            by = ", ".join(seen) or "no witness"
            detail = f"its entry is cosigned by {by}, and the policy asks for {policy.quorum}"
            raise Fault(Verdict(UNWITNESSED, n, detail))


def _check_times(
    commits: Sequence[Commit],
    owed: Sequence[tuple[int, LoggedEntry]],
    view: LogView,
    policy: Policy,
    delay_s: int,
) -> None:
    """Compare the time of each commit with that at which the policy's witnesses first saw its entry."""
    if policy.quorum == NONE:
        return
    for n, logged in owed:
        met = (policy.met_at(point.times) for point in view.points[logged.point :])
        seen = next(time for time in met if time is not None)
        at = _seconds(commits[n - 1].at)
        if at is None or not at - AHEAD_S <= seen <= at + delay_s:
            detail = f"its time is {commits[n - 1].at}, and the witnesses saw it at {seen} s since 1970"
            raise Fault(Verdict(MISDATED, n, detail))


def _seconds(text: str) -> int | None:
    """Return the whole seconds since 1970 of a commit's time; None if it is no time."""
    if _TIME.fullmatch(text) is None:
        return None
    try:
        return int(datetime.fromisoformat(text).timestamp() // 1)
    except ValueError:
        return None
