"""Find a ruleset by the name of its edition. A released edition stays in the registry."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from service.rules.heartrush import HEARTRUSH
from service.rules.rise import RISE
from service.rules.ruleset import Ruleset

REGISTRY: Final[Mapping[str, Ruleset[Any]]] = MappingProxyType(
    {HEARTRUSH.edition: HEARTRUSH, RISE.edition: RISE}
)


class EditionNotFound(LookupError):
    """The registry has no ruleset of this name and revision."""


def ruleset_of(edition: str) -> Ruleset[Any]:
    """Return the ruleset of *edition*; raises `EditionNotFound`."""
    found = REGISTRY.get(edition)
    if found is None:
        raise EditionNotFound(edition)
    return found
