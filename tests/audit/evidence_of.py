"""Turn what was played in a test into evidence, and forge it as a cheat would."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from service.audit.evidence import Evidence
from service.audit.signing import Signer, VouchedKey
from service.audit.tree import root
from service.dice.chain import envelope_commitment
from service.log import CommitWrite
from service.log.memory import MemoryLog
from service.record.canonical import commit_hash, dumps, eid_of
from service.record.commit import load_commit
from service.record.envelopes import Place, StoredEnvelope
from tests.support.tiny_table import SIGNER, Sitting, player

Change = Callable[[dict[str, Any]], None]


def evidence_of(sitting: Sitting, **changes: Any) -> Evidence:
    """Return everything that *sitting* wrote, as a worker's audit would gather it, with *changes*."""
    opened = {(written.n, index): lies for written in sitting.written for index, lies in written.sealed}
    known: dict[str, Any] = {
        "encounter": sitting.encounter,
        "requests": list(sitting.requests),
        "commits": [written.raw for written in sitting.written],
        "opened": opened,
        "count": len(sitting.written),
        "head": sitting.written[-1].hash,
    }
    return Evidence(**known | changes)


def kept(sitting: Sitting, log: MemoryLog | None = None, upto: int | None = None) -> MemoryLog:
    """Return *log* with everything up to *upto* that *sitting* wrote and the log has not."""
    log = log or MemoryLog()
    head = log.head(sitting.encounter)
    pairs = list(zip(sitting.requests, sitting.written, strict=True))[:upto]
    for n, (request, made) in enumerate(pairs, 1):
        if head is not None and n <= head.folded:
            continue
        log.append(sitting.encounter, request, scope="gm", key=str(n), fingerprint="f", create=n == 1)
        log.commit(
            sitting.encounter,
            CommitWrite(
                n=n,
                prev=load_commit(made.raw).prev,
                hash=made.hash,
                raw=made.raw,
                request=request,
                frontier=made.folded.frontier.to_bytes(),
                sealed=made.envelope_payloads,
                marks=made.marks,
            ),
        )
    return log


def root_of(commits: Sequence[bytes]) -> bytes:
    """Return the root of the tree over *commits*."""
    return root([commit_hash(raw) for raw in commits])


def played() -> Sitting:
    """Return a game with refusals, secret choices, a batch, two rounds and dice in both; not closed."""
    sitting = Sitting()
    sitting.open()
    sitting.do("add", amount=3)
    sitting.do("roll")
    sitting.do("choose", player("ada"), number=3)
    sitting.do("choose", player("bo"), number=4)
    sitting.do("add", amount=30)
    sitting.do("end_round")
    sitting.do("roll", sides=20)
    sitting.do("roll", sides=20)
    return sitting


def closed() -> Sitting:
    """Return the game of `played`, closed."""
    sitting = played()
    sitting.do("close", reason="enough")
    return sitting


def forged(evidence: Evidence, n: int, change: Change) -> Evidence:
    """Return *evidence* with commit *n* changed and every later commit chained anew, head included."""
    commits = list(evidence.commits)
    prev = ""
    for at, raw in enumerate(commits, 1):
        data = json.loads(raw)
        if at == n:
            change(data)
        if prev:
            data["prev"] = prev
        commits[at - 1] = dumps(data)
        prev = commit_hash(commits[at - 1]).hex() if at >= n else ""
    return replace(evidence, commits=commits, head=commit_hash(commits[-1]).hex())


def resealed(evidence: Evidence, place: Place, change: Change) -> Evidence:
    """Return *evidence* with another payload in one envelope, its commitment and the chain made to fit."""
    opened = dict(evidence.opened)
    payload = json.loads(opened[place].payload)
    change(payload)
    raw, salt = dumps(payload), opened[place].salt
    opened[place] = StoredEnvelope(raw, salt)
    commitment = envelope_commitment(eid_of(evidence.encounter), salt, raw).hex()

    def put(commit: dict[str, Any]) -> None:
        commit["events"][place[1]]["sealed"] = commitment

    return replace(forged(evidence, place[0], put), opened=opened)


def cut(evidence: Evidence, last: int, **changes: Any) -> Evidence:
    """Return *evidence* without the commits after *last*; the head still counts them unless changed."""
    opened = {place: what for place, what in evidence.opened.items() if place[0] <= last}
    return replace(
        evidence,
        commits=evidence.commits[:last],
        requests=evidence.requests[:last],
        opened=opened,
        **changes,
    )


def signed_evidence(sitting: Sitting, *sizes: int, by: Signer = SIGNER, **changes: Any) -> Evidence:
    """Return the evidence of *sitting* with its heads of *sizes* signed."""
    notes = tuple(
        by.checkpoint(sitting.encounter, size, sitting.written[size - 1].folded.frontier.root())
        for size in sizes
    )
    key = VouchedKey(by.origin, by.public)
    return evidence_of(sitting, **{"notes": notes, "keys": (key,)} | changes)
