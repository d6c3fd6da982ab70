"""Find the known name that a misspelt one is nearest to, in whole numbers alone."""

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


def _pairs(name: str) -> list[str]:
    plain = f" {name.casefold()} "
    return [plain[i : i + 2] for i in range(len(plain) - 1)]
