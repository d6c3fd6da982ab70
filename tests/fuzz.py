"""Play random fights of both rulesets until every rule has taken part, for many seeds: `make fuzz`.

Whatever breaks names its seed: `python -m tests.fuzz 500` plays seeds 0 to 499 of every kind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from tests.heartrush import test_every_rule as heartrush
from tests.rise import test_every_rule as rise
from tests.rise import test_permutations as permutations

SEEDS: Final = 100


def main(seeds: int) -> int:
    """Play, print which rules came with which seed, and return 1 if some never did."""
    kinds: dict[str, Callable[[int], set[str]]] = {
        "brawl": lambda seed: heartrush.fired_in(heartrush.brawl(seed)),
        "wild": lambda seed: heartrush.fired_in(heartrush.wild(seed)),
        "rise": lambda seed: rise.fired_in(rise.campaign(seed)),
    }
    missing = (set(heartrush.OURS) - heartrush.NEVER.keys()) | (set(rise.OURS) - rise.NEVER.keys())
    for seed in range(seeds):
        for kind, play in kinds.items():
            found = missing & play(seed)
            missing -= found
            if found:
                sys.stdout.write(f"{kind} {seed}: {len(found)} more, {len(missing)} to come\n")
        permutations.hold(seed)
    sys.stdout.write(f"never: {', '.join(sorted(missing)) or 'none'}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS))
