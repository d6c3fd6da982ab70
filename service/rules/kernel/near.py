"""Find the known name that a misspelt one is nearest to, or a slip of the pen for, in whole numbers alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SLIPS: Final = 2
"""The most letters by which a misspelt name differs from the one that is meant."""


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return the name among *known* that shares most with *name*: the first of the best in their order.

    What counts is the pairs of neighbouring letters in common, in either case, against all pairs of both.
    """
    own = _pairs(name)

    def rank(other: str) -> int:
        pairs = _pairs(other)
        shared = sum(min(own.count(pair), pairs.count(pair)) for pair in sorted({*own}))
        return 2_000 * shared // max(1, len(own) + len(pairs))

    return max(known, key=rank)


def close_name(name: str, known: Iterable[str], least: int = 60) -> str | None:
    """Return the name among *known* that has *least* per cent of its letters as *name*, None if none has.

    The fewest slips count, then the order of *known*; case does not.
    """
    ranked = [(likeness(name, other, least), other) for other in known]
    alike, best = max(ranked, key=lambda each: each[0], default=(0, None))
    return best if alike >= least else None


def likeness(name: str, other: str, least: int = 1) -> int:
    """Return the per cent of letters that both have in common, in either case; 0 if fewer than *least*."""
    plain, wanted = name.casefold(), other.casefold()
    longer, both = max(len(plain), len(wanted)), max(1, len(plain) + len(wanted))
    if 200 * min(len(plain), len(wanted)) < least * both:  # a long text is not compared letter by letter
        return 0
    return 200 * (longer - slips(plain, wanted)) // both


def misspelt_name(word: str, known: Iterable[str]) -> str | None:
    """Return the name among *known* that *word* is a slip of the pen for, None if it is another word.

    Slips are one letter in three, and two at most. Case is no slip, nor are `-` and spaces for `_`.
    """
    plain = word.strip().casefold().replace("-", "_").replace(" ", "_")
    ranked = [(slips(plain, name), name) for name in known if abs(len(plain) - len(name)) <= SLIPS]
    return min([(n, name) for n, name in ranked if n <= min(SLIPS, len(name) // 3)], default=(0, None))[1]


def slips(word: str, other: str) -> int:
    """Return how many letters must be changed, left out or put in to make one word of the other."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        before, row[0] = row[0], i
        for j, wanted in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != wanted))
    return row[-1]


def _pairs(name: str) -> list[str]:
    plain = f" {name.casefold()} "
    return [plain[i : i + 2] for i in range(len(plain) - 1)]
