"""Run Python's cycle collector rarely in API processes and workers, because they create hardly any cycles.

Records only point down, so reference counting frees them. Python's collector cannot know that: by default it
walks the young containers whenever 700 more were created than freed, several times for one command, and now
and then everything that was ever loaded, which delays waiting requests. Cycles of libraries are still found,
only later; no request leaves a cycle that includes its body.
"""

from __future__ import annotations

import gc
from typing import Final

YOUNG: Final = 50_000
"""Containers created minus freed since the last collection that start the next: some megabytes."""


def collect_seldom() -> None:
    """Set this process up after all imports: objects that exist now are never walked again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)
