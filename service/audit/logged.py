"""Hold a record to the public log, under somebody's policy.

The log says which histories the host has committed to before everybody. A record that the log contradicts,
or of which it knows nothing, or too late, is not the one that others were shown.

Laws. The record is judged before this, so only sound records come here. The first check that fails gives the
verdict, in the order of `docs/format.md`. Without the log's times (no witnesses) nothing is said about time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from service.audit.evidence import Evidence
from service.audit.history import claimed_losses
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
from service.record.commit import ACCEPTED, Commit, load_commit
from service.record.log_entries import OPENING
from service.rules.contests.amendments import Continued
from service.rules.rolls.closing import EncounterClosed, EpochClosed

LOGGED: Final = "logged"
DELAY_S: Final = 86_400
"""How long after a commit's time witnesses may have seen it first, if nothing else is asked."""
AHEAD_S: Final = 300
"""How far the host's clock may be ahead of the witnesses'."""

_ENDS: Final = (EncounterClosed.type, Continued.type)
_CLOSES: Final = (EpochClosed.type, *_ENDS)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


def hold_to_log(
    report: Report, evidence: Evidence, view: LogView, policy: Policy, delay_s: int = DELAY_S
) -> Report:
    """Return *report* with the finding `logged`, or with the verdict that the log gives."""
    commits = [load_commit(raw) for raw in evidence.commits]
    try:
        _check_agreement(commits, report, view)
        owed = _owed(commits, view, policy, delay_s)
        _check_policy(owed, view, policy)
        _check_times(commits, owed, view, policy, delay_s)
    except Fault as fault:
        return replace(report, verdict=fault.verdict)
    return replace(report, findings=(*report.findings, Finding(LOGGED, log_summary(view, policy, len(owed)))))


def judge_log(
    report: Report, evidence: Evidence, proof: bytes, policy: Policy | None, delay_s: int = DELAY_S
) -> Report:
    """Return *report* with what the log proof *proof* says of its record.

    Without logs in *policy*, the accepted keys of the record are those of the log, too.
    """
    wanted = policy or Policy()
    logs = wanted.logs or tuple(
        Party(log_name(origin), public)
        for public, origin in accepted_keys(evidence).items()
        if origin is not None
    )
    try:
        view = read(proof, evidence.encounter, logs, wanted)
    except BadLogProof as fault:
        return replace(report, verdict=Verdict(BAD_LOG_PROOF, detail=str(fault)))
    return hold_to_log(report, evidence, view, wanted, delay_s)


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


def _check_agreement(commits: Sequence[Commit], report: Report, view: LogView) -> None:
    """Compare every entry with the record; heads of a history that the record says was lost are set aside."""
    wanted = {each.entry.size for each in view.entries}
    roots, tree = {}, Frontier()
    for commit in commits:
        tree = tree.append(bytes.fromhex(commit.hash))
        if tree.size in wanted:
            roots[tree.size] = tree.root().hex()
    losses = [loss for loss in claimed_losses(commits) if loss.accepted_in <= report.signed.size]
    beyond = 0
    for each in sorted(view.entries, key=lambda logged: logged.entry.size):
        size = each.entry.size
        if roots.get(size) == each.entry.hash or any(loss.covers(size) for loss in losses):
            continue
        if size in roots:
            detail = f"entry {each.index} of the log has another history of {size} commits"
            raise Fault(Verdict(LOG_CONTRADICTED, size, detail))
        beyond = max(beyond, size)
    if beyond:
        detail = f"the log knows {beyond} commits of this encounter"
        raise Fault(Verdict(TRUNCATED, len(commits) + 1, detail, to=beyond))


def _owed(
    commits: Sequence[Commit], view: LogView, policy: Policy, delay_s: int
) -> list[tuple[int, LoggedEntry]]:
    """Return what must be in the log, by commit, each with its first entry; raises `Fault` if one is missing.

    Of a closed record everything must be. Of an open one the opening, what lies below a logged head, and what
    is older than the delay by the newest time of the witnesses.
    """
    found: dict[tuple[bool, int], LoggedEntry] = {}
    for each in view.entries:
        found.setdefault((each.entry.kind == OPENING, each.entry.size), each)
    types = {commit.n: [event.get("type") for event in commit.events] for commit in commits}
    is_closed = any(type_ in _ENDS for each in types.values() for type_ in each)
    greatest = max((size for _, size in found), default=0)
    newest = policy.met_at(view.points[-1].times) if view.points else None
    owed = []
    for commit in commits:
        if commit.encounter != commits[-1].encounter:  # of an earlier line, which has entries of its own
            continue
        if commit.n == 1 and commit.outcome == ACCEPTED:
            owed.append((commit.n, found.get((True, 1))))
        if not any(type_ in _CLOSES for type_ in types[commit.n]):
            continue
        at = _seconds(commit.at)
        is_old = newest is not None and (at is None or at + delay_s < newest)
        if is_closed or commit.n <= greatest or is_old:
            owed.append((commit.n, found.get((False, commit.n))))
    for n, entry in owed:
        if entry is None:
            what = "the opening" if n == 1 else "the close"
            raise Fault(Verdict(UNLOGGED, n, f"{what} is not in the log"))
    return [(n, entry) for n, entry in owed if entry is not None]


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
