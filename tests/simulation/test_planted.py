"""A simulation that finds nothing is worth what it would find: each planted fault is found and named."""

from __future__ import annotations

from typing import Final

import pytest

from tests.simulation.plan import plan_of
from tests.simulation.planted import PLANTED, Planted
from tests.simulation.run import simulating
from tests.simulation.shrink import shrink

pytestmark = pytest.mark.slow

MOST = 400
"""Schedules within which each is found."""

RARE: Final = (
    "commit without compare-and-set",
    "commit without a look at the command",
    "tries that are not counted",
)
"""Found by one schedule in some hundreds: half a minute to some minutes each."""

MOST_RARE = 4_000
"""Schedules within which each of those is found."""


def _marks(planted: Planted) -> list[pytest.MarkDecorator]:
    crash = [pytest.mark.plants_crash] if planted.bursts else []
    return crash + ([pytest.mark.overnight] if planted.name in RARE else [])


def test_what_is_rare_is_planted() -> None:
    assert {each.name for each in PLANTED} >= set(RARE)


@pytest.mark.parametrize(
    "planted", [pytest.param(each, id=each.name, marks=_marks(each)) for each in PLANTED]
)
def test_a_planted_fault_is_found_by_name(planted: Planted) -> None:
    others: set[str] = set()
    most = MOST_RARE if planted.name in RARE else MOST
    with simulating() as run, planted.patch():
        for seed in range(most):
            result = run(plan_of(seed, planted.mode, bursts=planted.bursts), sabotage=planted.sabotage)
            names = {broken.name for broken in result.broken}
            if names & planted.found_as:
                return
            others |= names
    pytest.fail(f"not found in {most} schedules, which found {others or 'nothing'}")


@pytest.mark.overnight
def test_a_plan_that_fails_is_made_smaller_and_fails_still() -> None:
    planted = next(each for each in PLANTED if each.name == "lease without an expiry")
    with simulating() as run, planted.patch():
        plans = (plan_of(seed, planted.mode) for seed in range(MOST))
        found = next(plan for plan in plans if run(plan, sabotage=planted.sabotage).broken)
        small = shrink(found, lambda plan: run(plan, sabotage=planted.sabotage))

        assert run(small, sabotage=planted.sabotage).broken
    assert small.size < found.size
    assert sum(map(len, small.clients)) <= 3
    assert len(small.faults) + len(small.noise) <= 2
