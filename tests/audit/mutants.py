"""Change bundles at random, each change with the verdict that is right for it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from service.audit.evidence import Evidence, Receipt
from service.audit.held import Held
from service.audit.verdict import (
    CERTIFICATE_MISMATCH,
    MALFORMED,
    NOT_A_BUNDLE,
    RECEIPT_MISMATCH,
    TAMPERED,
    TRUNCATED,
    Verdict,
)
from service.record.canonical import dumps
from tests.audit.evidence_of import forged
from tests.audit.expected import Line, expected_of
from tests.audit.games import any_game, written
from tests.audit.shapes import PROTOTYPE, spoil
from tests.audit.strangers import files
from tests.support.tiny_table import SIGNER

NOTHING: Final = Held()


@dataclass(frozen=True)
class Mutant:
    """A changed bundle, and what must be said of it."""

    kind: str
    raw: bytes
    names: frozenset[str]
    n: int | None = None
    """The commit that must be named; None where any may be."""
    to: int | None = None
    held: Held = NOTHING
    """What the reader has beside it."""

    def is_found_in(self, verdict: Verdict) -> bool:
        """Tell whether *verdict* is the right one."""
        return (
            verdict.name in self.names
            and (self.n is None or verdict.n == self.n)
            and (self.to is None or verdict.to == self.to)
        )


# --- one byte, one bit -------------------------------------------------------------------------------


def byte(evidence: Evidence, rng: random.Random) -> Mutant:
    """Change the file anywhere: a bit, a byte, one more or one less."""
    raw = written(evidence)
    at = rng.randrange(len(raw))
    changed = rng.choice(
        (
            raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :],
            raw[:at] + raw[at + 1 :],
            raw[:at] + bytes([rng.randrange(256)]) + raw[at:],
            raw[:at] + bytes([rng.randrange(32, 127)]) + raw[at + 1 :],
        )
    )
    names, n = expected_of(raw, changed)
    return Mutant("byte", changed, names, n)


# --- a line, a value ---------------------------------------------------------------------------------


def _lines(evidence: Evidence) -> list[Line]:
    return [json.loads(line) for line in written(evidence).splitlines()]


def _file(lines: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(dumps(line) + b"\n" for line in lines)


def dropped(evidence: Evidence, rng: random.Random) -> Mutant:
    """Take out a line."""
    lines = _lines(evidence)
    at = rng.randrange(len(lines))
    names = {"header": NOT_A_BUNDLE, "key": TAMPERED, "trailer": TRUNCATED}.get(lines[at]["kind"], MALFORMED)
    return Mutant("dropped", _file([*lines[:at], *lines[at + 1 :]]), frozenset({names}))


def unsigned(evidence: Evidence, rng: random.Random) -> Mutant:
    """Take out a checkpoint that is not the last, and make the trailer fit."""
    lines = _lines(evidence)
    notes = [line for line in lines if line["kind"] == "checkpoint"]
    if len(notes) == 1:
        return dropped(evidence, rng)
    gone = rng.choice(notes[:-1])
    lines.remove(gone)
    lines[-1]["checkpoints"] -= 1
    return Mutant("unsigned", _file(lines), frozenset({MALFORMED}), int(gone["note"].split("\n")[1]))


def doubled(evidence: Evidence, rng: random.Random) -> Mutant:
    """Put a line in twice."""
    lines = _lines(evidence)
    at = rng.randrange(len(lines))
    return Mutant("doubled", _file([*lines[: at + 1], *lines[at:]]), frozenset({MALFORMED}))


def swapped(evidence: Evidence, rng: random.Random) -> Mutant:
    """Let the texts of two commits change places."""
    lines = _lines(evidence)
    one, two = sorted(rng.sample(range(1, len(evidence.commits) + 1), 2))
    places = {line["n"]: line for line in lines if line["kind"] == "commit"}
    places[one]["bytes"], places[two]["bytes"] = places[two]["bytes"], places[one]["bytes"]
    # an envelope that lies beside another commit now has nothing to lie in
    return Mutant("swapped", _file(lines), frozenset({TAMPERED, MALFORMED}))


def inserted(evidence: Evidence, rng: random.Random) -> Mutant:
    """Put a forged commit among the others, with every number behind it made to fit."""
    lines = _lines(evidence)
    at = rng.randrange(2, len(evidence.commits) + 1)
    start = next(i for i, line in enumerate(lines) if line.get("n") == at)
    pair = [dict(line) for line in lines[start : start + 2]]
    for line in lines[start:]:
        if "n" in line:
            line["n"] += 1
    lines[-1]["count"] += 1
    return Mutant(
        "inserted", _file([*lines[:start], *pair, *lines[start:]]), frozenset({TAMPERED, MALFORMED})
    )


def removed(evidence: Evidence, rng: random.Random) -> Mutant:
    """Take a commit out whole, with every number behind it made to fit."""
    at = rng.randrange(1, len(evidence.commits))
    lines = [line for line in _lines(evidence) if line.get("n") != at]
    for line in lines:
        if line.get("n", 0) > at:
            line["n"] -= 1
    lines[-1]["count"] -= 1
    return Mutant("removed", _file(lines), frozenset({TAMPERED}))


def _later(commit: Line) -> None:
    commit["at"] = "2031-01-01T00:00:00.000Z"


def value(evidence: Evidence, rng: random.Random) -> Mutant:
    """Change what a commit says, in the one spelling."""
    n = rng.randrange(1, len(evidence.commits) + 1)
    lines = _lines(evidence)
    line = next(line for line in lines if line["kind"] == "commit" and line["n"] == n)
    data = json.loads(line["bytes"])
    _later(data)
    line["bytes"] = dumps(data).decode()
    return Mutant("value", _file(lines), frozenset({TAMPERED}), n)


def request(evidence: Evidence, rng: random.Random) -> Mutant:
    """Change what a command asked for, in the one spelling."""
    n = rng.randrange(1, len(evidence.commits) + 1)
    lines = _lines(evidence)
    line = next(line for line in lines if line["kind"] == "command" and line["n"] == n)
    data = json.loads(line["bytes"])
    data["nonce"] = f"{rng.randrange(2**128):032x}"
    line["bytes"] = dumps(data).decode()
    return Mutant("request", _file(lines), frozenset({TAMPERED}), n)


def payload(evidence: Evidence, rng: random.Random) -> Mutant:
    """Change what lies in an envelope, or its salt."""
    lines = _lines(evidence)
    opened = [line for line in lines if line["kind"] == "opened"]
    if not opened:
        return value(evidence, rng)
    line = rng.choice(opened)
    if rng.random() < 0.5:
        line["salt"] = f"{rng.randrange(2**256):064x}"
    else:
        data = json.loads(line["payload"])
        data["more"] = rng.randrange(1_000)
        line["payload"] = dumps(data).decode()
    return Mutant("payload", _file(lines), frozenset({TAMPERED}), line["n"])


def hidden(evidence: Evidence, rng: random.Random) -> Mutant:
    """Withhold a request that is open, or take out what lay in an open envelope."""
    lines = _lines(evidence)
    line = rng.choice([line for line in lines if line["kind"] in ("command", "opened")])
    if line["kind"] == "opened":
        lines.remove(line)
    else:
        lines[lines.index(line)] = {"kind": "command", "n": line["n"], "withheld": True}
    return Mutant("hidden", _file(lines), frozenset({MALFORMED}), line["n"])


# --- a history that fits by itself -------------------------------------------------------------------


def rewritten(evidence: Evidence, rng: random.Random) -> Mutant:
    """Rewrite a commit and chain all that follows anew, below a checkpoint or a receipt that is held."""
    n = rng.randrange(1, len(evidence.commits) + 1)
    false = forged(evidence, n, _later)
    held = [int(note.split("\n")[1]) for note in evidence.notes]
    receipts: tuple[Receipt, ...] = ()
    if rng.random() < 0.5:
        at = rng.randrange(n, len(evidence.commits) + 1)
        receipts = (Receipt(at, sha(evidence.commits[at - 1])),)
        false, held = replace(false, notes=()), [at]
    first = min(size for size in held if size >= n)
    before = max((size for size in held if size < n), default=0)
    to = None if before + 1 == first else first
    return Mutant("rewritten", written(false), frozenset({TAMPERED}), before + 1, to, Held(receipts=receipts))


def cut_off(evidence: Evidence, rng: random.Random) -> Mutant:
    """Cut the end off and make the trailer fit, below a checkpoint that somebody holds."""
    last = rng.randrange(1, len(evidence.commits))
    opened = {place: what for place, what in evidence.opened.items() if place[0] <= last}
    shorter = replace(
        evidence,
        commits=evidence.commits[:last],
        requests=evidence.requests[:last],
        opened=opened,
        count=last,
        head=sha(evidence.commits[last - 1]),
    )
    size = len(evidence.commits)
    return Mutant("cut_off", written(shorter), frozenset({TRUNCATED}), last + 1, size)


def sha(raw: bytes) -> str:
    """Return the hash of a commit's bytes."""
    return sha256(b"\0" + raw).hexdigest()


