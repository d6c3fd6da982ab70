"""Signed receipts: what the host signed is proof against it, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from service.audit import bundle
from service.audit.evidence import Evidence
from service.audit.receipts import BadReceipt, read_receipt, receipts_in, sign_receipts
from service.audit.verify import verify
from service.log.values import CommitWrite
from service.record.canonical import commit_hash, dumps
from service.record.commit import load_commit
from tests.audit.bundle_vectors import OTHER, game, spelled
from tests.audit.evidence_of import forged
from tests.audit.games import signed_throughout
from tests.support.javascript_verifier import Case, judged
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import SIGNER


def write_of(evidence: Evidence, n: int) -> CommitWrite:
    """Return commit *n* of a record as its worker writes it."""
    commit, request = load_commit(evidence.commits[n - 1]), evidence.requests[n - 1]
    assert request is not None
    return CommitWrite(n, commit.prev, commit.hash, commit.raw, request)


def receipts_of(evidence: Evidence, *numbers: int) -> list[bytes]:
    """Return receipts of commits of a record, under one signature."""
    return sign_receipts([(evidence.encounter, write_of(evidence, n)) for n in numbers], SIGNER.secret)


def judge(evidence: Evidence, *receipts: bytes) -> str:
    """Return what both verifiers say of a record and all *receipts* together, which is the same."""
    return _judge(evidence, [receipts])[0]


def judge_each(evidence: Evidence, *receipts: bytes) -> list[str]:
    """Return what both verifiers say of a record and each of *receipts*, which is the same."""
    return _judge(evidence, [(each,) for each in receipts])


def _judge(evidence: Evidence, held: Sequence[tuple[bytes, ...]]) -> list[str]:
    raw, keys = spelled(evidence), (SIGNER.public,)
    ours = [str(verify(bundle.read(raw, (), keys, each), SHELF, without_rules=True).verdict) for each in held]
    assert judged([Case(raw, (), keys, each) for each in held]) == ours
    return ours


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_receipts_of_any_number_hold_under_one_signature(size: int) -> None:
    record = game()
    receipts = receipts_of(record, *range(1, size + 1))

    assert len({json.loads(each)["signature"] for each in receipts}) == 1
    assert [read_receipt(each).n for each in receipts] == list(range(1, size + 1))
    assert judge(record, *receipts) == "valid_without_rules"


def test_a_receipt_that_holds_is_told_in_the_report() -> None:
    record = game()
    (receipt,) = receipts_of(record, 4)

    report = verify(bundle.read(spelled(record), (), (SIGNER.public,), (receipt,)), SHELF, without_rules=True)

    assert [each.name for each in report.findings] == ["receipt"]
    assert commit_hash(record.commits[3]).hex() in report.findings[0].detail
    assert report.receipts == 1


def test_a_host_that_signed_something_else_about_a_command_is_forked() -> None:
    record = game()
    write = write_of(record, 4)
    changed = (
        write._replace(hash="ab" * 32),
        write._replace(prev="ab" * 32),
        write._replace(request=b"another"),
    )
    receipts = [sign_receipts([(record.encounter, each)], SIGNER.secret)[0] for each in changed]

    assert judge_each(record, *receipts) == ["forked(4)"] * 3


def test_a_host_that_leaves_an_answered_command_out_is_named() -> None:
    record = game()
    beyond = write_of(record, 4)._replace(n=len(record.commits) + 1)
    (receipt,) = sign_receipts([(record.encounter, beyond)], SIGNER.secret)

    end = len(record.commits) + 1
    assert judge(record, receipt) == f"truncated({end} to {end})"


def test_two_receipts_that_contradict_each_other_are_forked_whatever_the_record_has() -> None:
    record = game()
    (true,) = receipts_of(record, 4)
    (false,) = sign_receipts(
        [(record.encounter, write_of(record, 4)._replace(hash="ab" * 32))], SIGNER.secret
    )

    assert judge(record, true, false) == "forked(4)"


def test_below_no_head_a_receipt_that_differs_shows_a_change_and_nobody_who_made_it() -> None:
    record = replace(game(), notes=(), keys=())
    (receipt,) = sign_receipts(
        [(record.encounter, write_of(record, 4)._replace(hash="ab" * 32))], SIGNER.secret
    )

    assert judge(record, receipt) == "tampered(1 to 4)"


def with_member(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update({name: value})


def of_batch(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["batch"].update({name: value})


CHANGES = (
    with_member("n", 5),
    with_member("n", 0),
    with_member("n", "4"),
    with_member("hash", "ab" * 32),
    with_member("hash", "AB" * 32),
    with_member("request", "ab" * 32),
    with_member("encounter", "00000000-0000-8000-8000-000000000000"),
    with_member("key", OTHER.public.hex()),
    with_member("signature", "00" * 64),
    with_member("format", "rewound/receipt/2"),
    with_member("more", 1),
    of_batch("index", 0),
    of_batch("index", 3),
    of_batch("index", -1),
    of_batch("size", 4),
    of_batch("path", []),
    of_batch("path", ["ab" * 32] * 33),
)


def test_a_receipt_that_nobody_signed_is_named_and_compared_with_nothing() -> None:
    record = game()
    (_, receipt, _) = receipts_of(record, 3, 4, 6)
    changed = []
    for change in CHANGES:
        data = json.loads(receipt)
        change(data)
        changed.append(dumps(data))

    for each in changed:
        with pytest.raises(BadReceipt):
            read_receipt(each)
    assert judge_each(record, *changed) == ["receipt_mismatch"] * len(CHANGES)


def test_a_receipt_of_another_key_encounter_or_spelling_is_named() -> None:
    record = game()
    other = sign_receipts([(record.encounter, write_of(record, 4))], OTHER.secret)
    foreign = sign_receipts([("00000000-0000-8000-8000-000000000000", write_of(record, 4))], SIGNER.secret)
    spaced = json.dumps(json.loads(receipts_of(record, 4)[0])).encode()

    ended = receipts_of(record, 4)[0] + b"\n"
    found = judge_each(record, *other, *foreign, spaced, ended)
    assert found == [*["receipt_mismatch"] * 3, "valid_without_rules"]


def test_receipts_are_found_in_answers() -> None:
    one, two = receipts_of(game(), 3, 4)
    told = [{"n": 3, "receipt": json.loads(one)}, {"n": 4}, {"n": 4, "receipt": json.loads(two)}]

    assert receipts_in({"n": 3, "outcomes": told}) == [one, two]
    assert receipts_in(told[0]) == [one]
    assert receipts_in([]) == receipts_in({"n": 3}) == []


def test_a_host_that_decides_another_history_after_its_answer_is_forked() -> None:
    record = game()
    (receipt,) = receipts_of(record, 4)
    other = forged(
        replace(record, notes=(), keys=()), 4, lambda commit: commit.update(at="2031-01-01T00:00:00.000Z")
    )

    assert judge(replace(signed_throughout(other), seat="gm"), receipt) == "forked(4)"
