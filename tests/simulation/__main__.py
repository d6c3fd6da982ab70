"""Run schedules until one breaks a promise: `python -m tests.simulation [SCHEDULES [SEED]]`.

A schedule that breaks one is made smaller; its trace and its plan are printed, and the exit status is 1.
PLAN='...' runs the plan that was printed, with its trace.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import Counter
from time import process_time

from tests.simulation.plan import Plan, plan_of
from tests.simulation.run import Result, simulating
from tests.simulation.shrink import shrink

SCHEDULES = 5_000
_COLLECT_EVERY = 50
"""Schedules between two collections of garbage."""


def main() -> int:
    """Run what the command line and the environment ask for; the exit status."""
    if answer := os.environ.get("PLAN"):
        with simulating() as run:
            return _say(run(Plan.of(json.loads(answer)), traced=True))
    count = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SCHEDULES") or SCHEDULES)
    first = int(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("SEED") or 0)
    happened: Counter[str] = Counter()
    calls, began = 0, process_time()
    with simulating() as run:
        for seed in range(first, first + count):
            result = run(plan_of(seed, bursts=True))
            if result.broken:
                sys.stdout.write(f"seed {seed} breaks a promise; a smaller plan is looked for\n")
                small = shrink(result.plan, run)
                return _say(run(small, traced=True))
            happened.update(result.faults)
            calls += result.calls
            if seed % _COLLECT_EVERY == 0:
                gc.collect()
    seconds = process_time() - began
    sys.stdout.write(
        f"{count:,} schedules from seed {first}: {calls:,} calls of the store, every promise kept\n"
        f"{', '.join(f'{kind} {times:,}' for kind, times in sorted(happened.items()))}\n"
        f"{count / seconds * 60:,.0f} schedules a minute of CPU\n"
    )
    return 0


def _say(result: Result) -> int:
    """Print how a run went, and return the exit status."""
    sys.stdout.write("".join(f"{line}\n" for line in result.trace))
    for broken in result.broken:
        sys.stdout.write(f"{broken}\n")
    sys.stdout.write(f"PLAN='{json.dumps(result.plan.data())}' {sys.executable} -m tests.simulation\n")
    return 1 if result.broken else 0


if __name__ == "__main__":
    sys.exit(main())
