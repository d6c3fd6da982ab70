"""Six causes by which an audit may end as it does, each made at random, and what each is called.

A table of causes by verdicts has everything on its diagonal, or the audit takes one for another.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from service.audit.evidence import Evidence
from service.audit.verdict import (
    DICE_INVALID,
    NOT_DETERMINISTIC,
    RULES_CHANGED,
    TAMPERED,
    TRUNCATED,
    VALID_UNSIGNED,
)
from service.audit.verify import verify
from service.record.canonical import dumps, request_digest
from tests.audit.evidence_of import forged
from tests.audit.expected import Line
from tests.audit.games import RULES, any_game

Cause = Callable[[Evidence, random.Random], Evidence]


def altered(evidence: Evidence, rng: random.Random) -> Evidence:
    """Change what a commit says."""
    n = rng.randrange(1, len(evidence.commits) + 1)
    commits = list(evidence.commits)
    data = json.loads(commits[n - 1])
    data["epoch"] += 1
    commits[n - 1] = dumps(data)
    return replace(evidence, commits=commits)


def truncated(evidence: Evidence, rng: random.Random) -> Evidence:
    """Leave the end away."""
    last = rng.randrange(1, len(evidence.commits))
    opened = {place: what for place, what in evidence.opened.items() if place[0] <= last}
    return replace(
        evidence, commits=evidence.commits[:last], requests=evidence.requests[:last], opened=opened
    )


def badly_rolled(evidence: Evidence, rng: random.Random) -> Evidence:
    """Turn a seeded die, and make the whole chain fit, signed by nobody."""
    places = [
        (n, index)
        for n, raw in enumerate(evidence.commits, 1)
        for index, roll in enumerate(json.loads(raw)["rolls"])
        if roll["source"] == "seeded"
    ]
    if not places:
        return badly_rolled(any_game(rng), rng)
    n, index = rng.choice(places)

    def turn(commit: Line) -> None:
        die = rng.choice(commit["rolls"][index]["dice"])
        die["face"] = die["face"] % die["sides"] + 1

    return replace(forged(evidence, n, turn), notes=())


def undetermined(evidence: Evidence, rng: random.Random) -> Evidence:
    """Change what was decided, and make the whole chain fit: the same rules give another result."""
    n = rng.randrange(2, len(evidence.commits) + 1)

    def other(commit: Line) -> None:
        commit["epoch"] += 1

    return replace(forged(evidence, n, other), notes=())


def other_rules(evidence: Evidence, rng: random.Random) -> Evidence:
    """Do the same to a game that tells another digest of its rules."""
    requests = list(evidence.requests)
    first = requests[0]
    assert first is not None
    opening = json.loads(first)
    opening["data"]["digest"] = f"{rng.randrange(2**256):064x}"
    requests[0] = raw = dumps(opening)
    digest = request_digest(raw).hex()
    found = forged(evidence, 1, lambda commit: commit.update(request=digest))
    return undetermined(replace(found, requests=requests), rng)


def untouched(evidence: Evidence, rng: random.Random) -> Evidence:
    """Change nothing."""
    return evidence


CAUSES: Final[Mapping[str, Cause]] = {
    TAMPERED: altered,
    TRUNCATED: truncated,
    DICE_INVALID: badly_rolled,
    RULES_CHANGED: other_rules,
    NOT_DETERMINISTIC: undetermined,
    VALID_UNSIGNED: untouched,
}
"""What each is called, and what makes it."""


def matrix(seeds: Iterable[int]) -> dict[str, Counter[str]]:
    """Return for each cause what it was taken for, over all *seeds*."""
    table: dict[str, Counter[str]] = {name: Counter() for name in CAUSES}
    for seed in seeds:
        for name, cause in CAUSES.items():
            rng = random.Random(f"{name} {seed}")
            table[name][verify(cause(any_game(rng), rng), RULES).verdict.name] += 1
    return table


def off_diagonal(table: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return what was taken for something else."""
    return [
        f"{name} was taken for {found}, {times} times"
        for name, row in table.items()
        for found, times in row.items()
        if found != name
    ]
