"""Judge one bundle against everything that its reader holds: keys, receipts, a certificate, the public log.

The order is that of docs/format-verdicts.md: the record itself, signed receipts, the certificate, the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from service.audit import bundle
from service.audit.certificate import check_against_certificate
from service.audit.evidence import Receipt
from service.audit.fight import verify_fight
from service.audit.logged import DELAY_S, judge_log
from service.audit.progress import Progress, unheard
from service.audit.report import Report
from service.audit.signatures import accepted_keys
from service.audit.unseen import hold_to_bound
from service.audit.verdict import Counts
from service.audit.witness_policy import Policy
from service.core.fold import Registry


@dataclass(frozen=True)
class Held:
    """What a reader holds against a bundle, and does without."""

    keys: tuple[bytes, ...] = ()
    """Accepted public keys; without one every key of the bundle is accepted, and the verdict says so."""
    seat_keys: Mapping[str, str] = field(default_factory=dict)
    """Keys of seats that are known from elsewhere."""
    receipts: tuple[Receipt, ...] = ()
    signed_receipts: tuple[bytes, ...] = ()
    certificate: bytes | None = None
    log_proof: bytes | None = None
    policy: Policy | None = None
    """How the log proof is judged."""
    delay_s: int = DELAY_S
    without_rules: bool = False
    repeats_killed: bool = False


def judge(raw: bytes, held: Held, registry: Registry, progress: Progress = unheard) -> Report:
    """Return the report of the bundle *raw*, decided again by the rules in *registry*."""
    try:
        read = bundle.read_fight(raw, held.receipts, held.keys, held.signed_receipts)
    except bundle.BadBundle as fault:
        return Report("", fault.verdict, Counts())
    fight = tuple(replace(line, seat_keys=held.seat_keys) for line in read)
    evidence = fight[-1]
    report = verify_fight(
        fight,
        registry,
        without_rules=held.without_rules,
        repeats_killed=held.repeats_killed,
        progress=progress,
    )
    if held.certificate is not None and report.verdict.is_sound:
        report = check_against_certificate(report, held.certificate, accepted_keys(evidence))
    if held.log_proof is not None and report.verdict.is_sound:
        report = judge_log(report, fight, held.log_proof, held.policy, held.delay_s)
    most = None if held.policy is None else held.policy.unseen
    return report if most is None or not report.verdict.is_sound else hold_to_bound(report, most)
