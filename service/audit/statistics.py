"""Count the faces that dice showed and ask how likely such a spread is: chi-square for each type of die.

Only dice that everybody can see are counted, so the numbers tell nobody anything that is sealed. Seeded and
declared dice are counted apart: the ones are proved, the others told. Faces of extra dice and of dropped dice
count like all others, since every die is thrown alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Any, Final

LEAST_EXPECTED: Final = 5
"""How often each face must be expected for chi-square to mean anything: the usual rule of thumb."""
_PRECISION: Final = 1e-15


@dataclass(frozen=True)
class Spread:
    """How often the faces of one type of die came up."""

    sides: int
    source: str
    """`seeded` or `declared`."""
    faces: Mapping[int, int]

    @property
    def dice(self) -> int:
        """How many dice there were."""
        return sum(self.faces.values())

    @property
    def chi_square(self) -> float:
        """The statistic of Pearson's test against equal faces, with `sides - 1` degrees of freedom."""
        expected = self.dice / self.sides
        return sum((self.faces.get(face, 0) - expected) ** 2 for face in range(1, self.sides + 1)) / expected

    @property
    def p_value(self) -> float | None:
        """How likely fair dice spread at least so unevenly; None while there are too few to tell."""
        if self.dice < LEAST_EXPECTED * self.sides:
            return None
        return upper_tail(self.chi_square, self.sides - 1)


def spreads(rolls: Iterable[Mapping[str, Any]]) -> list[Spread]:
    """Return what the dice of *rolls*, as commits log them, showed: by type of die, seeded before declared.

    A roll to which dice were added is logged again, whole, under its name: the last one counts.
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
