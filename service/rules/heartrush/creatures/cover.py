"""Count cover: lines from the attacker's best corner to the corners of its target, and how many walls cut.

Whole numbers only: a line runs between corners of cells, and cuts a wall if it passes through its inside or
along a seam with wall on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.sheets.sheet import Weapon
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.space.grid import Cell, cells

HR_COVER_1: Final = Rule(
    "HR-COVER-1",
    "Each corner line that is blocked hampers a shot by one level; four blocked by walls allow none.",
    books.COMBAT.at("Cover"),
)


TOTAL: Final = 4
SHOT: Final = ("ranged", "thrown")
LARGER_BY: Final = 2
"""Sizes by which a creature must be larger to shelter another in its space."""


@enforces(HR_COVER_1)
def lines_blocked(state: State, attacker: Creature, target: Creature) -> int:
    """Return how many corner lines from *attacker* to *target* are blocked, 0 to 4."""
    if not state.terrain:
        return 0
    goals = corners(target)
    starts = corners(attacker)
    walls = tuple(_walls_between(state, (*starts, *goals)))
    if not walls:
        return 0
    return min(sum(is_cut(start, goal, walls) for goal in goals) for start in starts)


def corners(creature: Creature) -> tuple[Cell, ...]:
    """Return the four corners of a creature's space, as points of the grid."""
    (x, y), side = creature.position, creature.space
    return ((x, y), (x + side, y), (x, y + side), (x + side, y + side))


def _walls_between(state: State, points: Iterable[Cell]) -> Iterator[Cell]:
    """Yield the wall cells of the rectangle that holds all *points*, and of the rim around it."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    for y in range(min(ys) - 1, max(ys) + 1):
        for x in range(min(xs) - 1, max(xs) + 1):
            if state.ground((x, y)) == "wall":
                yield (x, y)


def is_cut(start: Cell, goal: Cell, walls: tuple[Cell, ...]) -> bool:
    """Tell whether the line between two corners passes through any of *walls*."""
    return any(_cuts(start, goal, wall) for wall in walls) or _in_seam(start, goal, walls)


def _cuts(start: Cell, goal: Cell, wall: Cell) -> bool:
    """Tell whether a line passes through the inside of a cell: no axis keeps the two apart."""
    (px, py), (qx, qy), (x, y) = start, goal, wall
    if max(px, qx) <= x or min(px, qx) >= x + 1 or max(py, qy) <= y or min(py, qy) >= y + 1:
        return False
    dx, dy = qx - px, qy - py
    sides = [dx * (cy - py) - dy * (cx - px) for cx in (x, x + 1) for cy in (y, y + 1)]
    return min(sides) < 0 < max(sides)


def _in_seam(start: Cell, goal: Cell, walls: tuple[Cell, ...]) -> bool:
    """Tell whether a straight line runs between two walls that touch."""
    (px, py), (qx, qy) = start, goal
    if px == qx:
        pieces = [((px - 1, y), (px, y)) for y in range(min(py, qy), max(py, qy))]
    elif py == qy:
        pieces = [((x, py - 1), (x, py)) for x in range(min(px, qx), max(px, qx))]
    else:
        return False
    return any(a in walls and b in walls for a, b in pieces)


def cover_level(state: State, attacker: Creature, target: Creature) -> int:
    """Return the levels of cover: the most of blocked lines, the GM's word and a larger friend's space."""
    said = target.level("cover") if target.conditions else 0
    return max(lines_blocked(state, attacker, target), said, int(is_sheltered(state, target)))


def is_sheltered(state: State, creature: Creature) -> bool:
    """Tell whether *creature* shares the space of a larger one that is not its enemy (HR-SIZE-4)."""
    return any(
        other.id != creature.id and other.side == creature.side and other.rank >= creature.rank + LARGER_BY
        for cell in cells(creature.position, creature.space)
        for other in state.standing_at(cell)
    )


def is_covered_whole(state: State, attacker: Creature, target: Creature, weapon: Weapon) -> bool:
    """Tell whether no shot can reach the target at all."""
    if weapon.attack_type not in SHOT or not (state.terrain or target.conditions):
        return False
    return cover_level(state, attacker, target) >= TOTAL
