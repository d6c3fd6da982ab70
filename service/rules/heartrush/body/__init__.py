"""What a creature can do, carries, wears and suffers.

Actions, weapons, possessions, conditions, damage and wounds. It uses the wing below it.

The chapters, with the modules that have them:

- Combat: `actions`, `possessions`
- Conditions: `conditions`
- Weapons, Cantrips & Armor: `weapons`
- Gameplay Basics: `operations`, `lasting`
- Combat Mechanics: `damage`, `wounds`

Beside them: `permission`, `answers`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.body import (
    actions,
    answers,
    conditions,
    damage,
    lasting,
    operations,
    possessions,
    wounds,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    actions,
    possessions,
    conditions,
    operations,
    lasting,
    damage,
    wounds,
    answers,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "actions",
    "weapons",
    "possessions",
    "lasting",
    "operations",
    "permission",
    "answers",
    "conditions",
    "wounds",
    "damage",
)
"""The modules that other wings use."""
