"""Measure what proof costs: deciding again, a bundle's size, a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from time import process_time

from service.audit import bundle
from service.audit.evidence import Evidence
from service.audit.signing import Signer
from service.audit.tree import EMPTY_ROOT
from service.audit.verify import verify
from service.rules.registry import ruleset_of
from tests.bench import core, fights
from tests.bench.table import TURNS, Row, median, section
from tests.support.recorded_fight import Record

COMMANDS = 1_000
SIGNED = 200
RULESET = ruleset_of("heartrush@1")
SIGNER = Signer("rewound.example", bytes(32))


def played(opening: fights.Command, script: Iterator[fights.Command]) -> Evidence:
    """Return the evidence of a fight of so many commands, closed."""
    record = Record(RULESET, 1)
    assert record.send("open", "gm", record.opening(opening)) is None
    for command in (*fights.BEGIN, *islice(script, COMMANDS)):
        data = dict(command)
        refusal = record.send(data.pop("type"), "gm", data)
        assert refusal is None, refusal
    assert record.send("close", "gm", {"reason": "enough"}) is None
    return record.evidence()


def audited(evidence: Evidence) -> float:
    """Return commands audited a second of CPU."""
    began = process_time()
    report = verify(evidence, {RULESET.edition: RULESET})
    seconds = process_time() - began
    assert str(report.verdict) == "valid_unsigned"
    return len(evidence.commits) / seconds


def signed(evidence: Evidence) -> float:
    """Return microseconds of CPU that one signature takes."""
    began = process_time()
    for size in range(SIGNED):
        SIGNER.checkpoint(evidence.encounter, size, EMPTY_ROOT)
    return (process_time() - began) / SIGNED * 1e6


@section("Proof")
def rows(times: int = TURNS) -> list[Row | str]:
    """Measure everything *times* times in turn and return the medians."""
    simple = played(fights.opening(apart=2), fights.simple())
    engaged = played(fights.opening(), fights.engagements())
    found: dict[str, list[float]] = {"simple": [], "engaged": [], "signed": []}
    ratios: dict[str, list[float]] = {"simple": [], "engaged": []}
    for _ in range(times):
        found["simple"].append(audited(simple))
        ratios["simple"].append(
            found["simple"][-1] / core.decide(fights.opening(apart=2), fights.simple())[0]
        )
        found["engaged"].append(audited(engaged))
        ratios["engaged"].append(
            found["engaged"][-1] / core.decide(fights.opening(), fights.engagements())[0]
        )
        found["signed"].append(signed(simple))
    size = sum(map(len, bundle.write(simple, "gm"))) / len(simple.commits)
    return [
        Row("audit, simple commands", median(found["simple"]), "commands/s of one core", 3_000),
        Row("audit, engagements", median(found["engaged"]), "commands/s of one core", 5_000),
        Row("audit ÷ deciding once, simple commands", median(ratios["simple"]), ""),
        Row("audit ÷ deciding once, engagements", median(ratios["engaged"]), ""),
        Row("bundle", size, "bytes/command"),
        Row("sign a checkpoint", median(found["signed"]), "µs of CPU"),
    ]
