"""What a group decides in secret.

Intents, plans, groups, initiative, and deeds that no ability names.

The chapters, with the modules that have them:

- 5.5 Combat Time: `groups`, `planning`, `intents`, `initiative`, `improvising`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.rise.planning import (
    groups,
    improvising,
    initiative,
    intents,
    planning,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    groups,
    planning,
    intents,
    initiative,
    improvising,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "intents",
    "planning",
    "groups",
    "initiative",
    "improvising",
)
"""The modules that other wings use."""
