"""The certificate: every member, what it says in words, and a signature that covers all of it."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import pytest

from service.audit import certificate as document
from service.audit.certificate import certificate
from service.audit.history import ADVANCES, RULINGS
from service.audit.notes import BadNote, public_key
from service.audit.verify import verify
from service.encounter.record.canonical import check
from service.rules.shelf import SHELF
from tests.audit.evidence_of import closed, evidence_of, played, signed_evidence
from tests.encounter.sitting import SIGNER, Sitting
from tests.encounter.tiny import TINY

MEMBERS = {
    "format",
    "encounter",
    "verdict",
    "log",
    "ruleset",
    "dice",
    "decided",
    "live_state",
    "counts",
    "rulings",
    "seats",
    "abandoned_before",
    "durability",
    "findings",
    "verifier",
}


@pytest.fixture(autouse=True)
def _own_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.audit.verify.ruleset_digest", lambda _ruleset: "0" * 64)


def certified(sitting: Sitting, **changes: Any) -> dict[str, Any]:
    return certificate(verify(signed_evidence(sitting, 7, **changes), {TINY.edition: TINY}))


def test_a_certificate_says_what_was_checked_by_which_code_and_up_to_where() -> None:
    told = certified(closed())

    assert told.keys() == MEMBERS
    assert told["decided"] == {"from": 1, "to": 10}
    assert (told["log"]["size"], told["log"]["checkpoints"]["size"]) == (10, 7)
    assert told["ruleset"] == {"edition": "tiny@1", "then": "0" * 64, "now": "0" * 64}
    assert told["verifier"]["name"] == "rewound"
    assert told["verifier"]["version"] == version("rewound")
    assert len(told["verifier"]["digest"]) == 64
    check(told)


def test_the_dice_are_told_with_what_they_follow_from_and_what_was_possible() -> None:
    dice = certified(closed())["dice"]

    assert (dice["algorithm"], dice["mode"]) == ("rewound/dice/1", "server")
    assert [lane["lane"] for lane in dice["lanes"]] == [link["lane"] for link in dice["disclosed"]]
    assert document.MODES["server"] in dice["says"]
    assert document.UNMOVED in dice["says"]
    assert "fair" not in json.dumps(certified(closed()))


def test_dice_that_nobody_disclosed_yet_are_said_to_be_told_only() -> None:
    assert document.OPEN in certified(played())["dice"]["says"]
    assert document.OPEN not in certified(closed())["dice"]["says"]


def test_the_live_state_is_equal_different_or_was_not_compared() -> None:
    sitting = closed()
    state = sitting.written[8].state

    assert certified(sitting)["live_state"] == "not_compared"
    assert certified(sitting, claimed=(9, state))["live_state"] == "equal"
    assert certified(sitting, claimed=(8, state))["live_state"] == "different"


def test_what_could_not_be_read_at_all_is_certified_as_such() -> None:
    told = certificate(verify(evidence_of(closed(), commits=[b"{}"]), {TINY.edition: TINY}))

    assert told["verdict"]["name"] == "malformed"
    assert (told["dice"]["says"], told["seats"], told["decided"]) == ([document.UNKNOWN], None, None)


def test_a_signature_covers_every_member() -> None:
    signed = document.signed(certified(closed()), SIGNER)
    assert document.verify(signed, SIGNER.public) == signed
    assert json.loads(json.dumps(signed)) == signed

    for name in sorted(MEMBERS):
        with pytest.raises(BadNote, match="is false"):
            document.verify({**signed, name: "changed"}, SIGNER.public)
        with pytest.raises(BadNote, match="is false"):
            document.verify({key: value for key, value in signed.items() if key != name}, SIGNER.public)


def test_another_key_or_none_has_not_signed() -> None:
    data = certified(closed())

    with pytest.raises(BadNote, match="it was signed by"):
        document.verify(document.signed(data, SIGNER), public_key(bytes(32)))
    with pytest.raises(BadNote, match="is not signed"):
        document.verify(data, SIGNER.public)


def test_rulings_are_read_off_events_that_exist() -> None:
    known = {type_ for ruleset in SHELF.values() for type_ in ruleset.events}

    assert {"gm_ruling_recorded", "ruling_made", "contest_closed"} <= known & set(RULINGS)
    assert not set(ADVANCES) & set(RULINGS)
