"""Kill everything, again and again, and judge it: `make nemesis` with `KILLS=`, `SEED=`, `CLUSTER=1`.

Exit status 0: nothing was lost; 1: something is wrong, or the greedy owner made others wait too long; 3:
void, too few kills met a request in flight to show anything.
"""

from __future__ import annotations

import os
import sys
import time

from tests.nemesis.report import table
from tests.nemesis.run import Plan, run

VOID = 3


def main() -> int:
    """Run it, and print what came of it."""
    seed = os.environ.get("SEED") or str(int(time.time()))
    kills = int(os.environ.get("KILLS") or 50)
    on_cluster = bool(os.environ.get("CLUSTER"))
    sys.stdout.write(f"seed {seed}, {kills} kills{', on a cluster' if on_cluster else ''}\n")
    sys.stdout.flush()

    def say(text: str) -> None:
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()

    outcome = run(Plan(kills, seed, on_cluster=on_cluster), say)
    say("")
    sys.stdout.write(table(outcome))
    if not outcome.is_good or outcome.waits.late:
        return 1
    return VOID if outcome.is_void else 0


if __name__ == "__main__":
    sys.exit(main())
