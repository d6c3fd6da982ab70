"""List conditions, and what the books leave to tables and a new one needs: stat blocks, and a sample fight.

The books print no stat blocks; these are plain sheets, which any opening could spell out. What every ruleset
lists of commands without a prompt is completed here too, and how a sheet is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from service.rules.kernel.codec import to_data
from service.rules.kernel.rulebook import rules_in
from service.rules.rise.creatures.combat_statistics import CONDITIONS, RI_COND_2, ConditionKind
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
    return (*_blocks(), *_weapons(), *_conditions(), *_fights())


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
            name = weapon.id.capitalize()
            yield LibraryEntry(kind="weapon", id=weapon.id, name=name, text=weapon.in_words(), data=weapon)


_HEADINGS: Final = ("Circumstances and Debuffs", "Concealment")
"""Where the books say what conditions do."""
_TENTHS: Final = 10


def _conditions() -> Iterator[LibraryEntry]:
    every = rules_in(("service.rules.rise",)).values()
    rules = [
        rule
        for rule in every
        if rule.id != RI_COND_2.id and any(heading in rule.source for heading in _HEADINGS)
    ]  # what that rule lists for six conditions, the record of each says for itself
    for name, kind in CONDITIONS.items():
        said = [rule.statement for rule in rules if name in rule.statement.casefold()]
        text = " ".join((*_of_kind(kind), *dict.fromkeys(said)))
        yield LibraryEntry(kind="condition", id=name, name=name.capitalize(), text=text)


def _of_kind(kind: ConditionKind) -> Iterator[str]:
    """Yield what the record of a condition says of it, in sentences."""
    for defense, bonus in kind.modifiers.items():
        yield f"{bonus:+d} to {'all defenses' if defense == 'defenses' else defense}."
    if kind.covered_by:
        yield f"It adds nothing to {kind.covered_by}."
    if kind.halves_speed:
        yield "Speed is halved."
    if kind.holds_fast:
        yield "It cannot move."
    if kind.helpless:
        yield "It is helpless against attacks."
    if kind.half_aware:
        yield "It is partly unaware of every attack."
    if kind.missed:
        yield f"Attacks on it miss {kind.missed} times in {_TENTHS}."
    if kind.misses:
        yield f"Its attacks miss {kind.misses} times in {_TENTHS}."


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
