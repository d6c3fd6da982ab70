"""Who knows the coming dice cannot choose among them: the clock moves none, no outdated command throws."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from service.audit.verify import verify
from service.core import decide
from service.record.canonical import commit_hash
from service.record.commit import Request, SeatSignature, dump_request, load_request
from service.record.ed25519 import public_key, sign_bytes
from service.record.statements import statement
from service.rules.kernel.messages import Actor
from service.rules.rolls import epochs
from tests.audit.evidence_of import evidence_of, forged
from tests.support.javascript_verifier import OTHERWISE, Case, as_bundle, expected, judged
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import GM, Sitting, player, request

SECRET = bytes(range(64, 96))
KEY = public_key(SECRET).hex()
CLOCK = Actor(seat="clock", role="clock")


def keyed() -> Sitting:
    """Return a game in which ada has a key from commit 2 on."""
    sitting = Sitting()
    sitting.open()
    sitting.do("set_seat_key", player("ada"), seat="ada", key=KEY)
    return sitting


def said(sitting: Sitting, type_: str, head: int, **data: object) -> bytes:
    """Return the next request, which ada signed when the newest commit that it had seen was *head*."""
    plain: Request = load_request(
        request(len(sitting.written) + 1, type_, data, player("ada"), sitting.encounter)
    )
    seen = commit_hash(sitting.written[head - 1].raw).hex()
    words = SeatSignature(f"k-{len(sitting.written)}", 0, head, seen, "")
    value = sign_bytes(statement(plain, words), SECRET).hex()
    return dump_request(replace(plain, signed=replace(words, value=value)))


def both(sitting: Sitting) -> tuple[str, str]:
    """Return what both verifiers say without rules to somebody who knows ada's key."""
    raw = as_bundle(evidence_of(sitting))
    assert raw is not None
    case = Case(raw, seat_keys={"ada": KEY})
    return expected(case), judged([case])[0]


def with_rules(sitting: Sitting) -> str:
    return str(verify(replace(evidence_of(sitting), seat_keys={"ada": KEY}), SHELF).verdict)


def test_what_a_seat_signs_throws_the_dice_of_its_epoch() -> None:
    sitting = keyed()
    raw = said(sitting, "roll", 2)
    sitting.do("add", amount=1)
    sitting.put(raw)

    assert json.loads(sitting.written[-1].raw)["outcome"] == "accepted"
    assert both(sitting) == (OTHERWISE,) * 2


def test_TABLE_EPOCH_5_an_outdated_command_throws_no_die_and_may_be_signed_again() -> None:
    sitting = keyed()
    raw = said(sitting, "roll", 2)
    sitting.do("advance_epoch", reason="a pause")
    sitting.put(raw)
    refusal = json.loads(sitting.written[-1].raw)["refusal"]
    assert (refusal["code"], refusal["rule"]) == ("dice_moved", "TABLE-EPOCH-5")
    assert "commit 3 moved the dice after commit 2" in refusal["detail"]
    sitting.put(said(sitting, "add", 2, amount=1))
    assert json.loads(sitting.written[-1].raw)["outcome"] == "accepted", "it throws none"
    sitting.put(said(sitting, "roll", 3))

    assert json.loads(sitting.written[-1].raw)["outcome"] == "accepted"
    assert both(sitting) == (OTHERWISE,) * 2
    assert with_rules(sitting) == "valid_unsigned_to_epoch(0)"


@pytest.mark.parametrize("times", [1, 8])
def test_a_host_that_moves_the_dice_before_a_signed_command_is_named(
    monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    sitting = keyed()
    raw = said(sitting, "roll", 2)
    for _ in range(times):
        sitting.do("advance_epoch", GM, reason="grinding")
    monkeypatch.setattr(decide, "MovedDice", lambda dice, *_: dice)
    sitting.put(raw)
    n = 3 + times

    assert both(sitting) == (f"dice_moved({n})",) * 2
    assert with_rules(sitting) == f"dice_moved({n})"


@pytest.mark.parametrize("times", [1, 8])
def test_a_host_that_moves_the_dice_in_the_name_of_the_clock_is_named(
    monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    sitting = keyed()
    monkeypatch.setattr(epochs, "GM", CLOCK.role)
    for _ in range(times):
        sitting.do("advance_epoch", CLOCK, reason="grinding")
    assert sitting.state.epoch == 1 + times

    assert both(sitting) == ("forged_command(3)",) * 2
    assert with_rules(sitting) == "forged_command(3)"


def test_a_die_that_was_thrown_before_the_dice_moved_is_no_later_one() -> None:
    """A roll that is told again, with the same dice, throws none."""
    sitting = keyed()
    sitting.do("roll")
    raw = said(sitting, "add", 3, amount=1)
    sitting.do("advance_epoch", reason="a pause")
    again = json.loads(sitting.written[2].raw)["rolls"]
    sitting.put(raw)
    evidence = forged(evidence_of(sitting), 5, lambda commit: commit.update(rolls=again))
    raw_bundle = as_bundle(evidence)
    assert raw_bundle is not None
    assert expected(Case(raw_bundle)) == judged([Case(raw_bundle)])[0] == OTHERWISE
