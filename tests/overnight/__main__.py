"""Run every long check for its part of the time: `make overnight BUDGET=2h`.

`BUDGET` is a number with s, m or h; `SEED` begins with another seed than the clock's; `ONLY` names some
checks, separated by commas. Failures are kept in `.overnight/<seed>/`, the smallest of each check first. One
table ends the output; the exit status is 1 if anything failed.
"""

from __future__ import annotations

import os
import re
import sys
import time
from typing import Final

from tests.overnight.checks import CHECKS, ROOT
from tests.overnight.night import night, table

SECONDS: Final = {"s": 1, "m": 60, "h": 3600}


def seconds_of(text: str) -> int:
    """Return the seconds that *text* means: `90m`; raises ValueError."""
    found = re.fullmatch(r"([0-9]+)([smh])", text)
    if found is None:
        raise ValueError(f"BUDGET is a number with s, m or h, as 2h, and not {text!r}")
    return int(found[1]) * SECONDS[found[2]]


def main() -> int:
    """Run the night, print its table, and return the exit status."""
    budget = seconds_of(os.environ.get("BUDGET") or "2h")
    seed = int(os.environ.get("SEED") or time.time())
    only = [name for name in (os.environ.get("ONLY") or "").split(",") if name]
    checks = [check for check in CHECKS if not only or check.name in only]
    unknown = set(only) - {check.name for check in CHECKS}
    if unknown:
        raise ValueError(f"ONLY names no check: {', '.join(sorted(unknown))}")
    kept = ROOT / ".overnight" / str(seed)

    def say(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    say(f"seed {seed}, budget {budget} s, {len(checks)} checks\n")
    results = night(checks, budget, seed, kept, say)
    say("\n" + table(results))
    if any(not result.is_green for result in results):
        say(f"\nWhat failed is in {kept.relative_to(ROOT)}, the smallest of each check first.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
