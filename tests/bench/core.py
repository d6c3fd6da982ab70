"""Measure deciding and folding in one process, without a store: commands, events and audits a second."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from time import process_time
from typing import Any

from service.core.decide import FoldedState, decide_request, unfolded
from service.record.commit import Request, dump_request, fold_commit, load_commit
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.rules.registry import ruleset_of
from service.stores.secrets import EncounterSecrets
from tests.bench import fights
from tests.bench.table import TURNS, Row, median, section

ENCOUNTER = "00112233-4455-6677-8899-aabbccddeeff"
RULESET = ruleset_of("heartrush@1")
GM = Actor(seat="gm", role="gm")
WARM = 200
COUNT = 2_000


def request(type_: str, data: fights.Command) -> bytes:
    """Return the bytes of one command of the GM's."""
    at = "2026-01-02T03:04:05.000Z"
    return dump_request(Request(ENCOUNTER, type_, at, "00" * 16, GM, data))


def opened(secrets: EncounterSecrets, opening: fights.Command) -> Iterator[bytes]:
    """Yield the requests that open a fight and begin it."""
    setup = to_data(secrets.setup())
    given = {"encounter": ENCOUNTER, "edition": "heartrush@1", "digest": "00" * 32, "dice": setup}
    yield request("open", {**given, "opening": opening})
    yield from map(_request, fights.BEGIN)


def _request(command: fights.Command) -> bytes:
    data = dict(command)
    return request(data.pop("type"), data)


def decide(
    opening: fights.Command, script: Iterator[fights.Command]
) -> tuple[float, list[bytes], list[dict[int, bytes]]]:
    """Return commands decided a second of CPU, and the commits and payloads that were written."""
    secrets = EncounterSecrets.create(ENCOUNTER, epochs=4096)
    folded: FoldedState[Any] = unfolded(ENCOUNTER, RULESET)
    commits: list[bytes] = []
    payloads: list[dict[int, bytes]] = []
    for raw in opened(secrets, opening):
        written = decide_request(RULESET, folded, raw, folded.n + 1, secrets)
        folded = written.folded
        commits.append(written.raw)
        payloads.append({index: lies.payload for index, lies in written.sealed})
    requests = [_request(command) for command in islice(script, WARM + COUNT)]
    began = 0.0
    for i, raw in enumerate(requests):
        if i == WARM:
            began = process_time()
        written = decide_request(RULESET, folded, raw, folded.n + 1, secrets)
        folded = written.folded
        assert b'"refusal"' not in written.raw, written.raw
        commits.append(written.raw)
        payloads.append({index: lies.payload for index, lies in written.sealed})
    return COUNT / (process_time() - began), commits, payloads


def fold(commits: list[bytes], payloads: list[dict[int, bytes]]) -> float:
    """Return events folded a second of CPU, from the stored bytes of *commits*."""
    events = 0
    state = RULESET.blank
    began = process_time()
    for raw, sealed in zip(commits, payloads, strict=True):
        commit = load_commit(raw)
        opened_ = {index: json.loads(payload) for index, payload in sealed.items()}
        state = fold_commit(RULESET, state, commit, opened_)
        events += len(commit.events)
    return events / (process_time() - began)


@section("One process")
def rows(times: int = TURNS) -> list[Row | str]:
    """Measure everything *times* times in turn and return the medians."""
    found: dict[str, list[float]] = {"simple": [], "engagement": [], "fold": []}
    for _ in range(times):
        rate, commits, payloads = decide(fights.opening(apart=2), fights.simple())
        found["simple"].append(rate)
        found["fold"].append(fold(commits, payloads))
        rate, commits, payloads = decide(fights.opening(), fights.engagements())
        found["engagement"].append(rate)
    return [
        Row("decide, simple commands", median(found["simple"]), "commands/s of one core", 20_000),
        Row("decide, engagements", median(found["engagement"]), "commands/s of one core", 8_000),
        Row("fold of stored commits", median(found["fold"]), "events/s of one core", 100_000),
    ]
