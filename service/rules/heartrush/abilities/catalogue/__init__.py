"""Ship the sample abilities and spells, and tell which definitions a fight knows.

A fight knows what its sheets name: from the opening's own definitions first, then from this catalogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from service.rules.heartrush.abilities.catalogue.classes import CLASS_ABILITIES
from service.rules.heartrush.abilities.catalogue.spells import SPELLS
from service.rules.heartrush.abilities.catalogue.talents import TALENTS
from service.rules.heartrush.sheets.abilities import Ability, Spell
from service.rules.heartrush.sheets.sheet import Sheet

CATALOGUE: Final[Mapping[str, Ability | Spell]] = MappingProxyType(
    {definition.id: definition for definition in (*CLASS_ABILITIES, *TALENTS, *SPELLS)}
)


def defined(name: str, own: Mapping[str, Ability | Spell]) -> Ability | Spell | None:
    """Return the definition of this id: the fight's *own*, or the shipped one."""
    return own.get(name, CATALOGUE.get(name))


def named(sheets: Iterable[Sheet], own: Iterable[Ability | Spell]) -> Mapping[str, Ability | Spell]:
    """Return *own*, and the shipped definitions of everything that *sheets* name, in their order."""
    found = {definition.id: definition for definition in own}
    names = (name for sheet in sheets for name in (*sheet.abilities, *sheet.growth.spells))
    return {**found, **{name: CATALOGUE[name] for name in names if name in CATALOGUE}}
