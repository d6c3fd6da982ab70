"""Seal what a player commits before it is shown: to its own seat, until the occasion opens it for all."""

from __future__ import annotations

from typing import Final

from service.rules.kernel.messages import Scope
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_SVC_2: Final = Rule(
    "HR-SVC-2",
    "What is committed and not yet revealed is known to its own seat alone, and not to the GM either.",
    RULING,
)


@enforces(HR_SVC_2)
def sealed_to(seat: str, occasion: str) -> Scope:
    """Return the scope of what only *seat* may see until *occasion*."""
    return Scope(audience=(f"seat:{seat}",), opens=occasion)
