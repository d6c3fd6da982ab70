"""What there is before anything happens.

Sheets, stat blocks, abilities as written, house options, and the state of a fight. It uses no other
wing.

The chapters, with the modules that have them:

- Gameplay Basics: `size_and_bonds`, `abilities`, `ledges`, `adjacency`

Beside them: `options`, `sheet`, `character`, `bestiary`, `state`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.creatures import (
    size_and_bonds,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (size_and_bonds,)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "options",
    "abilities",
    "sheet",
    "character",
    "bestiary",
    "state",
    "ledges",
    "adjacency",
    "size_and_bonds",
)
"""The modules that other wings use."""
