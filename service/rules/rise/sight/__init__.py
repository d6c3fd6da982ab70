"""Who sees and reaches whom.

Vision, lines, obstacles, cover and targets.

The chapters, with the modules that have them:

- 5.9 Vision and Light; 5.10 Obstacles and Cover: `vision_and_lines`, `obstacles_and_targets`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.sight import (
    obstacles_and_targets,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (obstacles_and_targets,)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "vision_and_lines",
    "obstacles_and_targets",
)
"""The modules that other wings use."""
