"""Find the rules of a package, and those that take part in a play."""

from __future__ import annotations

from service.conformance.taking_part import fired, named
from service.rules.kernel.rulebook import HOMES

__all__ = ["fired", "named", "rules_of"]


def rules_of(package: str) -> frozenset[str]:
    """Return the ids of the rules that code in *package* enforces."""
    return frozenset(
        rule.id for rule, homes in HOMES.items() if any(home.startswith(package) for home in homes)
    )
