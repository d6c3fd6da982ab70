"""How a fight is opened, shown and ended.

Openings, surprise, and what the page shows.

The chapters, with the modules that have them:

- 5.11 Awareness and Surprise: `combat`

Beside them: `opening`, `presentation`, `reasons`, `kinds`, `library`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.table import (
    combat,
    opening,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    combat,
    opening,
)
"""The modules with messages, in the order of the book."""

FACE: Final = ()
"""The modules that other wings use."""
