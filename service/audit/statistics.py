"""Count the faces that dice showed, and test each type of die with chi-square.

Only public dice are counted, so the numbers leak nothing that is sealed. Seeded and declared dice are counted
separately because only seeded ones are proved. Extra and dropped dice count like all others, because every
die is thrown alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Any, Final

LEAST_EXPECTED: Final = 5
"""The least expected count of each face for which chi-square is meaningful: the usual rule of thumb."""
_PRECISION: Final = 1e-15


@dataclass(frozen=True)
class Spread:
    """The counts of the faces of one type of die."""

    sides: int
    source: str
    """`seeded` or `declared`."""
    faces: Mapping[int, int]

    @property
    def dice(self) -> int:
        """The number of dice."""
        return sum(self.faces.values())

    @property
    def chi_square(self) -> float:
        """The statistic of Pearson's test against equal faces, with `sides - 1` degrees of freedom."""
        expected = self.dice / self.sides
        return sum((self.faces.get(face, 0) - expected) ** 2 for face in range(1, self.sides + 1)) / expected

    @property
    def p_value(self) -> float | None:
        """The probability that fair dice spread at least as unevenly; None if there are too few dice."""
        if self.dice < LEAST_EXPECTED * self.sides:
            return None
        return upper_tail(self.chi_square, self.sides - 1)


def spreads(rolls: Iterable[Mapping[str, Any]]) -> list[Spread]:
    """Return the spread of each type of die in *rolls*, as in commits: seeded before declared, then by sides.

    A roll that gained dice is recorded again, whole, under the same name; only the last one counts.
    """
    by_name = {tuple(sorted(roll["name"].items())): roll for roll in rolls}
    counts: dict[tuple[str, int], Counter[int]] = {}
    for roll in by_name.values():
        for die in roll["dice"]:
            counts.setdefault((roll["source"], die["sides"]), Counter())[die["face"]] += 1
    found = sorted(counts, key=lambda key: (key[0] != "seeded", key[1]))
    return [Spread(sides, source, dict(sorted(counts[source, sides].items()))) for source, sides in found]


def upper_tail(statistic: float, freedom: int) -> float:
    """Return P(chi-square >= statistic): Q(freedom/2, statistic/2), a regularized incomplete gamma function.

    By the power series of P = 1 - Q (DLMF 8.11.4), whose terms are all positive.
    """
    a, x = freedom / 2, statistic / 2
    if x == 0:
        return 1.0
    term = total = 1 / a
    n = 0
    while term > total * _PRECISION:
        n += 1
        term *= x / (a + n)
        total += term
    return max(0.0, 1 - total * exp(a * log(x) - x - lgamma(a)))
