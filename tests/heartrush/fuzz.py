"""Play random campaigns until every rule has taken part, or for as many seeds as are given: `make fuzz`.

Whatever breaks names its seed: `python -m tests.heartrush.fuzz 500` plays seeds 0 to 499 of both kinds.
"""

from __future__ import annotations

import sys
from typing import Final

from tests.heartrush.firing import OURS
from tests.heartrush.test_every_rule import NEVER, brawl, fired_in, wild

SEEDS: Final = 100


def main(seeds: int) -> int:
    """Play, print which rules came with which seed, and return 1 if some never did."""
    missing = set(OURS) - NEVER.keys()
    for seed in range(seeds):
        for kind in (brawl, wild):
            found = missing & fired_in(kind(seed))
            missing -= found
            if found:
                sys.stdout.write(f"{kind.__name__} {seed}: {len(found)} more, {len(missing)} to come\n")
    sys.stdout.write(f"never: {', '.join(sorted(missing)) or 'none'}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS))
