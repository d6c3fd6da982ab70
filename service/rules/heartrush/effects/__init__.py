"""What abilities and the GM bring about.

The effects themselves, their uses, and aspects.

The chapters, with the modules that have them:

- Gameplay Basics: `uses`, `effects`
- Building Your Character: `aspects`

Beside them: `effects_of_place`, `ruling_effects`, `condition_words`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.effects import (
    aspects,
    effects,
    ruling_effects,
    uses,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    aspects,
    uses,
    effects,
    ruling_effects,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "condition_words",
    "ruling_effects",
    "uses",
    "effects",
    "effects_of_place",
)
"""The modules that other wings use."""
