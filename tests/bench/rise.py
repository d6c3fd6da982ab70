"""Measure the phases of four groups with forty creatures: the last word of a phase resolves it for everybody.

What counts is the CPU of the command after which a phase is announced and true: movements with conflicts and
followers, then forty attacks with their wounds. The aim is 50 ms. Dice and bytes are the service's own.
"""

from __future__ import annotations

from time import process_time
from typing import Final

from service.rules.rise import RISE
from service.rules.rise.creatures.state import State
from tests.bench.table import TURNS, Row, median, section
from tests.rules.rise.forty import forty, next_step
from tests.support.recorded_fight import Record

AIM_MS: Final = 50.0


def phases(seed: int) -> dict[str, float]:
    """Return the milliseconds of CPU of the commands that end phases, of a usual other, and of the round."""
    record: Record[State] = Record(RISE, seed)
    assert record.send("open", "gm", record.opening(forty())) is None
    found: dict[str, float] = {}
    others: list[float] = []
    while record.folded.state.round < 2:
        before = record.folded.state
        step = next_step(before)
        began = process_time()
        refusal = record.send(*step)
        spent = (process_time() - began) * 1_000
        assert refusal is None, step
        after = record.folded.state
        if before.phase and (before.stage, before.round) != (after.stage, after.round):
            found[before.stage] = spent
        else:
            others.append(spent)
    return found | {"others": median(others), "round": sum(others) + sum(found.values())}


@section("Forty creatures")
def rows(times: int = TURNS) -> list[Row | str]:
    """Measure a round *times* times and return the medians."""
    found = [phases(seed) for seed in range(times)]

    def of(what: str) -> float:
        return median([each[what] for each in found])

    return [
        Row(
            "40 creatures in 4 groups, movement phase resolved",
            of("movement"),
            "ms of CPU",
            AIM_MS,
            most=True,
        ),
        Row("40 creatures in 4 groups, action phase resolved", of("action"), "ms of CPU", AIM_MS, most=True),
        Row("any other command of that fight", of("others"), "ms of CPU"),
        Row("40 creatures in 4 groups, the whole round", of("round"), "ms of CPU"),
    ]
