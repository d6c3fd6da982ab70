"""What a creature does on its turn of the action phase.

Turns, strikes, brawling, special abilities, Swift abilities and the GM's corrections.

The chapters, with the modules that have them:

- 5.5 Combat Time: `turns`, `combat_time`, `swift`
- 5.8 Universal Abilities: `strikes`, `brawling`, `special_abilities`
- Running the Game: `mending`, `corrections`

Beside them: `relations`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.acting import (
    brawling,
    combat_time,
    corrections,
    mending,
    special_abilities,
    strikes,
    swift,
    turns,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    turns,
    combat_time,
    swift,
    strikes,
    brawling,
    special_abilities,
    mending,
    corrections,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "combat_time",
    "turns",
    "swift",
    "strikes",
    "brawling",
    "special_abilities",
    "mending",
    "corrections",
    "relations",
)
"""The modules that other wings use."""
