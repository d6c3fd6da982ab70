"""Say what is wrong with a file that is converted, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

MOST_NOTES: Final = 20
"""Notes of one kind that are shown one by one; further ones are counted."""


class Unconvertible(ValueError):
    """A file that cannot be converted: each fault is one line, with its place."""

    def __init__(self, *faults: str) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Converted:
    """A part of an opening, and what in the file has no place in it, a line each."""

    part: Mapping[str, Any]
    notes: Sequence[str] = ()


def shortened(notes: Sequence[str], what: str) -> tuple[str, ...]:
    """Return *notes*, those from the `MOST_NOTES`th on counted as *what*."""
    more = len(notes) - MOST_NOTES
    return (*notes[:MOST_NOTES], *((f"{more} further {what}",) if more > 0 else ()))
