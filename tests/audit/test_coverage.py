"""How far accepted keys have signed: what they do not cover is never called valid."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from service.audit import signing
from service.audit.evidence import Evidence, Receipt, disclosed_in, earlier_notes
from service.audit.signing import Signer, VouchedKey
from service.audit.verify import verify
from service.log.memory import MemoryLog
from service.record.commit import load_commit
from tests.audit.evidence_of import closed, cut, evidence_of, played, root_of, signed_evidence
from tests.audit.games import written
from tests.support.javascript_verifier import Case, judged
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER, Sitting, secrets_of

OTHER = Signer(SIGNER.origin, bytes(range(7, 39)))
KEY = (SIGNER.public,)


@pytest.fixture(autouse=True)
def _own_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.audit.verify.ruleset_digest", lambda _ruleset: "0" * 64)


def said(evidence: Evidence) -> str:
    return str(verify(evidence, {TINY.edition: TINY}).verdict)


def both(evidence: Evidence) -> tuple[str, str]:
    """Return what is said with the rules, and what both verifiers say without them."""
    without = str(verify(evidence, {}, without_rules=True).verdict)
    assert judged([Case(written(evidence), evidence.receipts, evidence.pinned)]) == [without]
    return said(evidence), without


def test_a_closed_record_is_valid_only_where_its_last_commit_lies_under_an_accepted_head() -> None:
    whole, tail = signed_evidence(closed(), 7, 10, pinned=KEY), signed_evidence(closed(), 7, pinned=KEY)

    assert both(whole) == ("valid", "valid_without_rules")
    assert both(tail) == ("unsigned_from(8)", "unsigned_from(8)")
    assert both(replace(tail, pinned=())) == ("unsigned_from(8)", "unsigned_from(8)")


def test_where_a_key_is_given_and_has_signed_nothing_all_is_unsigned() -> None:
    nothing = evidence_of(closed(), pinned=KEY)
    running = evidence_of(played(), pinned=KEY)

    assert both(nothing) == ("unsigned_from(1)",) * 2
    assert both(running) == ("unsigned_from(1)",) * 2
    assert both(replace(nothing, pinned=())) == ("valid_unsigned", "valid_unsigned_without_rules")


def test_an_open_record_is_covered_to_its_last_close_and_what_follows_may_wait() -> None:
    sitting = played()
    close = next(w.n for w in sitting.written if b"epoch_closed" in w.raw)

    assert close < len(sitting.written)
    assert both(signed_evidence(sitting, close, pinned=KEY)) == ("valid_to_epoch(1)", "valid_without_rules")
    before = signed_evidence(sitting, close - 1, pinned=KEY)
    assert both(before) == (f"unsigned_from({close})",) * 2


def test_a_record_whose_links_are_told_beside_it_is_over_and_covered_whole() -> None:
    sitting = played()
    close = next(w.n for w in sitting.written if b"epoch_closed" in w.raw)
    epoch = sitting.state.epoch
    links = {(0, epoch): secrets_of(sitting.encounter).chains[0].link(epoch)}
    running = signed_evidence(sitting, close, pinned=KEY)
    whole = signed_evidence(sitting, close, len(sitting.written), pinned=KEY)

    assert both(replace(running, links=links)) == (f"unsigned_from({close + 1})",) * 2
    assert both(replace(whole, links=links)) == (f"valid_to_epoch({epoch})", "valid_without_rules")


def test_a_head_of_an_older_key_covers_nothing_for_whoever_accepts_the_newer_one() -> None:
    whole = signed_evidence(closed(), 7, 10)
    rotation = signing.rotation(SIGNER.origin, SIGNER.secret, OTHER.public)
    keys = (*whole.keys, VouchedKey(OTHER.origin, OTHER.public, rotation))

    assert both(replace(whole, keys=keys, pinned=(OTHER.public,))) == ("unsigned_from(1)",) * 2
    assert said(replace(whole, keys=keys, pinned=KEY)) == "valid"


# --- lost histories ------------------------------------------------------------------------------------


@cache
def recovered() -> tuple[Evidence, int]:
    """Return a game whose signed history was lost from commit 7 on, and the commit that accepts it."""
    lost = closed()
    again = Sitting()
    again.requests, again.written = list(lost.requests[:6]), list(lost.written[:6])
    found = {"size": 10, "root": root_of([w.raw for w in lost.written]).hex()}
    again.do("accept_history", reason="the disk died", lost=found, epoch=2)
    accepted = len(again.written)
    again.do("roll")
    again.do("close", reason="enough")
    old = signed_evidence(lost, 7, 10)
    return evidence_of(again, notes=old.notes, keys=old.keys), accepted


def with_heads(*sizes: int) -> Evidence:
    """Return the recovered game with heads of *sizes* beside those of the history that was lost."""
    evidence, _ = recovered()
    made = [SIGNER.checkpoint(evidence.encounter, n, root_of(evidence.commits[:n])) for n in sizes]
    notes = sorted([*evidence.notes, *made], key=lambda note: int(note.split("\n")[1]))
    return replace(evidence, notes=tuple(notes), pinned=KEY)


def test_an_acceptance_of_a_loss_counts_only_under_a_later_head() -> None:
    evidence, accepted = recovered()
    end = len(evidence.commits)

    assert both(with_heads()) == ("tampered(1 to 7)",) * 2
    assert both(with_heads(accepted - 1)) == ("tampered(7)",) * 2
    assert said(with_heads(accepted, end)) == "valid"
    assert both(with_heads(accepted, end))[1] == "valid_without_rules"
    assert both(with_heads(accepted)) == (f"unsigned_from({accepted + 1})",) * 2


def test_heads_of_a_lost_history_are_never_counted_as_holding() -> None:
    evidence, accepted = recovered()
    report = verify(with_heads(accepted, len(evidence.commits)), {TINY.edition: TINY})

    assert (len(report.signed.points), report.signed.lost) == (2, 2)
    assert {point.size for point in report.signed.points} == {accepted, len(evidence.commits)}


def test_a_receipt_of_a_lost_history_is_a_promise_that_was_not_kept() -> None:
    evidence, accepted = recovered()
    kept = Receipt(8, load_commit(closed().written[7].raw).hash)
    whole = replace(with_heads(accepted, len(evidence.commits)), receipts=(kept,))

    assert both(whole) == (f"tampered({accepted + 1})",) * 2


def test_a_loss_that_somebody_claims_disarms_no_head() -> None:
    """Whoever has the disclosed seeds plays on from commit 6, and says that all that was signed is lost."""
    evidence, accepted = recovered()
    forged = cut(evidence, accepted, count=accepted, head=load_commit(evidence.commits[accepted - 1]).hash)

    assert both(replace(forged, pinned=KEY)) == ("tampered(1 to 7)",) * 2


def test_a_claimed_loss_that_no_head_covers_is_unsigned_even_where_it_conflicts_with_nothing() -> None:
    evidence, accepted = recovered()
    early = SIGNER.checkpoint(evidence.encounter, 3, root_of(evidence.commits[:3]))
    running = cut(
        evidence, accepted + 1, count=accepted + 1, head=load_commit(evidence.commits[accepted]).hash
    )

    assert both(replace(running, notes=(early,), pinned=KEY)) == ("unsigned_from(4)",) * 2


@pytest.mark.parametrize("n", [1, 2, 9])
def test_damaged_bytes_of_a_commit_are_read_for_the_audit_to_name(n: int) -> None:
    whole = closed()
    commits = [each.raw for each in whole.written]
    damaged = [*commits[: n - 1], commits[n - 1][:-1], *commits[n:]]

    assert earlier_notes(MemoryLog(), whole.encounter, damaged) == []
    assert set(disclosed_in(damaged)) <= set(disclosed_in(commits))
    assert said(replace(evidence_of(whole), commits=damaged)) in (f"malformed({n})", f"tampered({n})")
