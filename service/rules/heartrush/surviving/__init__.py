"""What happens around fights and between them.

Hazards, poison, rests, healing, experience, and the time that passes.

The chapters, with the modules that have them:

- Combat: `upkeep`
- Rests & Healing: `rests_and_healing`
- Gameplay Basics: `hazards`, `drowning`, `poison`, `experience`
- Combat Mechanics: `treating_wounds`

Beside them: `passing_time`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.surviving import (
    drowning,
    experience,
    hazards,
    passing_time,
    poison,
    rests_and_healing,
    treating_wounds,
    upkeep,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    upkeep,
    rests_and_healing,
    hazards,
    drowning,
    poison,
    experience,
    treating_wounds,
    passing_time,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "hazards",
    "drowning",
    "poison",
    "rests_and_healing",
    "treating_wounds",
    "passing_time",
    "upkeep",
)
"""The modules that other wings use."""
