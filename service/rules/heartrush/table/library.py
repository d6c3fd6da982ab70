"""List what the book has by name: stat blocks, weapons, abilities, spells, conditions, and sample fights.

What every ruleset lists of commands without a prompt is completed here too, and how a sheet is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from service.rules.heartrush.body.conditions import CONDITIONS, ConditionKind
from service.rules.heartrush.creatures.abilities import Ability
from service.rules.heartrush.creatures.bestiary import BESTIARY
from service.rules.heartrush.using.catalogue import CATALOGUE
from service.rules.kernel.rulebook import rules_in
from service.rules.table.library import LibraryEntry, SheetGroup
from service.rules.table.table import GM
from service.rules.table.unprompted import PLAYER, SHARED, Unprompted, under

UNPROMPTED: Final[tuple[Unprompted, ...]] = (
    *SHARED[:1],
    *under("Ruling", "end_combat"),
    *under("Creatures", "describe_wound", "award_xp"),
    *under("The surroundings", "hazard", "fall", "cut_off", "allow_hiding"),
    *under("Time", "rest", "advance_clock"),
    *SHARED[1:],
    *under("At any time", "ask_ruling", roles=(PLAYER,)),
    *under("At any time", "set_standing", roles=(GM, PLAYER)),
)

SHEET: Final[tuple[SheetGroup, ...]] = (
    SheetGroup(title="Who it is", fields=("name", "kind", "size", "side")),
    SheetGroup(title="Abilities", fields=("might", "agility", "cunning", "presence", "heart_die")),
    SheetGroup(
        title="What it can take",
        fields=("hp_max", "wound_threshold", "armor", "natural_armor", "shield", "woundable", "metal_armor"),
    ),
    SheetGroup(title="Weapons", fields=("weapons", "wielded", "attack_bonus", "defense_bonus")),
    SheetGroup(title="What it can do", fields=("abilities", "poisons", "potions")),
    SheetGroup(
        title="Moving and seeing",
        fields=("speed", "swim_speed", "climb_speed", "darkvision", "breathes_water", "lantern_ft"),
    ),
)


@cache
def library() -> tuple[LibraryEntry, ...]:
    """Return everything that the book has by name, in its order."""
    return (*_blocks(), *_weapons(), *_abilities(), *_conditions(), *_fights())


def _blocks() -> Iterator[LibraryEntry]:
    for id_, sheet in BESTIARY.items():
        dice = f"might d{sheet.might}, agility d{sheet.agility}, cunning d{sheet.cunning}"
        weapons = ", ".join(weapon.id for weapon in sheet.weapons)
        text = f"{sheet.size}, {sheet.hp_max} hit points, {dice}; {weapons}"
        yield LibraryEntry(
            kind="stat_block", id=id_, name=sheet.name, text=text, group=sheet.kind, data=sheet
        )


def _weapons() -> Iterator[LibraryEntry]:
    every = {weapon.id: weapon for sheet in BESTIARY.values() for weapon in sheet.weapons}
    for id_, weapon in sorted(every.items()):
        name = id_.capitalize()
        yield LibraryEntry(kind="weapon", id=id_, name=name, text=weapon.in_words(), data=weapon)


def _abilities() -> Iterator[LibraryEntry]:
    for id_, found in CATALOGUE.items():
        is_ability = isinstance(found, Ability)
        group = ", ".join(found.tags if isinstance(found, Ability) else found.elements)
        kind = "ability" if is_ability else "spell"
        yield LibraryEntry(kind=kind, id=id_, name=found.name, text=found.text, group=group)


def _conditions() -> Iterator[LibraryEntry]:
    every = rules_in(("service.rules",))
    for name, kind in CONDITIONS.items():
        title = name.replace("_", " ").capitalize()
        said = [every[id_].statement for id_ in kind.rules]
        text = " ".join((*said, *_of_kind(kind)))
        yield LibraryEntry(kind="condition", id=name, name=title, text=text)


def _of_kind(kind: ConditionKind) -> Iterator[str]:
    """Yield what the record of a condition says of it, in sentences."""
    if kind.levels > 1:
        yield f"It has up to {kind.levels} levels."
    if kind.fades:
        yield "It fades: it loses a level at the start of each round."


def _creature(block: str, id_: str, name: str, side: str, at: tuple[int, int]) -> dict[str, Any]:
    return {"stat_block": block, "id": id_, "name": name, "side": side, "position": list(at)}


def _hero(id_: str, name: str, at: tuple[int, int], **numbers: object) -> dict[str, Any]:
    sword = {"id": "sword", "size_class": "light", "damage_type": "slashing"}
    sheet = {"id": id_, "name": name, "side": "heroes", "kind": "pc", "armor": "light", "weapons": [sword]}
    return {"position": list(at), "sheet": {**sheet, **numbers}}


_FIGHTS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "ford": {
            "edition": "heartrush@1",
            "title": "At the ford",
            "sides": ["heroes", "foes"],
            "player_side": "heroes",
            "creatures": [
                _hero("pia", "Pia", (0, 1), might=8, shield="light"),
                _hero("ash", "Ash", (0, 3), agility=8, cunning=6),
                _creature("goblin", "goblin", "Goblin", "foes", (6, 1)),
                _creature("goblin", "goblin-2", "Goblin", "foes", (6, 3)),
            ],
            "terrain": {f"3,{y}": "shallow_water" for y in range(5)},
        },
        "gatehouse": {
            "edition": "heartrush@1",
            "title": "The gatehouse",
            "sides": ["heroes", "foes"],
            "player_side": "heroes",
            "creatures": [
                _hero("pia", "Pia", (1, 2), might=8),
                _hero("ash", "Ash", (0, 1), agility=8),
                _hero("ira", "Ira", (0, 3), presence=8),
                _creature("orc", "orc", "Orc", "foes", (5, 2)),
                _creature("bandit", "bandit", "Bandit", "foes", (6, 1)),
                _creature("bandit", "bandit-2", "Bandit", "foes", (6, 3)),
            ],
            "walls": {
                "3,0|4,0": "wall",
                "3,1|4,1": "wall",
                "3,2|4,2": "closed_door",
                "3,3|4,3": "wall",
                "3,4|4,4": "wall",
            },
        },
    }
)


def _fights() -> Iterator[LibraryEntry]:
    texts = {
        "ford": "Two heroes meet two goblins at a shallow river.",
        "gatehouse": "Three heroes, a closed door, an orc and two bandits behind it.",
    }
    for id_, opening in _FIGHTS.items():
        yield LibraryEntry(kind="fight", id=id_, name=opening["title"], text=texts[id_], data=opening)
