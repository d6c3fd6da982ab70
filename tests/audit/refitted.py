"""Change one thing in the record of a game, make every hash fit, and ask both verifiers about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from service.audit import bundle
from service.audit.evidence import Evidence
from service.audit.verify import verify
from service.record.canonical import commit_hash, dumps
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


COMMANDS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "seat_choice_committed": ("seal_choice", ("prompt", "commitment")),
    "seat_choice_opened": ("open_choice", ("prompt", "choice", "salt")),
    "seed_committed": ("commit_seed", ("commitment",)),
    "seed_waived": ("waive_seed", ("seat",)),
}
"""The command that an event stands for, and what it repeats of it."""


def with_events(type_: str, *events: Line) -> tuple[bytes, range]:
    """Return the mixed game with *events* behind the first commit with one of a type, and their commits.

    Each has a commit of its own, with the command that it stands for.
    """
    game = unsigned()
    n = at(game, type_)
    pairs = list(zip(game.requests, game.commits, strict=True))
    for i, event in enumerate(events):
        name, repeated = COMMANDS[event["type"]]
        data = {key: event[key] for key in repeated if key in event}
        seat = event.get("seat", "")
        role = "gm" if seat == "gm" else "player"
        like, commit = json.loads(pairs[n - 1][0] or b""), json.loads(pairs[n - 1][1])
        request = dumps(like | {"type": name, "data": data, "actor": {"seat": seat, "role": role}})
        made = {"outcome": "accepted", "events": [event], "rolls": []}
        pairs.insert(n + i, (request, dumps(commit | made)))
    opened = {(m + len(events) if m > n else m, index): lies for (m, index), lies in game.opened.items()}
    longer = replace(
        game,
        requests=[request for request, _ in pairs],
        commits=[commit for _, commit in pairs],
        opened=opened,
        count=len(pairs),
    )
    raw = as_bundle(chained(longer))
    assert raw is not None
    return raw, range(n + 1, n + 1 + len(events))


def chained(evidence: Evidence) -> Evidence:
    """Return *evidence* with every number, hash and digest made to fit."""
    commits: list[bytes] = []
    prev = "0" * 64
    for n, (request, raw) in enumerate(zip(evidence.requests, evidence.commits, strict=True), 1):
        named = {"n": n, "prev": prev, "request": sha256(request or b"").hexdigest()}
        commits.append(dumps(json.loads(raw) | named))
        prev = commit_hash(commits[-1]).hex()
    return replace(evidence, commits=commits, head=prev)
