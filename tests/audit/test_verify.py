"""Hold every verdict to its cause, and the order in which they are decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from service.audit import integrity
from service.audit.certificate import certificate
from service.audit.checkpoint import Checkpoint
from service.audit.evidence import Evidence, Receipt
from service.audit.redecide import NOT_REPEATED
from service.audit.report import Report
from service.audit.tree import root
from service.audit.verdict import MEANING
from service.audit.verify import OTHER_BUILD, verify
from service.core.decide import quarantine_request
from service.record import digest
from service.record.commit import Batch, load_commit
from service.record.envelopes import StoredEnvelope
from service.record.quarantine import KILLED, because
from service.rules.kernel.records import changed
from tests.audit.evidence_of import closed, cut, evidence_of, forged, played, resealed
from tests.support.tiny_game import TINY
from tests.support.tiny_table import Sitting, player, request

SHELF = {TINY.edition: TINY}


def judge(evidence: Evidence, **asked: Any) -> Report:
    return verify(evidence, SHELF, **asked)


def said(evidence: Evidence) -> str:
    return str(judge(evidence).verdict)


@pytest.fixture(autouse=True)
def _own_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tiny game's requests name the digest that its rules have: 64 zeros."""
    monkeypatch.setattr("service.audit.verify.ruleset_digest", lambda _ruleset: "0" * 64)


# --- sound --------------------------------------------------------------------------------------------


def test_a_closed_encounter_is_valid_and_every_die_of_it_proved() -> None:
    report = judge(evidence_of(closed()))

    assert str(report.verdict) == "valid_unsigned"
    assert (report.counts.rolls_checked, report.counts.rolls_unverified) == (3, 0)
    assert report.decided == (1, report.counts.commits)
    assert report.findings == ()


def test_a_live_encounter_is_valid_to_its_last_closed_epoch() -> None:
    report = judge(evidence_of(played()))

    assert str(report.verdict) == "valid_unsigned_to_epoch(1)"
    assert (report.counts.rolls_checked, report.counts.rolls_unverified) == (1, 2)


def test_an_encounter_without_commits_is_empty_and_names_no_head() -> None:
    nothing = Evidence("00000000-0000-0000-0000-000000000001", (), (), {}, 0, "0" * 64)

    assert said(nothing) == "empty"
    assert said(replace(nothing, head="1" * 64)) == "tampered(0)"
    assert said(replace(nothing, receipts=(Receipt(1, "a" * 64),))) == "truncated(1 to 1)"


def test_declared_faces_are_counted_and_not_derived() -> None:
    sitting = Sitting()
    sitting.open(declared=True)
    sitting.do("roll")
    sitting.do("throw_dice", prompt="roll/dice/table", faces=[5])
    sitting.do("close")

    report = judge(evidence_of(sitting))

    assert str(report.verdict) == "valid_unsigned"
    assert (report.counts.rolls_declared, report.counts.faces_declared, report.counts.rolls_checked) == (
        1,
        1,
        0,
    )


def test_a_quarantined_command_is_copied_and_counted() -> None:
    sitting = Sitting()
    sitting.open()
    raw = request(2, "burst", {"how": "kill"}, batch=Batch("0a", 0, 2, stop=True))
    sitting.requests.append(raw)
    sitting.written.append(quarantine_request(sitting.folded, raw, 2, because(KILLED, TINY)))
    sitting.do("add", amount=1, batch=Batch("0a", 1, 2, stop=True))
    sitting.do("close")

    report = judge(evidence_of(sitting))

    assert str(report.verdict) == "valid_unsigned"
    assert report.counts.quarantined == 1
    assert [finding.name for finding in report.findings] == [NOT_REPEATED]


def test_a_request_that_was_no_request_is_part_of_a_valid_record() -> None:
    sitting = Sitting()
    sitting.open()
    sitting.put(b"no JSON at all")
    sitting.do("close")

    assert said(evidence_of(sitting)) == "valid_unsigned"


def test_the_same_result_by_another_build_is_valid_with_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.audit.verify.ruleset_digest", lambda _ruleset: "1" * 64)

    report = judge(evidence_of(closed()))

    assert str(report.verdict) == "valid_unsigned"
    assert [finding.name for finding in report.findings] == [OTHER_BUILD]


def test_an_edition_that_is_not_at_hand_is_named_and_dice_are_proved_all_the_same() -> None:
    report = verify(evidence_of(closed()), {})

    assert str(report.verdict) == "unknown_edition(1)"
    assert not report.verdict.is_sound
    assert "tiny@1" in report.verdict.detail
    assert report.counts.rolls_checked == 3


