"""Change one thing in the record of a game, make every hash fit, and ask both verifiers about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

from service.audit import bundle
from service.audit.evidence import Evidence
from service.audit.verify import verify
from service.record.canonical import dumps
from tests.audit.evidence_of import forged
from tests.audit.games import RULES
from tests.audit.shapes import mixed_game
from tests.support.javascript_verifier import Case, as_bundle, judged

Line = dict[str, Any]


def verdicts(raw: bytes) -> tuple[str, str]:
    """Return what Python and JavaScript say of a bundle."""
    try:
        ours = str(verify(bundle.read(raw), RULES).verdict)
    except bundle.BadBundle as fault:
        ours = str(fault.verdict)
    return ours, judged([Case(raw)])[0]


def unsigned() -> Evidence:
    return replace(mixed_game(), notes=(), keys=())


def at(evidence: Evidence, type_: str) -> int:
    """Return the number of the first commit with an event of a type."""
    return next(n for n, raw in enumerate(evidence.commits, 1) if f'"type":"{type_}"'.encode() in raw)


def changed(type_: str, change: Callable[[Line], object]) -> tuple[bytes, int]:
    """Return a bundle with the first event of a type changed, every hash made to fit; and its commit."""
    evidence = unsigned()
    n = at(evidence, type_)

    def edit(commit: Line) -> None:
        change(next(event for event in commit["events"] if event.get("type") == type_))

    raw = as_bundle(forged(evidence, n, edit))
    assert raw is not None
    return raw, n


def with_request(evidence: Evidence, n: int, change: Callable[[Line], object]) -> bytes:
    """Return a bundle with a request changed, and its commit naming it."""
    data = json.loads(evidence.requests[n - 1] or b"")
    change(data)
    spelled = dumps(data)
    requests = [*evidence.requests[: n - 1], spelled, *evidence.requests[n:]]
    renamed = forged(evidence, n, lambda commit: commit.update(request=sha256(spelled).hexdigest()))
    raw = as_bundle(replace(renamed, requests=requests))
    assert raw is not None
    return raw


def with_events(type_: str, *events: Line) -> tuple[bytes, int]:
    """Return the mixed game with *events* more behind those of the first commit with one of a type."""
    game = unsigned()
    n = at(game, type_)
    raw = as_bundle(forged(game, n, lambda commit: commit["events"].extend(events)))
    assert raw is not None
    return raw, n
