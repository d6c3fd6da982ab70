"""The certificate: every member, what it says in words, and a signature that covers all of it."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import pytest

from service.audit import certificate as document
from service.audit.certificate import certificate
from service.audit.signatures import accepted_keys
from service.audit.signing import Signer
from service.audit.verify import verify
from service.record.canonical import check, dumps
from tests.audit.evidence_of import closed, evidence_of, played, signed_evidence
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER, Sitting

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
    "lines",
    "decisions",
    "unseen",
    "seat_keys",
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
    return certificate(
        verify(signed_evidence(sitting, 7, len(sitting.written), **changes), {TINY.edition: TINY})
    )


def test_a_certificate_says_what_was_checked_by_which_code_and_up_to_where() -> None:
    found = certified(closed())

    assert found.keys() == MEMBERS
    assert found["decided"] == {"from": 1, "to": 10}
    assert (found["log"]["size"], found["log"]["checkpoints"]["size"]) == (10, 10)
    assert found["ruleset"] == {"edition": "tiny@1", "recorded": "0" * 64, "recomputed": "0" * 64}
    assert found["verifier"]["name"] == "rewound"
    assert found["verifier"]["version"] == version("rewound")
    assert len(found["verifier"]["digest"]) == 64
    check(found)


def test_the_dice_are_told_with_what_they_follow_from_and_what_was_possible() -> None:
    dice = certified(closed())["dice"]

    assert (dice["algorithm"], dice["mode"]) == ("rewound/dice/1", "server")
    assert [lane["lane"] for lane in dice["lanes"]] == [link["lane"] for link in dice["disclosed"]]
    assert document.MODES["server"] in dice["statements"]
    assert document.UNMOVED in dice["statements"]
    assert "fair" not in json.dumps(certified(closed()))


def test_dice_that_nobody_disclosed_yet_are_said_to_be_told_only() -> None:
    assert document.OPEN in certified(played())["dice"]["statements"]
    assert document.OPEN not in certified(closed())["dice"]["statements"]


def test_the_live_state_is_equal_different_or_was_not_compared() -> None:
    sitting = closed()
    state = sitting.written[8].state

    assert certified(sitting)["live_state"] == "not_compared"
    assert certified(sitting, claimed=(9, state))["live_state"] == "equal"
    assert certified(sitting, claimed=(8, state))["live_state"] == "different"


def test_what_could_not_be_read_at_all_is_certified_as_such() -> None:
    report = certificate(verify(evidence_of(closed(), commits=[b"{}"]), {TINY.edition: TINY}))

    assert report["verdict"]["name"] == "malformed"
    assert (report["dice"]["statements"], report["seats"], report["decided"]) == (
        [document.UNKNOWN],
        None,
        None,
    )


def spelled(data: dict[str, Any]) -> bytes:
    return dumps(data)


def held(raw: bytes, sitting: Sitting | None = None, *pinned: bytes) -> str:
    """Return what is said of the certificate *raw* beside the record of *sitting*; nothing if it fits."""
    evidence = signed_evidence(sitting or closed(), 7, 10, pinned=pinned)
    report = verify(evidence, {TINY.edition: TINY})
    found = document.check_against_certificate(report, raw, accepted_keys(evidence))
    assert (found.verdict.name == "certificate_mismatch") == (found.verdict != report.verdict)
    return found.verdict.detail if found.verdict != report.verdict else ""


def whole(sitting: Sitting | None = None, by: Signer = SIGNER) -> dict[str, Any]:
    evidence = signed_evidence(sitting or closed(), 7, 10)
    return document.signed(certificate(verify(evidence, {TINY.edition: TINY})), by)


def test_a_certificate_of_this_record_is_held_to_it_and_told() -> None:
    raw = spelled(whole())
    assert held(raw) == held(raw + b"\n") == held(raw, None, SIGNER.public) == ""

    evidence = signed_evidence(closed(), 7, 10)
    report = verify(evidence, {TINY.edition: TINY})
    (found,) = document.check_against_certificate(report, raw, accepted_keys(evidence)).findings
    assert (found.name, "valid_unsigned" in found.detail) == ("certified", True)


def test_the_members_are_those_that_are_documented() -> None:
    assert document.MEMBERS == {*MEMBERS, "signature"} == whole().keys()


def test_a_signature_covers_every_member() -> None:
    data = whole()
    for name in sorted(MEMBERS - {"format"}):
        assert held(spelled({**data, name: "changed"})) == "its signature is invalid", name
        assert held(spelled({key: value for key, value in data.items() if key != name})) == (
            "its members are not those of a certificate"
        ), name
    renamed = {**data["signature"], "name": f"evil.example/{data['encounter']}"}
    assert held(spelled({**data, "signature": renamed})) == "its signature is invalid"


def test_another_key_another_name_or_none_has_not_signed() -> None:
    data = certified(closed())
    assert held(spelled(data)) == "it is not signed"
    stranger = Signer(SIGNER.origin, b"o" * 32)
    assert held(spelled(whole(by=stranger))).endswith("which is not accepted")
    assert held(spelled(whole()), None, stranger.public).endswith("which is not accepted")
    posing = Signer("evil.example", SIGNER.secret)
    assert "its key's name is not that of" in held(spelled(whole(by=posing)))


def test_a_certificate_has_one_spelling() -> None:
    raw = spelled(whole())
    for other in (
        raw.replace(b'"encounter":', b'"encounter":"x","encounter":', 1),
        raw.replace(b'"size":10', b'"size":10.0', 1),
        raw.replace(b":", b": ", 1),
        b"\xef\xbb\xbf" + raw,
        raw + b"\n\n",
        b"[]",
        b"",
    ):
        assert other != raw
        assert held(other) != "", other[:40]


def test_a_certificate_of_another_record_does_not_fit() -> None:
    assert held(spelled(document.signed(certified(played()), SIGNER))).startswith("it is of another record")
    elsewhere = Sitting("00000000-0000-0000-0000-000000000009")
    elsewhere.open()
    data = document.signed(certificate(verify(evidence_of(elsewhere), {TINY.edition: TINY})), SIGNER)
    assert held(spelled(data)) != ""


LIES: dict[str, Any] = {
    "counts.quarantined": 1,
    "counts.commits": 9,
    "counts.refused": True,
    "counts.envelopes": 0,
    "dice.mode": "mixed",
    "dice.lanes": [],
    "dice.seats": ["ada"],
    "ruleset.edition": "tiny@2",
    "abandoned_before": 7,
    "decisions": [{"event": {}, "kind": "ruling", "n": 3, "seat": "gm"}],
    "seat_keys": [{"by": "ada", "commands": 3, "given": False, "key": "ab" * 32, "n": 2, "seat": "ada"}],
}


@pytest.mark.parametrize("name", LIES)
def test_a_certificate_that_says_something_else_of_the_record_does_not_fit(name: str) -> None:
    data = certified(closed())
    *path, last = name.split(".")
    holder = data
    for step in path:
        holder = holder[step]
    holder[last] = LIES[name]

    assert held(spelled(document.signed(data, SIGNER))) == f"its {name} is not that of this record"


def test_what_a_certificate_says_on_the_signers_word_alone_is_named() -> None:
    data = certified(closed()) | {"verifier": {"name": "the pope"}}
    report = verify(signed_evidence(closed(), 7, 10), {TINY.edition: TINY})
    held_to = document.check_against_certificate(
        report, spelled(document.signed(data, SIGNER)), {SIGNER.public: SIGNER.origin}
    )
    (finding,) = [each for each in held_to.findings if each.name == "certified"]
    assert "verifier" in finding.detail.partition("on the signer's word")[2]
    named = {*document.COMPARED, *document.LISTS, *document.BELIEVED}
    named |= {"encounter", "format", "verdict", "log.size", "log.head", "log.root"}
    told = {
        name if name in named or not isinstance(value, dict) else f"{name}.{each}"
        for name, value in data.items()
        for each in (value if isinstance(value, dict) else [name])
    }
    assert told == named, "each member is compared, or named"