def test_where_rules_are_not_asked_for_the_verdict_says_so() -> None:
    report = verify(evidence_of(closed()), SHELF, without_rules=True)

    assert str(report.verdict) == "valid_unsigned_without_rules"
    assert (report.counts.rolls_checked, report.decided) == (3, None)


def test_a_span_is_decided_again_and_what_lies_before_it_is_folded() -> None:
    report = judge(evidence_of(closed()), span=(5, 7))

    assert report.verdict.is_sound
    assert report.decided == (5, 7)
    assert report.counts.decided == 3


def test_progress_is_told_to_the_end() -> None:
    sitting = Sitting()
    sitting.open()
    for _ in range(99):
        sitting.do("add", amount=1)
    found: list[tuple[int, int]] = []

    judge(evidence_of(sitting), progress=lambda done, of: found.append((done, of)))

    assert found == [
        (10 + 9, 100),
        (25, 100),
        (25 + 6, 100),
        (35, 100),
        (35 + 35, 100),
        (90, 100),
        (96, 100),
        (100, 100),
    ]


# --- as opened ----------------------------------------------------------------------------------------


def test_a_withheld_request_bounds_how_far_it_is_decided_again() -> None:
    whole = evidence_of(closed())
    requests = [None if n == 4 else raw for n, raw in enumerate(whole.requests, 1)]

    report = judge(replace(whole, requests=requests))

    assert str(report.verdict) == "valid_unsigned_as_opened(4)"
    assert report.decided == (1, 3)
    assert report.counts.rolls_checked == 3


def test_a_closed_envelope_bounds_how_far_it_is_decided_again() -> None:
    whole = evidence_of(closed())
    (n, index), *_ = sorted(whole.opened)

    assert said(replace(whole, opened={})) == f"valid_unsigned_as_opened({n})"
    assert index >= 0


# --- malformed, tampered ------------------------------------------------------------------------------


def test_any_flipped_byte_of_any_commit_names_the_commit() -> None:
    whole = evidence_of(closed())
    missed = []
    for n, raw in enumerate(whole.commits, 1):
        for at in range(len(raw)):
            report = judge(replace(whole, commits=_flipped(whole.commits, n, at)))
            if report.verdict.name not in ("malformed", "tampered") or report.verdict.n != n:
                missed.append((n, at, str(report.verdict)))

    assert missed == []


def test_any_flipped_byte_of_any_request_names_its_commit() -> None:
    whole = evidence_of(closed())
    missed = []
    for n, raw in enumerate(whole.requests, 1):
        for at in range(len(raw or b"")):
            report = judge(replace(whole, requests=_flipped(whole.requests, n, at)))
            if report.verdict.name not in ("malformed", "tampered") or report.verdict.n != n:
                missed.append((n, at, str(report.verdict)))

    assert missed == []


def test_any_flipped_byte_of_an_opened_envelope_or_its_salt_names_its_commit() -> None:
    whole = evidence_of(closed())
    for place, opened in whole.opened.items():
        for at in range(len(opened.payload)):
            [payload] = _flipped([opened.payload], 1, at)
            verdict = judge(_with_opened(whole, place, StoredEnvelope(payload, opened.salt))).verdict
            assert (verdict.name in ("malformed", "tampered"), verdict.n) == (True, place[0])
        for at in range(len(opened.salt)):
            [salt] = _flipped([opened.salt], 1, at)
            assert (
                said(_with_opened(whole, place, StoredEnvelope(opened.payload, salt)))
                == f"tampered({place[0]})"
            )


def test_two_swapped_commits_are_tampered_with() -> None:
    whole = evidence_of(closed())
    commits = list(whole.commits)
    commits[2], commits[3] = commits[3], commits[2]

    assert judge(replace(whole, commits=commits)).verdict.n == 4


def test_a_commit_taken_out_from_amid_the_others_is_named() -> None:
    whole = evidence_of(closed())
    commits = list(whole.commits)
    commits[4] = b""

    assert said(replace(whole, commits=commits)) == "tampered(5)"


def test_a_commit_more_than_the_head_counts_was_put_in() -> None:
    whole = evidence_of(closed())
    last = len(whole.commits)

    assert said(replace(whole, count=last - 1)) == f"tampered({last} to {last})"


def test_a_head_of_another_hash_means_that_the_last_commit_is_not_the_last() -> None:
    whole = evidence_of(closed())

    assert said(replace(whole, head="a" * 64)) == f"tampered({len(whole.commits)})"


def test_a_record_of_another_encounter_is_tampered_with() -> None:
    whole = evidence_of(closed())

    other = replace(whole, encounter="00000000-0000-0000-0000-000000000002")
    assert said(other) == f"tampered({whole.count})", "the last line of play is not that encounter"


