"""Prove the dice at length: `make dice`.

Chi-square for each die type on 10^6 draws, and a thousand live encounters attacked for the dice of their open
epoch. Ends with a status other than 0 where anything is found.
"""

from __future__ import annotations

import sys
from collections import Counter
from hashlib import sha256
from typing import Final

from service.audit.statistics import upper_tail
from service.dice.stream import faces
from tests.audit.attack import attacked

DRAWS: Final = 1_000_000
IN_A_ROLL: Final = 100
LIVE: Final = 1_000
KEY: Final = bytes(range(32))


def main() -> int:
    """Print what was found; how many faults there were.

    The arguments are how many live encounters, and the first seed; fewer get a tenth of the draws.
    """
    live, first = (*map(int, sys.argv[1:]), *(LIVE, 0)[len(sys.argv) - 1 :])
    draws = DRAWS if live >= LIVE else DRAWS // 10
    key = sha256(b"%d" % first).digest() if first else KEY
    bound = 1e-6 if first else 1e-3  # many nights draw many seeds: one in a thousand would show by luck
    faults = 0
    for sides in (2, 4, 6, 8, 10, 12, 20, 100, 1000):
        shown: Counter[int] = Counter()
        for place in range(draws // IN_A_ROLL):
            shown.update(faces(key, f"table/d{sides}", place, (sides,) * IN_A_ROLL))
        expected = draws / sides
        statistic = sum((shown[face] - expected) ** 2 for face in range(1, sides + 1)) / expected
        p = upper_tail(statistic, sides - 1)
        faults += not bound <= p <= 1 - bound
        sys.stdout.write(f"d{sides}: {draws} draws, chi-square {statistic:.2f}, p = {p:.4f}\n")
    found = [f"fight {seed}: {hit}" for seed in range(first, first + live) for hit in attacked(seed)]
    faults += len(found)
    sys.stdout.write("\n".join([*found, f"{live} live encounters attacked: {len(found)} dice found\n"]))
    return faults


if __name__ == "__main__":
    sys.exit(min(main(), 1))
