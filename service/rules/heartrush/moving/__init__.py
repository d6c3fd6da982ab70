"""Every way from one cell to another.

Paths, dashes, sidesteps, pushes, climbs, falls and grapples.

The chapters, with the modules that have them:

- Combat: `dash_and_sidestep`, `movement`
- Gameplay Basics: `paths`, `pushed_ways`, `forced_movement`, `falling`
- Other Offensive Actions: `grapple`, `climbing`, `bonds`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.moving import (
    climbing,
    dash_and_sidestep,
    falling,
    forced_movement,
    grapple,
    movement,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    dash_and_sidestep,
    movement,
    forced_movement,
    falling,
    grapple,
    climbing,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "paths",
    "pushed_ways",
    "bonds",
    "movement",
    "dash_and_sidestep",
    "forced_movement",
    "climbing",
    "falling",
    "grapple",
)
"""The modules that other wings use."""