def test_a_spelling_that_is_not_canonical_is_malformed_even_with_the_chain_made_to_fit() -> None:
    whole = evidence_of(closed())
    commits = list(whole.commits)
    commits[2] = commits[2].replace(b'"v":1}', b'"v": 1}')

    assert said(replace(whole, commits=commits)) == "malformed(3)"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("v", 2),
        ("outcome", "won"),
        ("prev", "00"),
        ("events", {}),
        ("rolls", [{}]),
        ("at", None),
        ("extra", 1),
    ],
)
def test_a_commit_of_another_shape_is_malformed_even_with_the_chain_made_to_fit(
    member: str, value: object
) -> None:
    whole = evidence_of(closed())

    assert said(forged(whole, 6, lambda commit: commit.update({member: value}))) == "malformed(6)"


def test_bytes_that_are_both_tampered_with_and_badly_rolled_are_tampered_with() -> None:
    """Tampering is judged first: neither the dice nor the rules are asked about bytes that were changed."""
    whole = evidence_of(closed())
    commits = list(whole.commits)
    commits[2] = commits[2].replace(b'"face":', b'"face":1', 1)

    assert judge(replace(whole, commits=commits)).verdict.name in ("malformed", "tampered")


# --- truncated, forked, signed heads ---------------------------------------------------------------------


def test_an_end_that_is_missing_is_truncated() -> None:
    whole = evidence_of(closed())
    last = len(whole.commits)

    assert said(cut(whole, last - 3)) == f"truncated({last - 2} to {last})"


def test_a_receipt_beyond_the_end_tells_that_it_was_cut_off() -> None:
    whole = evidence_of(closed())
    shorter = cut(whole, 5, count=5, head=load_commit(whole.commits[4]).hash)
    receipt = Receipt(7, load_commit(whole.commits[6]).hash)

    assert said(shorter) == "valid_unsigned_to_epoch(0)"
    assert said(replace(shorter, receipts=(receipt,))) == "truncated(6 to 7)"


def test_a_receipt_that_is_contradicted_names_the_interval_that_was_rewritten() -> None:
    whole = evidence_of(closed())
    data = tuple(Receipt(n, load_commit(whole.commits[n - 1]).hash) for n in (2, 6))
    rewritten = forged(whole, 4, lambda commit: commit.update(at="2026-01-02T00:00:59.000Z"))

    assert said(replace(whole, receipts=data)) == "valid_unsigned"
    assert said(replace(rewritten, receipts=data)) == "tampered(3 to 6)"


def test_a_checkpoint_that_is_contradicted_names_the_interval_that_was_rewritten() -> None:
    whole = evidence_of(closed())
    rewritten = forged(whole, 4, lambda commit: commit.update(at="2026-01-02T00:00:59.000Z"))

    assert said(replace(whole, checkpoints=(_signed(whole, 6),))) == "valid_unsigned"
    assert said(replace(rewritten, checkpoints=(_signed(whole, 6),))) == "tampered(1 to 6)"


def test_two_signed_heads_that_contradict_each_other_are_a_fork() -> None:
    whole = evidence_of(closed())
    other = forged(whole, 4, lambda commit: commit.update(at="2026-01-02T00:00:59.000Z"))

    both = (_signed(whole, 6), _signed(other, 6))
    later = (_signed(whole, 8), _signed(other, 6))

    assert judge(replace(whole, checkpoints=both)).verdict.name == "forked"
    assert judge(replace(whole, checkpoints=later)).verdict.name == "forked"


# --- dice ---------------------------------------------------------------------------------------------


def test_a_changed_die_in_a_chain_that_was_made_to_fit_is_named_with_its_roll() -> None:
    whole = evidence_of(closed())

    def turn(commit: dict[str, Any]) -> None:
        die = commit["rolls"][0]["dice"][0]
        die["face"] = die["face"] % die["sides"] + 1

    assert said(forged(whole, 3, turn)) == "dice_invalid(3, 1/0/table#0)"
    assert said(forged(whole, 9, turn)) == "dice_invalid(9, 2/0/table#1)"


def test_a_link_that_does_not_lead_to_the_anchor_is_invalid() -> None:
    whole = evidence_of(closed())

    def lie(commit: dict[str, Any]) -> None:
        event = next(event for event in commit["events"] if event["type"] == "epoch_closed")
        event["link"] = "00" * 32

    assert said(forged(whole, 7, lie)) == "dice_invalid(7)"


