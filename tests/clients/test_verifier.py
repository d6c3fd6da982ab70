"""Hold the verifier in JavaScript to the vectors, to Python's dice, and to its verdicts on forged bundles."""

from __future__ import annotations

import base64
import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.audit import bundle
from service.audit.certificate import certificate, check_against_certificate, signed
from service.audit.evidence import Evidence, Receipt, stored
from service.audit.signatures import accepted_keys
from service.audit.signing import Signer
from service.audit.verdict import MALFORMED, NOT_A_BUNDLE
from service.audit.verify import verify
from service.record.canonical import dumps, is_canonical
from service.record.ed25519 import public_key
from tests.audit.bundle_vectors import TABLE
from tests.audit.evidence_of import closed as closed_game
from tests.audit.evidence_of import cut, evidence_of, forged, played, resealed, signed_evidence
from tests.clients import draws
from tests.support.in_process_service import House
from tests.support.javascript_verifier import (
    NODE,
    OTHERWISE,
    ROOT,
    WITHOUT_RULES,
    Case,
    as_bundle,
    described,
    differences,
    judged,
    node,
    without_rules,
)
from tests.support.tiny_game import TINY
from tests.support.tiny_table import SIGNER

MUTATIONS = 300
SPELLINGS = (
    *(
        b'{"a":1,"b":[]}',
        b'{"b":1,"a":1}',
        b'{"a":1,"a":1}',
        b'{"a": 1}',
        b"{}",
        b" {}",
        b"{}\n",
        b"[1,2,]",
        b"",
    ),
    *(b"1", b"01", b"-1", b"-0", b"+1", b"1.0", b"1e3", b"9007199254740991", b"9007199254740992", b"NaN"),
    *(
        b'"\\u001f"',
        b'"\\u001F"',
        b'"\\n"',
        b'"\\u000a"',
        b'"\\/"',
        b'"\\u007f"',
        b'"\x7f"',
        b'"\x01"',
        b'"\\b\\f"',
    ),
    *('"é"'.encode(), '"e\u0301"'.encode(), b'"\xff"', b'"\\ud800"', '"\U0001f409"'.encode(), b'"\\u00e9"'),
    *(
        b"\xef\xbb\xbf{}",
        '{"é":1}'.encode(),
        b'{"__proto__":1}',
        b"true",
        b"truex",
        b"nul",
        b'"a',
        b"[" * 64 + b"]" * 64,
    ),
    *(
        b"[" * 65 + b"]" * 65,
        b'{"":0}',
        b'{"10":0,"9":0}',
        b'{"9":0,"10":0}',
        b'"\xed\xa0\x80"',
        b"[1 ,2]",
        b'{"a":}',
    ),
)


@pytest.fixture(scope="module")
def whole() -> bytes:
    return b"".join(bundle.write(signed_evidence(closed_game(), 3, 7, 10), "gm"))


def case_of(row: dict[str, Any]) -> Case:
    pairs = (each.split(":") for each in row.get("receipts", ()))
    receipts = tuple(Receipt(int(n), hash_) for n, hash_ in pairs)
    signed = ((TABLE.parent / row["receipt"]).read_bytes(),) if "receipt" in row else ()
    raw, keys = (TABLE.parent / row["file"]).read_bytes(), tuple(map(bytes.fromhex, row["keys"]))
    return Case(raw, receipts, keys, signed)


def turn(commit: dict[str, Any]) -> None:
    die = commit["rolls"][0]["dice"][0]
    die["face"] = die["face"] % die["sides"] + 1


# --- what it computes ----------------------------------------------------------------------------------


def test_it_holds_all_vectors_and_refuses_what_must_fail() -> None:
    found = json.loads(node("tests/clients/vectors.mjs"))

    assert found["failed"] == []
    assert found["count"] > 60


def test_both_verifiers_describe_a_fault_in_the_same_words() -> None:
    """Except where Python also names the line or the member that does not fit the format."""
    own_words = (MALFORMED, NOT_A_BUNDLE, "valid")
    rows = [row for row in json.loads(TABLE.read_text("utf-8")) if not row["verdict"].startswith(own_words)]
    cases = [case_of(row) for row in rows]
    said = [[str(verdict), verdict.detail] for verdict in map(without_rules, cases)]

    assert described(cases) == said
    assert len({detail for _, detail in said}) > 25


def test_it_throws_the_same_dice() -> None:
    epochs = 3
    assert draws.draws(epochs) > 10_000
    assert draws.theirs(epochs) == draws.hashes(epochs)


def test_it_reads_the_same_spellings_and_no_others() -> None:
    said = json.loads(
        node(
            "tests/clients/spellings.mjs",
            told=json.dumps([base64.b64encode(raw).decode() for raw in SPELLINGS]),
        )
    )

    assert dict(zip(SPELLINGS, said, strict=True)) == {raw: is_canonical(raw) for raw in SPELLINGS}