# --- strangers' names and files ----------------------------------------------------------------------


def named(evidence: Evidence, rng: random.Random) -> Mutant:
    """Add a member with a name that every object of JavaScript has, where all members are known."""
    lines = _lines(evidence)
    line = rng.choice(lines)
    odd: Any = rng.choice((1, {}, [], None, {"x": 1}, "x"))
    name = rng.choice(PROTOTYPE)
    if line["kind"] not in ("commit", "command") or rng.random() < 0.3:
        line[name] = odd
        return Mutant("named", _file(lines), frozenset({MALFORMED}))
    data = json.loads(line["bytes"])
    part: Line = rng.choice([data, *data.get("rolls", ()), *([data["actor"]] if "actor" in data else ())])
    part[name] = odd
    line["bytes"] = dumps(data).decode()
    return Mutant("named", _file(lines), frozenset({MALFORMED}), line["n"])


def filed(_: Evidence, rng: random.Random) -> Mutant:
    """Change a value of a signed receipt or a certificate that is held against a sound record."""
    kind, raw, verdict = rng.choice(
        (("receipt", files().receipt, RECEIPT_MISMATCH), ("paper", files().certificate, CERTIFICATE_MISMATCH))
    )
    data = json.loads(raw)
    while data == json.loads(raw) or "format" not in data:  # without it, it is an answer that nobody signed
        data = json.loads(raw)
        spoil(data, rng)
    changed = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    given = {"signed_receipts": (changed,)} if kind == "receipt" else {"certificate": changed}
    held = replace(Held(keys=(SIGNER.public,)), **given)
    return Mutant(kind, files().raw, frozenset({verdict}), held=held)


KINDS: Final[tuple[Callable[[Evidence, random.Random], Mutant], ...]] = (
    byte,
    byte,
    byte,
    dropped,
    unsigned,
    doubled,
    swapped,
    inserted,
    removed,
    value,
    request,
    payload,
    hidden,
    rewritten,
    cut_off,
    named,
    filed,
)


def mutant_of(seed: int) -> Mutant:
    """Return the mutant that *seed* makes."""
    rng = random.Random(f"mutant {seed}")
    evidence = any_game(rng)
    return rng.choice(KINDS)(evidence, rng)
