"""Abilities and spells in use.

How an ability is announced and paid, the catalogue of abilities, and spellcasting.

The chapters, with the modules that have them:

- Gameplay Basics: `using_abilities`, `catalogue`
- Spellcasting: `spellcasting`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.using import (
    spellcasting,
    using_abilities,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    using_abilities,
    spellcasting,
)
"""The modules with messages, in the order of the book."""

FACE: Final = ("catalogue",)
"""The modules that other wings use."""
