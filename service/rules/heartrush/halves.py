"""Halve whole numbers, in the direction the book says."""

from __future__ import annotations

from service.rules.kernel.rulebook import rule


@rule("HR-GEN-4", "seeds 000 and 002; service ruling", settles=("A-18",))
def half(number: int, *, up: bool = True) -> int:
    """Where the book halves it says which way to round; where it does not, halves are rounded up."""
    return -(-number // 2) if up else number // 2