# --- what it judges ------------------------------------------------------------------------------------


def cheats(whole: Evidence) -> list[tuple[str, Evidence]]:
    """Return one forgery for each verdict that needs no rules, and what must be said of it."""
    last = len(whole.commits)
    rewritten = forged(whole, 5, lambda commit: commit.update(at="2031-01-01T00:00:00.000Z"))
    contradicted = signed_evidence(closed_game(), 5, 10)
    other = SIGNER.checkpoint(whole.encounter, 5, bytes(32))
    return [
        ("malformed", forged(whole, 6, lambda commit: commit.update(outcome="won"))),
        ("malformed", evidence_of(closed_game(), requests=[*whole.requests[:-1], b"{}"])),
        ("tampered", evidence_of(closed_game(), requests=[*whole.requests[:-1], whole.requests[0]])),
        ("tampered", evidence_of(closed_game(), head="a" * 64)),
        ("tampered", signed_evidence(closed_game(), 3, 8, commits=rewritten.commits, head=rewritten.head)),
        ("truncated", cut(whole, last - 3)),
        ("forked", evidence_of(closed_game(), keys=contradicted.keys, notes=(other, *contradicted.notes))),
        ("dice_invalid", forged(whole, 3, turn)),
        (OTHERWISE, forged(whole, 2, lambda commit: commit["events"][0].update(by=9))),
        (OTHERWISE, whole),
    ]


def test_it_names_every_verdict_that_needs_no_rules_as_python_does() -> None:
    wanted = cheats(evidence_of(closed_game()))
    cases = [Case(raw) for raw in map(as_bundle, (evidence for _, evidence in wanted)) if raw is not None]

    assert [text.partition("(")[0] for text in judged(cases)] == [name for name, _ in wanted]
    assert differences(cases) == []
    assert {name for name, _ in wanted} == {*WITHOUT_RULES, OTHERWISE}


def test_a_sealed_choice_that_was_sealed_anew_is_held_to_its_envelope() -> None:
    evidence = evidence_of(closed_game())
    place = min(evidence.opened)
    changed = resealed(evidence, place, lambda payload: payload["events"][0].update(number=9))
    unfit = evidence_of(closed_game(), opened=changed.opened)

    raws = [as_bundle(each) for each in (changed, unfit)]
    assert judged([Case(raw) for raw in raws if raw]) == [OTHERWISE, f"tampered({place[0]})"]


def test_it_proves_the_dice_of_a_line_that_goes_on_from_another() -> None:
    with House() as house:
        played = house.open(TINY, {})
        for who, sent, data in (
            ("gm", "roll", {}),
            ("ada", "choose", {"number": 3}),
            ("gm", "add", {"amount": 30}),
            ("gm", "end_round", {}),
            ("gm", "roll", {}),
        ):
            house.send(played, who, sent, **data)
        house.send(played, "ada", "contest", commit=6, claim="a d8 it should be")
        instead = [{"type": "roll", "data": {"sides": 8}}]
        proposal = house.proposed(played, "amend", contest="c1", decision="so it is", instead=instead)
        line = house.accept(played, proposal)
        house.send(line, "bo", "choose", number=1)
        house.send(line, "gm", "end_round")
        house.send(line, "gm", "end_round")  # the dice of the ruling have an epoch of their own
        fight = [stored(house.log, each) for each in (played, line)]
    assert verify(fight[-1], {TINY.edition: TINY}).counts.rolls_checked > 0
    cases = [Case(b"".join(bundle.write_fight(fight, seat))) for seat in ("gm", "ada", "bo")]

    assert judged(cases) == [OTHERWISE] * 3
    found = bundle.read(cases[0].raw)
    rolled = [n for n, raw in enumerate(found.commits, 1) if json.loads(raw)["rolls"]]
    turned = [Case(raw) for n in rolled if (raw := as_bundle(forged(found, n, turn))) is not None]
    assert differences(turned) == []
    assert any(text.startswith("dice_invalid(") for text in judged(turned))


def test_it_says_the_same_of_random_mutations(whole: bytes) -> None:
    seed = 20261121
    rng = random.Random(seed)
    cases = [Case(mutate(rng, whole)) for _ in range(MUTATIONS) for mutate in [rng.choice(MUTATORS)]]

    assert differences(cases) == [], f"seed {seed}"


def _bit(rng: random.Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :]


def _gap(rng: random.Random, raw: bytes) -> bytes:
    at = rng.randrange(len(raw))
    return raw[:at] + raw[at + rng.randrange(1, 5) :]


