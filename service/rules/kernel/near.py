"""Find the known name that a misspelt one is nearest to, or a slip of the pen for, in whole numbers alone."""

from __future__ import annotations

from collections.abc import Iterable


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
    plain = name.casefold()

    def alike(other: str) -> int:
        longer, both = max(len(plain), len(other)), max(1, len(plain) + len(other))
        if 200 * min(len(plain), len(other)) < least * both:  # a long text is not compared letter by letter
            return 0
        return 200 * (longer - slips(plain, other.casefold())) // both

    best = max(known, key=alike, default=None)
    return best if best is not None and alike(best) >= least else None


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
