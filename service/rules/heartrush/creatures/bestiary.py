"""Ship stat blocks: creatures by name, ready to be put on either side of a fight.

Plain sheets and nothing else: what a block has, any opening could spell out. A fight that names a block
records the whole sheet, so a later edition of this file changes no fight.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.rules.heartrush.creatures.sheet import Sheet, Weapon
from service.rules.kernel.records import changed
from service.rules.openings import Id

MACE: Final = Weapon(id="mace", size_class="light", damage_type="bludgeoning")
SWORD: Final = Weapon(id="sword", size_class="light", damage_type="slashing")
SPEAR: Final = Weapon(id="spear", size_class="light", damage_type="piercing", tags=("reach",))
KNIFE: Final = Weapon(id="knife", attack_type="thrown", damage_type="piercing")
SHORTBOW: Final = Weapon(id="shortbow", size_class="light", attack_type="ranged", damage_type="piercing")
MAUL: Final = Weapon(id="maul", size_class="heavy", damage_type="bludgeoning")
GREATSWORD: Final = Weapon(id="greatsword", size_class="heavy", damage_type="slashing")
BITE: Final = Weapon(id="bite", size_class="light", damage_type="piercing", tags=("natural",))
CLAWS: Final = Weapon(id="claws", size_class="light", damage_type="slashing", tags=("natural",))
FISTS: Final = Weapon(id="fists", size_class="heavy", damage_type="bludgeoning", tags=("natural",))


def _block(name: str, **numbers: object) -> Sheet:
    """Return a sheet on nobody's side, with *numbers* where it differs from a new character."""
    return changed(Sheet(id="block", name=name, side="nobody"), **numbers)


_CHARACTERS: Final[Mapping[str, Sheet]] = {
    "new-character": _block(
        "New character", kind="pc", might=6, agility=6, cunning=4, presence=4, armor="light", weapons=(SWORD,)
    ),
    "animal-companion": _block(
        "Animal companion",
        kind="companion",
        size="small",
        hp_max=20,
        heart_die=6,
        might=6,
        agility=4,
        cunning=2,
        presence=2,
        weapons=(BITE,),
    ),
    "hired-attendant": _block("Hired attendant", might=6, agility=6, cunning=6, presence=6, weapons=(KNIFE,)),
}

_CAST: Final[Mapping[str, Sheet]] = {
    "orc": _block("Orc", hp_max=35, might=10, agility=6, cunning=4, armor="medium", weapons=(GREATSWORD,)),
    "wolf": _block(
        "Wolf", hp_max=20, heart_die=6, might=6, agility=8, cunning=8, darkvision=True, weapons=(BITE,)
    ),
    "goblin": _block(
        "Goblin",
        size="small",
        hp_max=20,
        heart_die=6,
        might=4,
        agility=8,
        cunning=6,
        darkvision=True,
        weapons=(SHORTBOW, KNIFE),
    ),
    "bandit": _block("Bandit", hp_max=25, might=6, agility=6, cunning=6, armor="light", weapons=(SPEAR,)),
    "ogre": _block(
        "Ogre",
        size="large",
        hp_max=50,
        wound_threshold=12,
        might=12,
        agility=4,
        armor="light",
        weapons=(MAUL,),
    ),
}

_RANKS: Final[Mapping[str, Sheet]] = {
    "minion": _block("Minion", hp_max=15, woundable=False, heart_die=6, weapons=(MACE,)),
    "standard": _block("Standard", hp_max=30, wound_threshold=10, weapons=(SWORD,)),
    "elite": _block(
        "Elite", hp_max=50, wound_threshold=12, heart_die=10, might=8, agility=8, weapons=(SWORD,)
    ),
    "boss": _block(
        "Boss",
        hp_max=80,
        wound_threshold=15,
        heart_die=10,
        might=10,
        agility=8,
        cunning=8,
        presence=8,
        armor="medium",
        weapons=(GREATSWORD,),
    ),
    "legend": _block(
        "Legend",
        size="l2",
        hp_max=120,
        wound_threshold=20,
        heart_die=12,
        might=12,
        agility=10,
        cunning=10,
        presence=10,
        armor="natural",
        natural_armor=6,
        weapons=(CLAWS,),
    ),
}

_ROLES: Final[Mapping[str, Sheet]] = {
    "brute": _block(
        "Brute",
        size="large",
        hp_max=40,
        wound_threshold=12,
        might=10,
        agility=4,
        cunning=4,
        attack_bonus=8,
        defense_bonus=4,
        weapons=(FISTS,),
    ),
    "skirmisher": _block(
        "Skirmisher",
        hp_max=30,
        wound_threshold=10,
        might=6,
        agility=12,
        cunning=6,
        attack_bonus=6,
        defense_bonus=6,
        weapons=(SWORD,),
    ),
    "controller": _block(
        "Controller",
        hp_max=35,
        wound_threshold=12,
        heart_die=10,
        might=6,
        agility=6,
        cunning=12,
        attack_bonus=5,
        defense_bonus=5,
        weapons=(SPEAR,),
    ),
    "swarm": _block(
        "Swarm",
        size="large",
        hp_max=25,
        woundable=False,
        heart_die=6,
        might=4,
        agility=8,
        cunning=6,
        presence=4,
        attack_bonus=4,
        defense_bonus=3,
        weapons=(BITE,),
    ),
}

BESTIARY: Final[Mapping[str, Sheet]] = MappingProxyType(
    dict(sorted({**_CHARACTERS, **_CAST, **_RANKS, **_ROLES}.items()))
)
"""Every stat block by its name."""


def drawn(block: str, id_: Id, side: Id, name: str | None) -> Sheet:
    """Return the sheet of *block* for a creature of its own name and side; raises `KeyError` without one."""
    sheet = BESTIARY[block]
    return changed(sheet, id=id_, side=side, name=name or sheet.name)
