"""The heart of the book: two sides that engage.

Stances, declarations, the three steps, attacks, and what follows a hit.

The chapters, with the modules that have them:

- Combat: `at_once`, `opportunity_attacks`, `stances`, `declaring`, `resolution`, `agility_and_might`
- Gameplay Basics: `riders`
- Combat Mechanics: `exchanges`, `attacks`, `aftermath`
- Other Offensive Actions: `offensive_actions`
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from service.rules.heartrush.engaging import (
    aftermath,
    agility_and_might,
    at_once,
    attacks,
    declaring,
    exchanges,
    offensive_actions,
    opportunity_attacks,
    resolution,
    riders,
    stances,
)

CHAPTERS: Final[tuple[ModuleType, ...]] = (
    at_once,
    opportunity_attacks,
    stances,
    declaring,
    resolution,
    agility_and_might,
    riders,
    exchanges,
    attacks,
    aftermath,
    offensive_actions,
)
"""The modules with messages, in the order of the book."""

FACE: Final = (
    "stances",
    "exchanges",
    "resolution",
    "agility_and_might",
    "attacks",
    "aftermath",
    "offensive_actions",
    "opportunity_attacks",
    "at_once",
    "riders",
)
"""The modules that other wings use."""
