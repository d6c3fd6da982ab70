"""Epochs that move before their round ends: by commands with a reason, disclosed with the next round."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.audit.certificate import UNMOVED, certificate
from service.audit.verify import verify
from service.dice.chain import MAX_EPOCHS
from service.rules.kernel.messages import Actor
from tests.audit.evidence_of import evidence_of
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import Sitting, player

LOST = {"size": 40, "root": "ab" * 32}


def sitting() -> Sitting:
    made = Sitting()
    made.open()
    made.do("roll")
    return made


def told(at: Sitting) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(at.written[-1].raw)
    return data


def test_TABLE_EPOCH_2_the_epoch_moves_by_a_command_with_a_reason_and_discloses_nothing() -> None:
    at = sitting()
    at.do("advance_epoch", reason="somebody saw the seed on a screen")
    commit = told(at)

    (event,) = commit["events"]
    assert (event["type"], event["epoch"], event["seat"]) == ("epoch_advanced", 2, "gm")
    assert "link" not in json.dumps(commit)
    assert json.loads(at.do("roll").raw)["rolls"][0]["name"] == {
        "epoch": 2,
        "lane": 0,
        "stream": "table",
        "place": 0,
    }


def test_TABLE_EPOCH_2_only_the_gm_moves_it_and_never_without_a_reason() -> None:
    at = sitting()
    at.do("advance_epoch", player("ada"), reason="these dice are bad")
    assert told(at)["refusal"]["code"] == "not_gm"
    for reason in ("", "x" * 501):
        at.do("advance_epoch", reason=reason)
        assert told(at)["refusal"]["code"] == "reason_missing"
    at.do("advance_epoch", Actor(seat="clock", role="clock"), reason="the store failed over")
    assert told(at)["refusal"]["code"] == "not_gm", "a host that moves the dice could choose them"
    at.do("accept_history", Actor(seat="clock", role="clock"), reason="lost", lost=LOST, epoch=7)
    assert told(at)["refusal"]["code"] == "not_gm"


def test_TABLE_EPOCH_1_the_next_rounds_link_gives_the_dice_that_were_left_behind() -> None:
    at = sitting()
    at.do("advance_epoch", reason="a pause")
    at.do("roll")
    open_report = verify(evidence_of(at), SHELF)
    assert (open_report.counts.rolls_checked, open_report.counts.rolls_unverified) == (0, 2)
    at.do("end_round")

    report = verify(evidence_of(at), SHELF)
    assert str(report.verdict) == "valid_unsigned_to_epoch(2)"
    assert (report.counts.rolls_checked, report.counts.rolls_unverified) == (2, 0)


def test_an_audit_lists_every_advance_and_says_so_only_where_there_was_none() -> None:
    at = sitting()
    before = certificate(verify(evidence_of(at), SHELF))
    at.do("advance_epoch", reason="a pause")

    found = certificate(verify(evidence_of(at), SHELF))
    (made,) = found["decisions"]
    assert (made["n"], made["kind"], made["seat"]) == (3, "epoch", "gm")
    assert (made["event"]["reason"], made["event"]["epoch"]) == ("a pause", 2)
    assert (UNMOVED in str(before["dice"]), UNMOVED in str(found["dice"])) == (True, False)


def test_TABLE_EPOCH_3_an_accepted_history_goes_on_past_every_epoch_of_the_lost_one() -> None:
    at = sitting()
    at.do("accept_history", reason="the disk died", lost=LOST, epoch=7)

    assert told(at)["events"][0]["epoch"] == 8
    assert told(at)["events"][0]["lost"] == LOST
    at.do("accept_history", player("ada"), reason="I want to", lost=LOST, epoch=7)
    assert told(at)["refusal"]["code"] == "not_gm"
    at.do("accept_history", reason="again", lost=LOST, epoch=2)
    assert at.state.epoch == 9


@pytest.mark.parametrize(
    ("epoch", "code"),
    [(0, "params_missing"), (1, None), (MAX_EPOCHS, None), (MAX_EPOCHS + 1, "params_missing")],
)
def test_TABLE_EPOCH_3_the_lost_history_was_in_an_epoch_from_1_to_the_last(
    epoch: int, code: str | None
) -> None:
    at = sitting()
    at.do("accept_history", reason="the disk died", lost=LOST, epoch=epoch)
    assert told(at).get("refusal", {}).get("code") == code
