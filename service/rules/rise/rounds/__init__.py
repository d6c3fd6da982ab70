"""The course of a round.

Both phases, the round that has them, and who enters it.

The chapters, with the modules that have them:

- 5.5 Combat Time: `rounds`, `movement_phase`, `action_phase`

Beside them: `entries`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.rounds import (
    action_phase,
    entries,
    movement_phase,
    rounds,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    rounds,
    movement_phase,
    action_phase,
    entries,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "action_phase",
    "movement_phase",
    "rounds",
    "entries",
)
"""The modules that other wings use."""
