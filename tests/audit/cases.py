"""Draw cases of every kind by the thousand: bundles of other shapes, changed vectors, files of strangers.

`python -m tests.audit.cases [COUNT [SEED]]` (make shapes) tries COUNT of them in both verifiers; a sample
runs with the tests. Both end with the same verdict, and no process breaks; a tenth is decided
by the rules, too. Every line of output names the seed.
"""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

from service.audit import bundle
from service.audit.certificate import certificate
from service.audit.evidence import Evidence, Receipt
from service.audit.held import judge
from service.audit.witness_policy import BadPolicy
from service.record.canonical import NotCanonical, dumps
from tests.audit.bundle_vectors import HOME, TABLE
from tests.audit.evidence_of import forged
from tests.audit.games import RULES
from tests.audit.shapes import reshaped, spoil
from tests.audit.strangers import drawn
from tests.support.javascript_verifier import Case, as_bundle, expected, held_against, judged

Row = dict[str, Any]
BATCH: Final = 250
WITH_RULES: Final = 10
"""Of so many cases one is decided by the rules, too."""
MOST_BYTES: Final = 60_000
"""Larger vectors are left out: they take the time of many."""


def case_of(seed: int) -> Case:
    """Return the case that *seed* makes."""
    rng = random.Random(f"case {seed}")
    how = rng.random()
    if how < 0.3:
        return Case(reshaped(seed))
    return changed_vector(rng) if how < 0.65 else drawn(seed)


# --- vectors, changed ------------------------------------------------------------------------------------


@cache
def rows() -> list[Row]:
    """Return the rows of the vectors that are small."""
    table: list[Row] = json.loads(TABLE.read_text("utf-8"))
    return [row for row in table if (HOME / row["file"]).stat().st_size < MOST_BYTES]


def changed_vector(rng: random.Random) -> Case:
    """Return a vector with one value changed, in a line of the file or in a text inside one."""
    row = rng.choice(rows())
    case = _case(row)
    if rng.random() < 0.3:
        return replace(case, raw=_line_changed(case.raw, rng))
    try:
        fight = list(bundle.read_fight(case.raw))
    except bundle.BadBundle:
        return replace(case, raw=_line_changed(case.raw, rng))
    at = rng.randrange(len(fight))
    try:
        fight[at] = _moment_changed(fight[at], rng)
    except (NotCanonical, ValueError, KeyError, IndexError, AttributeError):
        return case  # a vector that is malformed inside
    if rng.random() < 0.6:
        fight = [replace(line, notes=(), keys=()) for line in fight]
        case = replace(case, pinned=())
    raw = as_bundle(*fight)
    return case if raw is None else replace(case, raw=raw)


def _case(row: Row) -> Case:
    """Return a vector with what is held against it."""

    def file(name: str) -> bytes | None:
        return (HOME / row[name]).read_bytes() if name in row else None

    receipts = [each.partition(":") for each in row.get("receipts", ())]
    return Case(
        (HOME / row["file"]).read_bytes(),
        receipts=tuple(Receipt(int(n), hash_) for n, _, hash_ in receipts),
        pinned=tuple(map(bytes.fromhex, row["keys"])),
        seat_keys=dict(each.split(":") for each in row.get("seat_keys", ())),
        receipt=file("receipt"),
        certificate=file("certificate"),
        policy=file("policy"),
    )


def _line_changed(raw: bytes, rng: random.Random) -> bytes:
    lines = raw.split(b"\n")
    at = rng.randrange(len(lines))
    try:
        data = json.loads(lines[at])
    except ValueError:
        return raw[: rng.randrange(len(raw) + 1)]
    if not isinstance(data, dict) or not data:
        return raw
    spoil(data, rng)
    lines[at] = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    return b"\n".join(lines)


def _moment_changed(evidence: Evidence, rng: random.Random) -> Evidence:
    """Change a commit or a request of a line of play, and make every hash fit."""
    n = rng.randrange(1, len(evidence.commits) + 1)
    raw = evidence.requests[n - 1]
    if raw is None or rng.random() < 0.7:
        return forged(evidence, n, lambda commit: spoil(_inside(commit, rng), rng))
    data = json.loads(raw)
    spoil(data if rng.random() < 0.6 or not data["data"] else data["data"], rng)
    changed = dumps(data)
    requests = [*evidence.requests[: n - 1], changed, *evidence.requests[n:]]
    named = forged(evidence, n, lambda commit: commit.update(request=sha256(changed).hexdigest()))
    return replace(named, requests=requests)


def _inside(commit: Row, rng: random.Random) -> Any:
    """Return the commit, or what it tells: most members of most commits are checked at the first look."""
    found = [part for part in (*commit["events"], *commit["rolls"]) if len(part) > 1]
    return rng.choice(found) if found and rng.random() < 0.7 else commit


# --- what is said of them --------------------------------------------------------------------------------


def differences(seeds: Sequence[int], said: Counter[str] | None = None) -> list[str]:
    """Return each case on which a verifier breaks, or on which they differ; count verdicts in *said*."""
    cases, found, ours = [case_of(seed) for seed in seeds], list[str](), list[str]()
    for seed, case in zip(seeds, cases, strict=True):
        try:
            if seed % WITH_RULES == 0:
                _decided(case)
            ours.append(expected(case))
        except Exception:  # noqa: BLE001 - that is what is looked for
            ours.append("")
            found.append(f"seed {seed}: {traceback.format_exc(limit=-3)}")
    for seed, mine, theirs in zip(seeds, ours, judged(cases), strict=True):
        if mine and mine != theirs:
            found.append(f"seed {seed}: Python says {mine}, JavaScript {theirs}")
    if said is not None:
        said.update(each.partition("(")[0] for each in ours)
    return found


def _decided(case: Case) -> None:
    """Judge a case by the rules, too, and make a certificate of it; raises whatever breaks."""
    with suppress(BadPolicy):
        json.dumps(certificate(judge(case.raw, held_against(case), RULES)))


def main() -> int:
    """Try as many as the first argument says, from the second's seed on."""
    count, first = (*map(int, sys.argv[1:]), *(5_000, 0)[len(sys.argv) - 1 :])
    wrong, said = 0, Counter[str]()
    for start in range(first, first + count, BATCH):
        for line in differences(range(start, min(first + count, start + BATCH)), said):
            wrong += 1
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    shares = ", ".join(f"{name} {number}" for name, number in said.most_common())
    sys.stdout.write(f"{count} cases ({shares}): {wrong} not judged, or judged in two ways\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
