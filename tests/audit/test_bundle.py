"""Hold bundles to their form: what is written is read back whole, and nothing else is read at all."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from service.audit import bundle
from service.audit.evidence import EVERYBODY, Evidence, Receipt, stored
from service.audit.verdict import Verdict
from service.audit.verify import verify
from service.record.canonical import dumps
from tests.audit.evidence_of import closed, evidence_of, kept, played
from tests.support.tiny_game import TINY
from tests.support.tiny_table import Sitting, player

SHELF = {TINY.edition: TINY}


def written(evidence: Evidence, seat: str = "gm") -> bytes:
    return b"".join(bundle.write(evidence, seat))


def judged(raw: bytes, *receipts: Receipt) -> Verdict:
    """Return what `rewound verify` says of a file."""
    try:
        return verify(bundle.read(raw, receipts), SHELF).verdict
    except bundle.BadBundle as fault:
        return Verdict("malformed", fault.n)


@pytest.fixture(autouse=True)
def _own_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.audit.verify.ruleset_digest", lambda _ruleset: "0" * 64)


# --- round trip ---------------------------------------------------------------------------------------


def test_what_is_written_is_read_back_whole() -> None:
    evidence = evidence_of(closed(), seat="gm", named_edition="tiny@1")

    read = bundle.read(written(evidence))

    assert read == evidence


def test_the_lines_are_those_of_the_format() -> None:
    lines = [json.loads(line) for line in written(evidence_of(closed())).splitlines()]

    assert lines[0] == {
        "kind": "header",
        "format": "rewound/bundle/1",
        "encounter": closed().encounter,
        "edition": "tiny@1",
        "seat": "gm",
    }
    assert [line["kind"] for line in lines[1:3]] == ["command", "commit"]
    assert lines[-1] == {
        "kind": "trailer",
        "checkpoints": 0,
        "count": 10,
        "head": closed().written[-1].hash,
    }
    assert {line["kind"] for line in lines} == {"header", "command", "commit", "opened", "trailer"}


def test_a_store_gives_the_same_evidence_as_the_play_did() -> None:
    sitting = closed()

    assert stored(kept(sitting), sitting.encounter) == evidence_of(sitting, seat=EVERYBODY)


def test_a_closed_encounter_with_all_envelopes_open_is_valid_for_anybody() -> None:
    for seat in ("gm", "ada", "nobody-in-particular"):
        assert str(judged(written(evidence_of(closed()), seat))) == "valid_unsigned"


# --- what a reader may have ---------------------------------------------------------------------------


def half_chosen() -> Sitting:
    """Return a game in which ada has chosen and bo has not: her choice is sealed."""
    sitting = Sitting()
    sitting.open()
    sitting.do("add", amount=3)
    sitting.do("choose", player("ada"), number=3)
    sitting.do("add", amount=4)
    return sitting


@pytest.mark.parametrize(
    ("seat", "verdict"), [("ada", "valid_unsigned_to_epoch(0)"), ("bo", "valid_unsigned_as_opened(3)")]
)
def test_a_sealed_choice_is_in_its_own_seats_bundle_alone(seat: str, verdict: str) -> None:
    raw = written(evidence_of(half_chosen()), seat)

    assert str(judged(raw)) == verdict


def test_a_request_in_a_sealed_scope_is_withheld_even_from_the_gm() -> None:
    lines = [json.loads(line) for line in written(evidence_of(half_chosen()), "gm").splitlines()]

    assert {"kind": "command", "n": 3, "withheld": True} in lines
    assert "opened" not in {line["kind"] for line in lines}
    assert str(judged(written(evidence_of(half_chosen()), "gm"))) == "valid_unsigned_as_opened(3)"


def test_what_another_seat_may_not_see_is_nowhere_in_its_bundle() -> None:
    sitting = half_chosen()
    [(_, lies)] = sitting.written[2].sealed

    assert lies.payload not in written(evidence_of(sitting), "bo")
    assert lies.salt.hex().encode() not in written(evidence_of(sitting), "bo")
    assert sitting.requests[2] not in written(evidence_of(sitting), "bo")


# --- strict -------------------------------------------------------------------------------------------


def changed_line(raw: bytes, number: int, change: Callable[[dict[str, Any]], object]) -> bytes:
    lines = raw.splitlines(keepends=True)
    data = json.loads(lines[number])
    change(data)
    lines[number] = dumps(data) + b"\n"
    return b"".join(lines)


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (0, lambda line: line.update(format="rewound/bundle/2")),
        (0, lambda line: line.update(kind="trailer")),
        (0, lambda line: line.update(extra=1)),
        (0, lambda line: line.pop("seat")),
        (1, lambda line: line.update(n=2)),
        (1, lambda line: line.update(kind="commands")),
        (1, lambda line: line.update(bytes=1)),
        (2, lambda line: line.update(n=True)),
        (2, lambda line: line.update(kind="command")),
        (-1, lambda line: line.update(head="abc")),
        (-1, lambda line: line.update(count="9")),
    ],
)
def test_a_line_of_another_shape_is_no_bundle(
    number: int, change: Callable[[dict[str, Any]], object]
) -> None:
    with pytest.raises(bundle.BadBundle):
        bundle.read(changed_line(written(evidence_of(played())), number, change))


def test_lines_out_of_order_are_no_bundle() -> None:
    lines = written(evidence_of(played())).splitlines(keepends=True)
    for at in range(len(lines) - 1):
        swapped = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
        with pytest.raises(bundle.BadBundle):
            bundle.read(b"".join(swapped))


def test_a_line_that_is_not_canonical_is_no_bundle() -> None:
    raw = written(evidence_of(played()))

    with pytest.raises(bundle.BadBundle, match="line 1"):
        bundle.read(raw.replace(b'{"edition"', b'{ "edition"', 1))


def test_a_line_too_long_is_no_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MAX_LINE", 100)

    with pytest.raises(bundle.BadBundle, match="more than 100 bytes"):
        bundle.read(written(evidence_of(played())))


def test_nothing_at_all_is_no_bundle() -> None:
    with pytest.raises(bundle.BadBundle, match="not a header"):
        bundle.read(b"")


# --- cut off, changed ---------------------------------------------------------------------------------


def test_a_bundle_that_is_cut_off_anywhere_is_truncated_or_no_bundle() -> None:
    raw = written(evidence_of(played()))
    header = raw.index(b"\n") + 1

    names = {judged(raw[:end]).name for end in range(header, len(raw))}

    assert names == {"truncated"}


def test_a_receipt_finds_what_was_cut_off_with_a_trailer_made_to_fit() -> None:
    whole = played()
    shorter = Sitting()
    shorter.requests, shorter.written = whole.requests[:5], whole.written[:5]
    receipt = Receipt(7, whole.written[6].hash)

    assert str(judged(written(evidence_of(shorter)), receipt)) == "truncated(6 to 7)"


def test_random_mutations_are_all_found() -> None:
    seed = 20260102
    rng = random.Random(seed)
    raw = written(evidence_of(closed()))
    missed = []
    for attempt in range(2_000):
        at = rng.randrange(len(raw))
        mutated = rng.choice(
            (
                raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :],
                raw[:at] + raw[at + 1 :],
                raw[:at] + bytes([rng.randrange(256)]) + raw[at:],
            )
        )
        if mutated != raw and judged(mutated).is_sound and not _says_the_same(mutated, raw):
            missed.append((attempt, at))

    assert missed == [], f"seed {seed}"


def _says_the_same(mutated: bytes, raw: bytes) -> bool:
    """Tell whether a mutation changed only whom the bundle says it was written for: that is no evidence."""
    return bundle.read(mutated) == bundle.read(raw)


# --- exactly what the reader may see ------------------------------------------------------------------


def without(raw: bytes, kind: str) -> bytes:
    """Return *raw* without its first line of *kind*."""
    lines = raw.splitlines(keepends=True)
    lines.remove(next(line for line in lines if json.loads(line)["kind"] == kind))
    return b"".join(lines)


def test_an_envelope_that_was_taken_out_of_a_bundle_is_missed() -> None:
    assert str(judged(without(written(evidence_of(closed())), "opened"))) == "malformed(4)"
    assert str(judged(without(written(evidence_of(half_chosen()), "ada"), "opened"))) == "malformed(3)"


def test_a_request_that_was_withheld_though_it_is_open_is_missed() -> None:
    lines = written(evidence_of(closed())).splitlines(keepends=True)
    lines[3] = dumps({"kind": "command", "n": 2, "withheld": True}) + b"\n"

    assert str(judged(b"".join(lines))) == "malformed(2)"


def test_a_bundle_of_another_seat_is_told_from_its_own() -> None:
    raw = written(evidence_of(half_chosen()), "ada")

    assert str(judged(changed_line(raw, 0, lambda line: line.update(seat="bo")))) == "malformed(3)"
    assert str(judged(changed_line(raw, 0, lambda line: line.update(edition="tiny@2")))) == "malformed(1)"
    assert str(judged(changed_line(raw, 0, lambda line: line.update(seat="*")))) == "malformed(0)"


def test_a_payload_that_the_store_has_lost_is_tampered_with() -> None:
    evidence = evidence_of(half_chosen(), seat=EVERYBODY, opened={})

    assert str(verify(evidence, SHELF).verdict) == "tampered(3)"
