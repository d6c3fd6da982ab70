"""Say what a cunning attack may add to a creature caught in agility: up to two levels of three conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.rules.kernel.messages import Refused

PERKS: Final = ("dazed", "off_balanced", "weakened")
PERK_LIMIT: Final = 2

PERK_CHOICES: Final[tuple[Mapping[str, int], ...]] = (
    {},
    *({name: levels} for name in PERKS for levels in (1, 2)),
    *({a: 1, b: 1} for i, a in enumerate(PERKS) for b in PERKS[i + 1 :]),
)
"""Every way to spend the levels."""


def check_levels(perk: Mapping[str, int]) -> None:
    """Refuse other conditions, and more than two levels in all."""
    if any(name not in PERKS or levels < 0 for name, levels in perk.items()):
        raise Refused(
            "perk_not_available", "the perk is levels of dazed, off_balanced or weakened", "HR-STANCE-CUN-2"
        )
    if sum(perk.values()) > PERK_LIMIT:
        raise Refused("perk_over_limit", f"at most {PERK_LIMIT} levels in all", "HR-STANCE-CUN-2")
