"""Report an audit's progress: one number over all its parts, from the first page read to the last fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Progress = Callable[[int, int], None]
"""A callback: it receives the number of commits done, and the number of all commits."""

EVERY: Final = 64
"""The number of commits between two calls of a progress callback."""

READING: Final = (0, 10)
"""The percentages of the work at which a part begins and ends: here, reading the bytes from a store."""
BYTES: Final = (10, 25)
DICE: Final = (25, 35)
DECIDING: Final = (35, 90)
FOLDING: Final = (90, 100)


def unheard(done: int, of: int) -> None:
    """Ignore the progress."""


def part(
    progress: Progress, of: int, share: tuple[int, int], count: int | None = None
) -> Callable[[int], None]:
    """Return a callback for one part of the work, which receives the number of commits done in that part.

    It calls *progress* with the share of *of* commits that the whole work has reached. The part does *count*
    commits, all of them if None.
    """
    first, last = share
    every = of if count is None else count

    def hear(done: int) -> None:
        if done % EVERY == 0 or done == every:
            progress(of * (first * every + done * (last - first)) // (100 * max(every, 1)), of)

    return hear
