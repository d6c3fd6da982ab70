"""Interleavings of the product's own logic keep every promise; a seed is the same run for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.plan import Plan, plan_of
from tests.simulation.run import simulating

ROOT = Path(__file__).parents[2]
SEEDS = range(240)


def test_every_schedule_keeps_every_promise() -> None:
    happened: dict[str, int] = {}
    with simulating() as run:
        for seed in SEEDS:
            result = run(plan_of(seed))
            assert not result.broken, f"seed {seed}: {'; '.join(map(str, result.broken))}"
            for kind, count in result.faults.items():
                happened[kind] = happened.get(kind, 0) + count

    rare = {kind for kind in KINDS if happened.get(kind, 0) < 10}
    assert not rare, f"these faults hardly happen: {rare}"


@pytest.mark.plants_crash
@pytest.mark.overnight
def test_a_command_that_no_worker_can_decide_breaks_no_promise() -> None:
    with simulating() as run:
        for seed in range(60):
            result = run(plan_of(seed, bursts=True))
            assert not result.broken, f"seed {seed}: {'; '.join(map(str, result.broken))}"


KINDS = (
    *("kill_worker", "stop_worker", "end_worker", "kill_api", "stop_api", "crash_store"),
    *("cut_worker", "cut_api", "wipe_queue", "skew", "fail_over"),
)

_TRACE = """
from hashlib import sha256
from tests.simulation.plan import plan_of
from tests.simulation.run import simulating
with simulating() as run:
    for seed in range(4):
        print(seed, sha256("\\n".join(run(plan_of(seed), traced=True).trace).encode()).hexdigest())
"""


def test_a_seed_is_the_same_run_in_every_process() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", _TRACE],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }

    assert len(printed) == 1
    assert len(set(printed.pop().split())) == 8


@pytest.mark.parametrize("seed", range(20))
def test_a_plan_comes_back_from_its_data(seed: int) -> None:
    plan = plan_of(seed)

    assert Plan.of(plan.data()) == plan
