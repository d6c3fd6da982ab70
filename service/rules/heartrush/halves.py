"""Halve whole numbers, in the direction the book says."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import books
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_GEN_4: Final = Rule(
    "HR-GEN-4",
    "Where the book halves it says which way to round; where it does not, halves are rounded up.",
    (RULING, books.COMBAT, books.MECHANICS),
    settles=("A-18",),
)


@enforces(HR_GEN_4)
def half(number: int, *, up: bool = True) -> int:
    """Return half of *number*, rounded up or down."""
    return -(-number // 2) if up else number // 2
