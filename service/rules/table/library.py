"""What a rulebook has on its shelves: stat blocks, weapons, abilities, conditions, each with its text.

A ruleset makes its own shelf. People search it by name; an opening may take what an entry has in `data`.
"""

from __future__ import annotations

from typing import Any

from service.rules.kernel.records import record


@record
class LibraryEntry:
    """One thing of a rulebook by its name."""

    kind: str
    """`stat_block`, `weapon`, `ability`, `spell`, `condition` or `fight`."""
    id: str
    name: str
    text: str = ""
    """What it does, in a sentence or two."""
    group: str = ""
    """Under which heading of its kind people look for it."""
    data: Any = None
    """The record that an opening would have of it, or the opening itself; None if it has none."""


@record
class SheetGroup:
    """Fields of a sheet that people read together, under a title."""

    title: str
    fields: tuple[str, ...]
