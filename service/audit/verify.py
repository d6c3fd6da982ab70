"""Audit an encounter: check its bytes, then its dice, then decide every command again.

The first check that fails gives the verdict. The audit is a pure function of the evidence and the available
rules: no clock, no store, no secret. It reports what was checked, by which code and up to where, and never
says "fair". Opened envelopes come with their salts, so deciding again must make the same commitments (see
`redecide`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.audit.beginnings import begun_by
from service.audit.decisions import decisions_of
from service.audit.dice import Proof, prove, setup_of
from service.audit.evidence import Evidence
from service.audit.history import seats_of
from service.audit.integrity import examine
from service.audit.progress import Progress, unheard
from service.audit.receipts import SignedReceipt
from service.audit.redecide import DiceLine, Known, Redecider
from service.audit.report import DIFFERENT, EQUAL, NOT_COMPARED, Report
from service.audit.seat_keys import keys_of
from service.audit.signatures import UNSIGNED
from service.audit.tree import root
from service.audit.unseen import unseen
from service.audit.verdict import (
    RECEIPT_MISMATCH,
    STATE_MISMATCH,
    UNKNOWN_EDITION,
    VALID,
    VALID_AS_OPENED,
    VALID_TO_EPOCH,
    VALID_WITHOUT_RULES,
    Counts,
    Fault,
    Finding,
    Verdict,
)
from service.core.fold import Registry
from service.core.no_rules import NO_RULES
from service.core.summaries import winner
from service.dice.chain import OPEN_LANE
from service.record.canonical import NotCanonical
from service.record.commit import QUARANTINED, REFUSED, Commit, load_request
from service.record.digest import ruleset_digest
from service.rules.contests.continuing import LineBegun
from service.rules.ruleset import Ruleset
from service.rules.table.table import DiceSetup

OTHER_BUILD: Final = "other_build"
RECEIPT: Final = "receipt"


def verify(
    evidence: Evidence,
    registry: Registry,
    *,
    span: tuple[int, int] | None = None,
    without_rules: bool = False,
    repeats_killed: bool = False,
    progress: Progress = unheard,
    known: Known | None = None,
) -> Report:
    """Return the report of an audit of *evidence*, one record, by the rules in *registry*.

    With *span* (first and last number) only these commits are decided again; earlier ones are folded, later
    ones are not. *without_rules* stops before the first rule, as a verifier without the rules does. With
    *repeats_killed* commands that are said to have ended their workers are decided too, which may end the
    caller. What is *known* of other lines of the same fight is not decided a second time.
    """
    counts = Counts(commits=len(evidence.commits))
    judged = _VerifiedLine(evidence, counts, known or Known(), repeats_killed=repeats_killed)
    try:
        found = judged.whole(
            registry, span or (1, len(evidence.commits)), progress, without_rules=without_rules
        )
        verdict = judged.with_receipts(found if evidence.pinned else found.without_key())
    except Fault as fault:
        verdict = fault.verdict
    return judged.report(verdict)


class _VerifiedLine:
    """An audit in progress, with its results so far."""

    def __init__(self, evidence: Evidence, counts: Counts, known: Known, *, repeats_killed: bool) -> None:
        self.evidence = evidence
        self.known = known
        self.repeats_killed = repeats_killed
        self.counts = counts
        self.commits: Sequence[Commit] = ()
        self.signed = UNSIGNED
        self.setup: DiceSetup | None = None
        self.decisions: tuple[dict[str, Any], ...] = ()
        self.unseen: tuple[dict[str, Any], ...] = ()
        self.seat_keys: tuple[dict[str, Any], ...] = ()
        self.then: str | None = None
        self.now: str | None = None
        self.proof: Proof | None = None
        self.dice_line: DiceLine | None = None
        self.findings: list[Finding] = []
        self.receipts: tuple[SignedReceipt, ...] = ()
        self.unfit: str | None = None

    def whole(
        self, registry: Registry, span: tuple[int, int], progress: Progress, *, without_rules: bool
    ) -> Verdict:
        """Run every check in order and return the sound verdict; raises `Fault` for the first that fails."""
        examined = examine(self.evidence, progress)
        self.commits, self.signed = examined.commits, examined.signed
        self.receipts, self.unfit = examined.receipts, examined.unfit
        self._count()
        self.counts.commands_signed = examined.statements
        ruleset = registry.get(self.commits[0].edition)
        events = {} if ruleset is None else ruleset.events
        declared = {type_: event.decides for type_, event in events.items() if event.decides}
        self.decisions = decisions_of(self.commits, examined.requests, declared)
        self.seat_keys = keys_of(self.commits, examined.requests, self.evidence.seat_keys)
        self.unseen = unseen(self.commits, examined.requests, self.decisions)
        self.setup = setup_of(self.evidence, self.commits)
        self.proof = prove(self.evidence, self.commits, examined.payloads, self.counts, progress)
        if without_rules:
            return Verdict(VALID_WITHOUT_RULES)
        ruleset = self._ruleset(registry)
        self._digests(ruleset)
        again = Redecider(self.evidence, examined, ruleset, self.proof, self.then or self.now or "")
        again.repeats_killed = self.repeats_killed
        again.known = self.known
        self.dice_line = again.run(span, self.counts, self.now or "", progress)
        self.findings += again.findings
        if self.then is not None and self.then != self.now:
            detail = "another build of the rules gives the same results"
            self.findings.append(Finding(OTHER_BUILD, detail))
        return self._soundness()

    def with_receipts(self, verdict: Verdict) -> Verdict:
        """Return *verdict*, or that a receipt does not fit; note what the host signed in those that do."""
        for each in self.receipts:
            detail = (
                f"the key {each.public.hex()} signed that command {each.n} is the request {each.request}, "
                f"after commit {each.prev}, with the commit {each.hash}; so has the record"
            )
            self.findings.append(Finding(RECEIPT, detail))
        return verdict if self.unfit is None else Verdict(RECEIPT_MISMATCH, detail=self.unfit)

    def _soundness(self) -> Verdict:
        dice_line, proof = self.dice_line, self.proof
        assert dice_line is not None
        assert proof is not None
        if dice_line.withheld is not None:
            detail = "this reader cannot decide this command and later ones again"
            return Verdict(VALID_AS_OPENED, dice_line.withheld, detail)
        is_closed = dice_line.state.closed or any(
            event.get("type") == "encounter_closed" for commit in self.commits for event in commit.events
        )
        if is_closed and not self.counts.rolls_unverified:
            return Verdict(VALID)
        return Verdict(VALID_TO_EPOCH, proof.epochs.get(OPEN_LANE, 0))

    def _count(self) -> None:
        counts = self.counts
        counts.refused = sum(commit.outcome == REFUSED for commit in self.commits)
        counts.quarantined = sum(commit.outcome == QUARANTINED for commit in self.commits)
        counts.proposals = self._number_of("amendment_proposed", "amendments")
        counts.proposals_dropped = self._number_of("amendment_dropped", "amendments_dropped")
        counts.envelopes = sum("sealed" in event for commit in self.commits for event in commit.events)
        counts.envelopes_opened = len(self.evidence.opened)
        counts.requests_withheld = sum(request is None for request in self.evidence.requests)

    def _number_of(self, type_: str, member: str) -> int:
        """Return how many events of a type led to this line: a beginning has the number of earlier lines."""
        first = max((commit.n for commit in self.commits if begun_by(commit) is not None), default=1)
        event = self.commits[first - 1].events[0] if self.commits and self.commits[first - 1].events else {}
        before = event["state"].get(member) if event.get("type") == LineBegun.type else 0
        own: int = sum(e.get("type") == type_ for commit in self.commits[first - 1 :] for e in commit.events)
        earlier: int = before if type(before) is int else 0
        return own + earlier

    def _ruleset(self, registry: Registry) -> Ruleset[Any]:
        edition = self.commits[0].edition
        ruleset = NO_RULES if edition == NO_RULES.edition else registry.get(edition)
        if ruleset is None:
            raise Fault(Verdict(UNKNOWN_EDITION, 1, f"this verifier has no rules of the edition {edition}"))
        return ruleset

    def _digests(self, ruleset: Ruleset[Any]) -> None:
        self.now = ruleset_digest(ruleset)
        digest = self._opening().get("digest")
        self.then = digest if isinstance(digest, str) else None

    def _opening(self) -> Mapping[str, Any]:
        """Return the fields of the first request; empty if it is withheld or invalid."""
        first = self.evidence.requests[0] if self.evidence.requests else None
        if first is None:
            return {}
        try:
            return load_request(first).data
        except NotCanonical:
            return {}

    def report(self, verdict: Verdict) -> Report:
        """Return the report with *verdict* and everything found so far."""
        commits, dice_line = self.commits, self.dice_line
        leaves = [bytes.fromhex(commit.hash) for commit in commits]
        decided = (dice_line.first, dice_line.upto) if dice_line is not None and self.counts.decided else None
        return Report(
            encounter=self.evidence.encounter,
            verdict=verdict,
            counts=self.counts,
            head=commits[-1].hash if commits else None,
            root=root(leaves).hex() if commits else None,
            edition=commits[0].edition if commits else None,
            digest_recorded=self.then,
            digest_recomputed=self.now,
            epochs=None if self.proof is None else self.proof.epochs,
            decided=decided,
            findings=tuple(self.findings),
            signed=self.signed,
            key_was_given=bool(self.evidence.pinned),
            receipts=len(self.evidence.receipts) + len(self.receipts),
            setup=self.setup,
            links=None if self.proof is None else self.proof.last_links,
            decisions=self.decisions,
            unseen=self.unseen,
            seat_keys=self.seat_keys,
            seats=None if dice_line is None else tuple(seats_of(dice_line.state)),
            winner=None if dice_line is None else winner(dice_line.state),
            live_state=self._live_state(verdict),
        )

    def _live_state(self, verdict: Verdict) -> str:
        """Return how the claimed state compares with the record: `equal`, `different` or `not_compared`."""
        if self.evidence.claimed is None:
            return NOT_COMPARED
        if verdict.name == STATE_MISMATCH:
            return DIFFERENT
        reached = self.dice_line is not None and self.dice_line.upto >= self.evidence.claimed[0]
        return EQUAL if reached and verdict.is_sound else NOT_COMPARED
