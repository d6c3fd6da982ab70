"""Tell how far an audit is: one number over all that it does, from its first page to its last fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Progress = Callable[[int, int], None]
"""Hears how many commits of how many are done, now and then."""

EVERY: Final = 64
"""Commits between two calls of progress."""

READING: Final = (0, 10)
"""What percentage of the work lies before and behind a part of it: fetching the bytes from a store."""
BYTES: Final = (10, 25)
DICE: Final = (25, 35)
DECIDING: Final = (35, 90)
FOLDING: Final = (90, 100)


def unheard(done: int, of: int) -> None:
    """Hear nothing."""


def part(
    progress: Progress, of: int, share: tuple[int, int], count: int | None = None
) -> Callable[[int], None]:
    """Return what hears how many commits one part of the work has done; it does *count*, or all."""
    first, last = share
    every = of if count is None else count

    def hear(done: int) -> None:
        if done % EVERY == 0 or done == every:
            progress(of * (first * every + done * (last - first)) // (100 * max(every, 1)), of)

    return hear
