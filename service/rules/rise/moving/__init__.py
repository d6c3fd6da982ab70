"""How the movements of all groups become one.

The problem of movement, its solver, mounts, objects, and the merge.

The chapters, with the modules that have them:

- 5.5 Combat Time: `objects`, `merging`
- 5.6 Movement and Positioning: `moving`, `movement_problem`, `movement_solver`, `movement_resolution`,
  `mounts`
- 5.8 Universal Abilities: `hurling`, `exertion`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.moving import (
    exertion,
    hurling,
    mounts,
    movement_resolution,
    moving,
    objects,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    objects,
    moving,
    movement_resolution,
    mounts,
    hurling,
    exertion,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "movement_problem",
    "movement_resolution",
    "mounts",
    "objects",
    "merging",
)
"""The modules that other wings use."""
