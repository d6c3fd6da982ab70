"""What a creature suffers, and where it is.

Damage, vital wounds, conditions, resting, positions and heights.

The chapters, with the modules that have them:

- 5.3 Taking Damage: `taking_damage`
- 5.4 Vital Wounds: `vital_wounds`, `resting`
- 5.5 Combat Time: `effects`, `hidden_swift`
- 5.6 Movement and Positioning: `movement_and_positioning`
- 5.7 Aerial Movement: `aerial_movement`
- Running the Game: `running_the_game`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.body import (
    aerial_movement,
    effects,
    hidden_swift,
    movement_and_positioning,
    resting,
    running_the_game,
    taking_damage,
    vital_wounds,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    taking_damage,
    vital_wounds,
    resting,
    effects,
    hidden_swift,
    movement_and_positioning,
    aerial_movement,
    running_the_game,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "running_the_game",
    "vital_wounds",
    "taking_damage",
    "resting",
    "effects",
    "hidden_swift",
    "movement_and_positioning",
    "aerial_movement",
)
"""The modules that other wings use."""
