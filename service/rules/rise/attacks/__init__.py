"""Attacks, from the roll to what a hit does.

Attack rolls, what the GM judges about them, and the attack as a whole.

The chapters, with the modules that have them:

- 5.1 Making Attacks; 5.2 Calculating Damage: `attack_rolls`, `making_attacks`, `unjudged`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.attacks import (
    attack_rolls,
    making_attacks,
    unjudged,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    attack_rolls,
    making_attacks,
    unjudged,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "unjudged",
    "making_attacks",
)
"""The modules that other wings use."""
