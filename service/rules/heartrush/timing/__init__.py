"""Whose turn it is, and what waits for whom.

Combat's beginning, priority, windows, the clock, and the frame of an engagement.

The chapters, with the modules that have them:

- Combat: `starting_combat`, `priority`, `exposed`, `windows`, `engagement`

Beside them: `clock`, `gm_rulings`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.timing import (
    clock,
    engagement,
    gm_rulings,
    priority,
    starting_combat,
    windows,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    starting_combat,
    priority,
    windows,
    engagement,
    clock,
    gm_rulings,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "windows",
    "priority",
    "starting_combat",
    "clock",
    "gm_rulings",
    "engagement",
    "exposed",
)
"""The modules that other wings use."""
