"""Find the rules of a package, and those that take part in a play."""

from __future__ import annotations

from service.conformance.taking_part import fired, named
from service.rules.kernel.rulebook import RULES

__all__ = ["fired", "named", "rules_of"]


def rules_of(package: str) -> frozenset[str]:
    """Return the ids of the rules that have their home in *package*."""
    return frozenset(rule.id for rule in RULES.values() if rule.home.startswith(package))
