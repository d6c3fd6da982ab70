"""Signed heads in evidence: believed, passed over, or accused; and what they catch that a chain cannot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from service.audit import bundle, signing
from service.audit.certificate import certificate
from service.audit.evidence import Evidence
from service.audit.notes import verifier_key
from service.audit.report import Report
from service.audit.signing import Signer, VouchedKey
from service.audit.verify import verify
from service.record.canonical import commit_hash
from service.record.ed25519 import public_key
from service.record.frontier import Frontier
from tests.audit.evidence_of import closed, cut, forged, played, signed_evidence
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER

OTHER = Signer(SIGNER.origin, bytes(range(7, 39)))
ELSEWHERE = Signer("elsewhere.example", SIGNER.secret)


@pytest.fixture(autouse=True)
def _own_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.audit.verify.ruleset_digest", lambda _ruleset: "0" * 64)


def judge(evidence: Evidence) -> Report:
    return verify(evidence, {TINY.edition: TINY})


def said(evidence: Evidence) -> str:
    return str(judge(evidence).verdict)


def later(commit: dict[str, Any]) -> None:
    commit["at"] = "2031-01-01T00:00:00.000Z"


def rotated(by: Signer, to: Signer) -> VouchedKey:
    return VouchedKey(to.origin, to.public, signing.rotation(by.origin, by.secret, to.public))


def test_signed_heads_stand_in_the_bundle_and_are_verified() -> None:
    evidence = signed_evidence(closed(), 7, 10)
    raw = b"".join(bundle.write(evidence, "gm"))

    report = judge(bundle.read(raw))

    points = certificate(report)["log"]["checkpoints"]
    assert (points["size"], points["accepted"], points["key_was_given"]) == (10, 2, False)
    assert points["key"] == verifier_key(f"{SIGNER.origin}/{evidence.encounter}", SIGNER.public)
    assert points["root"] == certificate(report)["log"]["root"]
    assert report.verdict.name == "valid_unsigned"


def test_a_pinned_key_is_believed_and_no_other() -> None:
    evidence = signed_evidence(closed(), 7, 10)

    assert said(replace(evidence, pinned=(SIGNER.public,))) == "valid"
    accused = judge(replace(evidence, pinned=(OTHER.public,))).verdict
    assert str(accused) == "tampered(7)"
    assert "which is not accepted" in accused.detail


def test_whoever_signs_a_forged_history_anew_is_found_by_the_pinned_key() -> None:
    whole = forged(signed_evidence(closed()), 3, later)
    frontier = Frontier()
    for raw in whole.commits:
        frontier = frontier.append(commit_hash(raw))
    note = OTHER.checkpoint(whole.encounter, 10, frontier.root())
    resigned = replace(whole, notes=(note,), keys=(VouchedKey(OTHER.origin, OTHER.public),))

    assert said(resigned) == "not_deterministic(3, /at)", "nobody who believes the bundle's own key can know"
    assert said(replace(resigned, pinned=(SIGNER.public,))) == "tampered(10)"


def test_a_history_rewritten_below_a_checkpoint_is_an_interval_that_was_tampered_with() -> None:
    assert said(forged(signed_evidence(closed(), 3, 8), 5, later)) == "tampered(4 to 8)"


def test_what_was_cut_off_below_a_checkpoint_is_truncated() -> None:
    whole = signed_evidence(closed(), 10)
    shorter = cut(whole, 6, count=6, head=closed().written[5].hash)

    assert said(shorter) == "truncated(7 to 10)"


def test_two_signed_heads_that_contradict_each_other_are_a_fork() -> None:
    whole = signed_evidence(closed(), 5, 10)
    other = SIGNER.checkpoint(whole.encounter, 5, bytes(32))

    assert said(replace(whole, notes=(other, *whole.notes))) == "forked(5)"


@pytest.mark.parametrize("pinned", [(), (SIGNER.public,)])
def test_a_false_signature_is_tampered_with(pinned: tuple[bytes, ...]) -> None:
    whole = signed_evidence(closed(), 10, pinned=pinned)
    [note] = whole.notes
    body, _, signature = note.rpartition(" ")
    false = f"{body} {signature[:-6]}{'A' if signature[-6] != 'A' else 'B'}{signature[-5:]}"

    assert said(replace(whole, notes=(false,))) == "tampered(10)"


@pytest.mark.parametrize("by", [OTHER, ELSEWHERE])
def test_a_note_of_a_key_that_nobody_tells_of_is_tampered_with(by: Signer) -> None:
    whole = signed_evidence(closed(), 10)
    note = by.checkpoint(whole.encounter, 10, closed().written[-1].folded.frontier.root())

    assert said(replace(whole, notes=(note,))) == "tampered(10)"


def test_a_note_of_another_encounter_is_tampered_with() -> None:
    whole = signed_evidence(closed(), 10)
    note = SIGNER.checkpoint("00000000-0000-0000-0000-000000000002", 10, bytes(32))

    assert said(replace(whole, notes=(note,))) == "tampered(10)"


def test_what_is_no_note_is_malformed() -> None:
    assert said(signed_evidence(closed(), notes=("nonsense",))) == "malformed(10)"


def test_a_rotation_hands_belief_on_and_an_older_key_is_passed_over() -> None:
    sitting = closed()
    old, new = signed_evidence(sitting, 7), signed_evidence(sitting, 10, by=OTHER)
    both = replace(old, notes=old.notes + new.notes, keys=(*old.keys, rotated(SIGNER, OTHER)))

    by_old = certificate(judge(replace(both, pinned=(SIGNER.public,))))["log"]["checkpoints"]
    by_new = certificate(judge(replace(both, pinned=(OTHER.public,))))["log"]["checkpoints"]

    assert (by_old["accepted"], by_old["ignored"], by_old["size"]) == (2, 0, 10)
    assert (by_new["accepted"], by_new["ignored"], by_new["size"]) == (1, 1, 10)


def test_a_rotation_that_somebody_else_signed_hands_on_nothing() -> None:
    sitting = closed()
    new = signed_evidence(sitting, 10, by=OTHER)
    claimed = VouchedKey(
        OTHER.origin, OTHER.public, signing.rotation(OTHER.origin, OTHER.secret, OTHER.public)
    )
    evidence = replace(new, keys=(VouchedKey(SIGNER.origin, SIGNER.public), claimed))

    assert said(replace(evidence, pinned=(SIGNER.public,))) == "tampered(10)"


def test_a_running_fight_that_was_signed_is_valid_to_its_epoch() -> None:
    evidence = signed_evidence(played(), 7, 9)

    assert said(bundle.read(b"".join(bundle.write(evidence, "ada")))) == "valid_unsigned_to_epoch(1)"
    assert public_key(SIGNER.secret) == SIGNER.public
