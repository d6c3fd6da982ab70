"""How a fight is opened, shown and ended.

Openings, arrivals, what the page shows, and the families of the book's members.

The chapters, with the modules that have them:

- Combat: `combat`

Beside them: `entries`, `opening`, `arrivals`, `kinds`, `library`, `presentation`, `reasons`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.table import (
    arrivals,
    combat,
    entries,
    opening,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    combat,
    entries,
    opening,
    arrivals,
)
"""The modules with messages, in the order of the book."""

FACE: Final = ()
"""The modules that other wings use."""
