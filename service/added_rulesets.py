"""Find the rulesets that installed packages add, without loading any; `service.rulesets` loads them."""

from __future__ import annotations

from importlib.metadata import EntryPoints, entry_points
from typing import Final

GROUP: Final = "rewound.rulesets"


def added() -> EntryPoints:
    """Return the entry points of the rulesets that installed packages add."""
    return entry_points(group=GROUP)
