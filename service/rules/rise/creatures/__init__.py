"""What there is before anything happens.

Sheets, house options, combat statistics, and the state of a fight. It uses no other wing.

The chapters, with the modules that have them:

- 3.2 Combat Statistics: `sheet`, `creature`, `combat_statistics`

Beside them: `options`, `character`, `state`, `permission`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.creatures import (
    combat_statistics,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (combat_statistics,)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "sheet",
    "options",
    "character",
    "creature",
    "state",
    "combat_statistics",
    "permission",
)
"""The modules that other wings use."""