def _line_gone(rng: random.Random, raw: bytes) -> bytes:
    lines = raw.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _lines_swapped(rng: random.Random, raw: bytes) -> bytes:
    lines = raw.splitlines(keepends=True)
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _member(rng: random.Random, raw: bytes) -> bytes:
    """Change one member of one line, still canonical: the shape of lines is what is tried."""
    lines = raw.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    line = json.loads(lines[at])
    name = rng.choice(sorted(line))
    line[name] = rng.choice([0, 1, 7, True, None, "", "0" * 64, "gm", [], {}, "x\n\ny\n"])
    lines[at] = dumps(line) + b"\n"
    return b"".join(lines)


MUTATORS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _bit,
    _gap,
    _line_gone,
    _lines_swapped,
    _member,
    _member,
)


# --- at the command line -------------------------------------------------------------------------------


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "clients" / "javascript" / "verify.mjs"
    return subprocess.run(
        [NODE, script, *arguments], capture_output=True, text=True, check=False, timeout=60, encoding="utf-8"
    )


def test_it_tells_what_it_checked_and_what_it_did_not(whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "fight.jsonl"
    file.write_bytes(whole)

    done = ran(str(file), "--key", SIGNER.public.hex(), "--receipt", f"4:{closed_game().written[3].hash}")

    assert done.returncode == 12
    assert done.stdout.startswith("valid_without_rules\n")
    assert "no rule was applied" in done.stdout
    assert "not checked: whether the rules lead to these results" in done.stdout
    assert "10 of 10 commits, by a key you gave" in done.stdout
    assert "3 signed heads hold" in done.stdout
    assert "1 receipt holds" in done.stdout
    assert "3 rolls with 3 dice proved" in done.stdout


def test_what_was_forged_ends_with_the_status_of_its_verdict(whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "forged.jsonl"
    raw = as_bundle(forged(evidence_of(closed_game()), 3, turn))
    assert raw is not None
    file.write_bytes(raw)

    done = ran(str(file), "--json")

    assert done.returncode == 7
    assert json.loads(done.stdout)["verdict"]["text"] == "dice_invalid(3, 1/0/table#0)"
    file.write_bytes(whole)
    assert ran(str(file), "--key", "07" * 32).returncode == 4
    assert ran(str(file)).returncode == ran(str(file), "--without-rules").returncode == 13
    assert ran(str(file), "--unsigned").returncode == 12
    assert ran(str(file), "--unsigned", "--without-rules").returncode == 0
    assert ran(str(file), "--key", SIGNER.public.hex(), "--without-rules").returncode == 0
    assert ran(str(file), "--receipt", "4:" + "0" * 64).returncode == 4
    assert ran(str(file), "--receipt", "nonsense").returncode == 2
    assert ran(str(tmp_path / "none")).returncode == 1


def test_a_certificate_is_held_to_its_signature_and_its_record(whole: bytes, tmp_path: Path) -> None:
    file, paper = tmp_path / "fight.jsonl", tmp_path / "certificate.json"
    file.write_bytes(whole)
    evidence = bundle.read(whole)
    data = certificate(verify(evidence, {}, without_rules=True))
    found = signed(data, SIGNER)
    shorter = signed(certificate(verify(evidence_of(played()), {})), SIGNER)
    anybody = signed(data, Signer(SIGNER.origin, b"o" * 32))
    posing = signed(data, Signer("evil.example", SIGNER.secret))
    renamed = {**found, "signature": {**found["signature"], "name": f"evil.example/{evidence.encounter}"}}
    raw = dumps(found)
    papers = [
        *(
            dumps(each)
            for each in (found, {**found, "live_state": "equal"}, shorter, anybody, posing, renamed)
        ),
        raw + b"\n",
        raw.replace(b'"encounter":', b'"encounter":"x","encounter":', 1),
        raw.replace(b'"size":10', b'"size":10.0', 1),
        json.dumps(found, indent=1).encode(),
        dumps(data),
        b"",
    ]

    said = []
    for each in papers:
        paper.write_bytes(each)
        done = ran(str(file), "--certificate", str(paper))
        first, _, detail = done.stdout.splitlines()[:3]
        said.append((done.returncode, first, detail.strip()))
        ours = check_against_certificate(
            verify(evidence, {}, without_rules=True), each, accepted_keys(evidence)
        )
        assert first == str(ours.verdict), each[:60]

    fits = (
        13,
        OTHERWISE,
        "not checked: whether the rules lead to these results, which `rewound verify` checks",
    )
    mismatch = [detail for _, name, detail in said if name == "certificate_mismatch"]
    assert [said[0], said[6]] == [fits, fits]
    assert {status for status, name, _ in said if name == "certificate_mismatch"} == {17}
    assert mismatch == [
        "its signature is invalid",
        "it is of another record, because its size, head or root differs",
        f"it was signed by {public_key(b'o' * 32).hex()}, which is not accepted",
        "its key's name is not that of a key that signs this encounter",
        "its signature is invalid",
        *["it is not canonical JSON"] * 3,
        "it is not signed",
        "it is not canonical JSON",
    ]
