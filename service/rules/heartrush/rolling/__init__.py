"""Dice, and what they decide.

Rolls, checks, saves, contests, and the timing by turns.

The chapters, with the modules that have them:

- Combat: `turns`
- Gameplay Basics: `rolls`, `checks`, `contests`, `opposed_checks`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.rolling import (
    checks,
    contests,
    opposed_checks,
    rolls,
    turns,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    turns,
    rolls,
    checks,
    contests,
    opposed_checks,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "rolls",
    "checks",
    "contests",
    "opposed_checks",
    "turns",
)
"""The modules that other wings use."""
