"""Tell what stands between an attacker and its target, and shelters it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.attacks.uses import Aim, Origin
from service.rules.rise.creatures.creature import Creature, above
from service.rules.rise.creatures.lasting import Cover
from service.rules.rise.creatures.sheet import Strike
from service.rules.rise.rulings import ruled
from service.rules.rise.space.attitudes import may_join
from service.rules.rise.space.sight import between, facing
from service.rules.rise.state import State
from service.rules.space.grid import Cell

RI_ATK_15: Final = Rule(
    "RI-ATK-15",
    "What is in the way adds 2 to Armor and Reflex, or 4 by ruling, and is hit by what misses or glances.",
    books.OBSTACLES.at("Cover"),
)


SHELTERED: Final = ("armor", "reflex")
"""The defenses that cover adds to; attacks against none of them are not stopped by what is in the way."""
COVER: Final = 2
IMPROVED: Final = 4


def covered(state: State, aim: Aim, strike: Strike) -> Cover | None:
    """Return what shelters the target of an attack, if anything; brawling goes around it."""
    assault = aim.assault
    if assault.maneuver or aim.target in assault.willing:
        return None
    if not any(name in SHELTERED for name in strike.versus):
        return None
    user, target = state.creatures[assault.user], state.creatures[aim.target]
    start = assault.area or Origin(at=user.position, side=user.space, altitude=user.altitude)
    line = facing(start.at, start.side, target.position, target.space)
    return cover(state, user, target, tuple(between(*line)))


@enforces(RI_ATK_15)
def cover(state: State, user: Creature, target: Creature, line: Sequence[Cell]) -> Cover | None:
    """Return the first cover on *line* between *user* and *target*, None if there is none.

    Allies who communicate with the attacker give no cover against it.
    """
    for cell in line:
        for by in in_between(state, user, target, cell):
            improved = ruled(state, "improved_cover", target.id) == str(IMPROVED)
            return Cover(by=by, bonus=IMPROVED if improved else COVER)
    return None


def takes(state: State, cover: Cover, attacked: Sequence[str]) -> bool:
    """Tell whether the attack goes on against *cover*: it can be hurt and is not among those *attacked*."""
    return cover.by in state.creatures and cover.by not in attacked


def in_between(state: State, user: Creature, target: Creature, cell: Cell) -> Iterator[str]:
    """Yield what stands in the way at *cell*: creatures by their ids, a low obstacle by its cell `x,y`."""
    for other in state.standing_at(cell):
        theirs = belongs(other, user) or belongs(other, target)
        is_in_touch = other.sheet.kind != "object" and may_join(state, user.id, other.id)
        if not theirs and not is_overhead(other, user, target) and not is_in_touch:
            yield other.id
    if state.ground(cell) == "obstacle" and not (user.altitude and target.altitude):
        yield f"{cell[0]},{cell[1]}"


def is_overhead(other: Creature, user: Creature, target: Creature) -> bool:
    """Tell whether *other* is at another height than both."""
    return bool(above(other, user) and above(other, target))


def belongs(other: Creature, to: Creature) -> bool:
    """Tell whether *other* is a creature itself, its mount or its rider."""
    return other.id in (to.id, to.mount) or other.mount == to.id
