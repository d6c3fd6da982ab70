"""List what the books leave to tables and a new one needs: plain stat blocks, and a sample fight.

The books print no stat blocks; these are plain sheets, which any opening could spell out. What every ruleset
lists of commands without a prompt is completed here too, and how a sheet is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from service.rules.kernel.codec import to_data
from service.rules.rise.creatures.sheet import Sheet, Strike, Weapon
from service.rules.table.library import LibraryEntry, SheetGroup
from service.rules.table.unprompted import SHARED, Unprompted, under

UNPROMPTED: Final[tuple[Unprompted, ...]] = (
    *SHARED[:1],
    *under("Ruling", "rule", "end_combat", "continue_combat", "next_round"),
    *under("Creatures", "set_attitude", "treat_wound", "rest"),
    *SHARED[1:],
)

SHEET: Final[tuple[SheetGroup, ...]] = (
    SheetGroup(title="Who it is", fields=("name", "kind", "size", "level", "side")),
    SheetGroup(title="What it can take", fields=("hp_max", "dr_max", "defenses", "fatigue_tolerance")),
    SheetGroup(title="Attacks", fields=("accuracy", "brawling_accuracy", "power", "weapons", "hands")),
    SheetGroup(
        title="Attributes",
        fields=("strength", "dexterity", "constitution", "intelligence", "perception", "willpower"),
    ),
    SheetGroup(title="What it can do", fields=("abilities", "communicates")),
    SheetGroup(
        title="Moving and riding",
        fields=("speeds", "floats", "carries_riders", "combat_trained", "ride"),
    ),
)


def _weapon(id_: str, die: int, flat: int, *, reach_ft: int = 5, long_ft: int | None = None) -> Weapon:
    is_shot = long_ft is not None
    return Weapon(
        id=id_,
        strike=Strike(dice=(die,), flat=flat),
        melee=not is_shot,
        projectile=is_shot,
        close_ft=reach_ft,
        long_ft=reach_ft if long_ft is None else long_ft,
    )


def _block(name: str, armor: int, others: int, **numbers: Any) -> Sheet:  # noqa: ANN401 - fields
    """Return a sheet on nobody's side; *others* are its defenses besides armor."""
    defenses = {"armor": armor, "fortitude": others, "reflex": others, "mental": others}
    return Sheet(id="block", name=name, side="nobody", defenses=MappingProxyType(defenses), **numbers)


BLOCKS: Final[Mapping[str, Sheet]] = MappingProxyType(
    {
        "adventurer": _block(
            "Adventurer", 12, 10, kind="pc", hp_max=12, accuracy=5, weapons=(_weapon("saber", 8, 3),)
        ),
        "archer": _block(
            "Archer",
            11,
            10,
            kind="pc",
            hp_max=10,
            accuracy=5,
            weapons=(_weapon("bow", 6, 3, reach_ft=90, long_ft=270),),
        ),
        "guard": _block("Guard", 12, 10, hp_max=8, accuracy=4, weapons=(_weapon("mace", 6, 2),)),
        "knight": _block(
            "Knight", 14, 11, level=3, hp_max=16, accuracy=6, weapons=(_weapon("longsword", 8, 4),)
        ),
        "wolf": _block("Wolf", 11, 10, hp_max=8, accuracy=4, hands=0, weapons=(_weapon("bite", 6, 2),)),
        "ogre": _block(
            "Ogre",
            11,
            12,
            size="large",
            level=5,
            hp_max=30,
            accuracy=6,
            weapons=(_weapon("club", 10, 5, reach_ft=10),),
        ),
    }
)
"""Every stat block by its name."""


@cache
def library() -> tuple[LibraryEntry, ...]:
    """Return everything that there is by name."""
    return (*_blocks(), *_weapons(), *_fights())


def _blocks() -> Iterator[LibraryEntry]:
    for id_, sheet in BLOCKS.items():
        weapons = ", ".join(weapon.id for weapon in sheet.weapons)
        numbers = f"level {sheet.level}, {sheet.hp_max} hit points, accuracy {sheet.accuracy}"
        text = f"{sheet.size}, {numbers}; {weapons}"
        yield LibraryEntry(
            kind="stat_block", id=id_, name=sheet.name, text=text, group=sheet.kind, data=sheet
        )


def _weapons() -> Iterator[LibraryEntry]:
    for sheet in BLOCKS.values():
        for weapon in sheet.weapons:
            dice = " + ".join(f"d{sides}" for sides in weapon.strike.dice)
            text = f"{dice} + {weapon.strike.flat} damage, {weapon.long_ft} feet"
            yield LibraryEntry(
                kind="weapon", id=weapon.id, name=weapon.id.capitalize(), text=text, data=weapon
            )


def _creature(block: str, id_: str, name: str, side: str, at: tuple[int, int]) -> dict[str, Any]:
    sheet = {**to_data(BLOCKS[block]), "id": id_, "name": name, "side": side}
    return {"sheet": sheet, "position": list(at)}


def _fights() -> Iterator[LibraryEntry]:
    opening = {
        "edition": "rise@1",
        "title": "The old mill",
        "creatures": [
            _creature("adventurer", "mira", "Mira", "heroes", (0, 1)),
            _creature("archer", "tam", "Tam", "heroes", (0, 3)),
            _creature("knight", "knight", "The knight", "iron", (4, 1)),
            _creature("guard", "guard", "Guard", "iron", (4, 3)),
        ],
        "terrain": {"2,2": "obstacle", "2,0": "difficult"},
    }
    text = "Two adventurers, a knight and a guard; both sides plan in secret."
    yield LibraryEntry(kind="fight", id="mill", name="The old mill", text=text, data=opening)