def test_an_open_epochs_die_is_taken_as_told_but_what_follows_from_it_is_not() -> None:
    """A die nobody can derive yet cannot be caught; the sum that was made of it can."""
    whole = evidence_of(played())

    def turn(commit: dict[str, Any]) -> None:
        die = commit["rolls"][0]["dice"][0]
        die["face"] = die["face"] % die["sides"] + 1

    assert judge(forged(whole, 9, turn)).verdict.name == "not_deterministic"


def test_a_die_more_than_the_rules_throw_is_not_deterministic() -> None:
    whole = evidence_of(played())

    def add(commit: dict[str, Any]) -> None:
        commit["rolls"][0]["dice"].append({"role": "luck", "sides": 6, "face": 6})

    assert judge(forged(whole, 9, add)).verdict.name == "not_deterministic"


# --- deciding again -----------------------------------------------------------------------------------


def test_a_changed_event_in_a_chain_that_was_made_to_fit_is_not_deterministic() -> None:
    whole = evidence_of(closed())

    def raise_it(commit: dict[str, Any]) -> None:
        commit["events"][0]["by"] = 9

    assert said(forged(whole, 2, raise_it)) == "not_deterministic(2, /events/0/by)"


def test_a_changed_event_under_other_rules_is_told_as_changed_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.audit.verify.ruleset_digest", lambda _ruleset: "1" * 64)
    whole = evidence_of(closed())

    def raise_it(commit: dict[str, Any]) -> None:
        commit["events"][0]["by"] = 9

    assert said(forged(whole, 2, raise_it)) == "rules_changed(2, /events/0/by)"


def test_a_changed_payload_sealed_anew_is_not_deterministic_inside_its_envelope() -> None:
    whole = evidence_of(closed())

    def choose(payload: dict[str, Any]) -> None:
        payload["events"][0]["number"] = 9

    found = said(resealed(whole, (4, 1), choose))

    assert found == "not_deterministic(4, /events/1/payload/events/0/number)"


def test_a_refusal_made_of_an_accepted_command_is_not_deterministic() -> None:
    whole = evidence_of(closed())

    def refuse(commit: dict[str, Any]) -> None:
        commit.update(outcome="refused", events=[], refusal={"code": "busy", "detail": "", "rule": None})

    assert said(forged(whole, 2, refuse)) == "not_deterministic(2, /events/0)"


def test_an_epoch_that_was_moved_is_not_deterministic() -> None:
    whole = evidence_of(closed())

    assert said(forged(whole, 2, lambda c: c.update(epoch=5))) == "not_deterministic(2, /epoch)"


def test_a_state_that_is_not_what_the_commits_give_is_a_mismatch() -> None:
    sitting = closed()
    at_six = sitting.written[5].state

    assert said(evidence_of(sitting, claimed=(6, at_six))) == "valid_unsigned"
    kept = changed(at_six, counter=at_six.counter + 1)
    assert said(evidence_of(sitting, claimed=(6, kept))) == "state_mismatch(6, /counter)"


def test_the_audit_asks_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeds are not even reachable: whoever derives a key without a disclosed link fails."""
    whole = evidence_of(played())
    monkeypatch.setattr("service.dice.source.SeededDice.faces", None)
    monkeypatch.setattr("service.dice.chain.Chain.link", None)

    assert said(whole) == "valid_unsigned_to_epoch(1)"


def test_every_verdict_that_can_be_given_has_a_meaning() -> None:
    report = certificate(judge(evidence_of(closed())))

    assert report["verdict"]["meaning"] == MEANING["valid_unsigned"]
    assert report["log"]["root"] == root([bytes.fromhex(h) for h in _hashes(evidence_of(closed()))]).hex()
    assert digest.sources_digest(TINY.packages)
    commits = integrity.examine(evidence_of(closed())).commits
    assert commits[-1].hash == report["log"]["head"]
    assert player("ada").seat == "ada"


# --- forging ------------------------------------------------------------------------------------------


def _flipped(rows: Sequence[bytes | None], n: int, at: int) -> list[bytes]:
    """Return *rows* with one bit of byte *at* of row *n* turned over."""
    turned = [row or b"" for row in rows]
    row = bytearray(turned[n - 1])
    row[at] ^= 1
    turned[n - 1] = bytes(row)
    return turned


def _with_opened(evidence: Evidence, place: tuple[int, int], opened: StoredEnvelope) -> Evidence:
    return replace(evidence, opened={**evidence.opened, place: opened})


def _hashes(evidence: Evidence) -> list[str]:
    return [load_commit(raw).hash for raw in evidence.commits]


def _signed(evidence: Evidence, size: int) -> Checkpoint:
    leaves = [bytes.fromhex(hash_) for hash_ in _hashes(evidence)[:size]]
    return Checkpoint("rewound.example/e", size, root(leaves))
