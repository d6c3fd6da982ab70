"""Find the way of a push: the cells it crosses, and what stops it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from service.rules.heartrush.creatures.hands import shield_held
from service.rules.heartrush.space.paths import is_walled, may_stop, others_at
from service.rules.heartrush.state import Creature, State
from service.rules.space.grid import FEET, Cell, cells, line

WITHIN_SIZES = 2
"""A creature at most this many sizes from the mover stops it."""


def obstacle(
    state: State, mover: Creature, at: Cell, companion: str | None = None
) -> tuple[bool, str | None]:
    """Tell whether a push stops before *at*, and the creature that stops it (None: a wall)."""
    if is_walled(state, mover, at):
        return True, None
    around = others_at(state, mover, mover.position)  # who shares its space already does not stop it
    for other in others_at(state, mover, at):
        near = abs(other.rank - mover.rank) <= WITHIN_SIZES
        shield_wall = shield_held(other) == "heavy" and other.side != mover.side
        if (near or shield_wall) and other not in around and other.id != companion:
            return True, other.id
    return False, None


def way(
    state: State, mover: Creature, step: Cell, feet: int, companion: str | None = None
) -> tuple[tuple[Cell, ...], bool, str | None]:
    """Return the cells a push crosses, whether it is stopped, and by whom."""
    crossed: list[Cell] = []
    for cell in line(mover.position, step, feet // FEET):
        stopped, blocker = obstacle(state, mover, cell, companion)
        if stopped:
            return tuple(crossed), True, blocker
        crossed.append(cell)
    return tuple(crossed), False, None


def left_behind(mover: Creature, places: Iterable[Cell], end: Cell) -> tuple[Cell, ...]:
    """Return the cells that the space of *mover* covers at *places* and no longer covers at *end*."""
    kept = cells(end, mover.space)
    covered = (cell for place in places for cell in cells(place, mover.space))
    return tuple(cell for cell in dict.fromkeys(covered) if cell not in kept)


def free_behind(state: State, follower: str, pushed: str, step: Cell) -> Iterator[Cell]:
    """Yield the cells between where a push went and where it began that *follower* may take."""
    mover = state.creatures[pushed]
    back = (-step[0], -step[1])
    for cell in left_behind(mover, line(mover.position, back, 2 * FEET), mover.position):
        if may_stop(state, state.creatures[follower], cell):
            yield cell
