"""Seal what a player commits before it is shown: to its own seat, until the occasion opens it for all."""

from __future__ import annotations

from service.rules.kernel.messages import Scope
from service.rules.kernel.rulebook import rule


@rule("HR-SVC-2", "service ruling")
def sealed_to(seat: str, occasion: str) -> Scope:
    """What is committed and not yet revealed is known to its own seat alone, and not to the GM either."""
    return Scope(audience=(f"seat:{seat}",), opens=occasion)
