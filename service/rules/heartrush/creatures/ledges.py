"""Know the ledges of a map: who goes over one falls, and only a climb leads up.

A ledge is an edge between two cells of different height; every other difference of height is a slope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from service.rules.heartrush.creatures.sheet import Scenery
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.kernel.records import derived
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.space.grid import FEET, Cell, cells, is_step
from service.rules.space.walls import (
    NO_EDGES,
    Closed,
    edge_at,
    is_crossing_closed,
)

HR_FALL_2: Final = Rule(
    "HR-FALL-2",
    "A creature that goes over a ledge, willing or not, falls to the ground below and moves no further.",
    RULING,
    left_open="the ledger has the fall, and not where a map lets somebody fall",
)
HR_FALL_3: Final = Rule(
    "HR-FALL-3",
    "Only a climb leads up a ledge, and climbing down is no fall; from below it stops a push as a wall does.",
    RULING,
    left_open="the ledger has climbs by cells, and no edge that only a climb leads up",
)


class Ledges(NamedTuple):
    """The ledges of a map as steps: those that lead down one, and those that lead up."""

    down: Closed = NO_EDGES
    up: Closed = NO_EDGES
    edges: Closed = NO_EDGES
    """The steps that lead down or up."""
    brink: frozenset[Cell] = frozenset()
    """The cells from which one step may lead down."""


def ledges_of(state: State) -> Ledges:
    """Return the ledges of the map."""
    return derived(state.scenery, "ledges", _ledges)


def _ledges(scenery: Scenery) -> Ledges:
    heights = scenery.heights
    edges = [edge for key in scenery.ledges if (edge := edge_at(key)) is not None]
    both = [*edges, *((b, a) for a, b in edges)]
    down = [(a, b) for a, b in both if _height(heights, a) > _height(heights, b)]
    upper = [a for a, _ in down]
    up = [(b, a) for a, b in down]
    return Ledges(
        down=frozenset(down),
        up=frozenset(up),
        edges=frozenset((*down, *up)),
        brink=frozenset((x + dx, y + dy) for x, y in upper for dx in (-1, 0, 1) for dy in (-1, 0, 1)),
    )


def _height(heights: Mapping[str, int], cell: Cell) -> int:
    return heights.get(f"{cell[0]},{cell[1]}", 0)


def height_at(state: State, at: Cell, side: int) -> int:
    """Return the feet that the highest cell of the space at *at* lies above plain ground."""
    return max(_height(state.scenery.heights, cell) for cell in cells(at, side))


def top_ft(state: State, creature: Creature) -> int:
    """Return the feet above plain ground to which *creature* reaches: it is as tall as its space is wide."""
    return height_at(state, creature.position, creature.space) + FEET * creature.space


@enforces(HR_FALL_2)
def drop_ft(state: State, mover: Creature, old: Cell, new: Cell, *, climbing: bool) -> int:
    """Return the feet that *mover* falls by a step from *old* to *new*; 0 where the step leads over no ledge.

    A large space falls when the last of its cells leaves the upper ground. A willing mover is *climbing*
    where one of the cells can be climbed.
    """
    if not state.scenery.ledges or not is_at_brink(state, mover, old):
        return 0
    if not is_step(old, new) or _is_climbed(state, mover, old, new, climbing):
        return 0
    down, side = ledges_of(state).down, mover.space
    if not any(is_crossing_closed(down, state.is_solid, a, b) for a, b in _left(old, new, side)):
        return 0
    drop = height_at(state, old, side) - height_at(state, new, side)
    return drop if drop >= FEET else 0


@enforces(HR_FALL_3)
def is_too_steep(state: State, mover: Creature, old: Cell, new: Cell, *, climbing: bool) -> bool:
    """Return whether a ledge is in the way of a step up from *old* to *new*."""
    if not state.scenery.ledges or not is_at_brink(state, mover, new):
        return False
    if not is_step(old, new) or _is_climbed(state, mover, old, new, climbing):
        return False
    up = ledges_of(state).up
    return any(is_crossing_closed(up, state.is_solid, a, b) for a, b in _entered(old, new, mover.space))


def _is_climbed(state: State, mover: Creature, old: Cell, new: Cell, climbing: bool) -> bool:  # noqa: FBT001 - by place: for every step
    """Return whether a step of a mover that may climb is a climb."""
    if not climbing or not state.terrain:
        return False
    return any(state.ground(cell) == "climb" for at in (old, new) for cell in cells(at, mover.space))


def _left(old: Cell, new: Cell, side: int) -> Iterator[tuple[Cell, Cell]]:
    """Yield the steps of the cells that a space leaves."""
    dx, dy = new[0] - old[0], new[1] - old[1]
    kept = cells(new, side)
    return (((x, y), (x + dx, y + dy)) for x, y in cells(old, side) if (x, y) not in kept)


def _entered(old: Cell, new: Cell, side: int) -> Iterator[tuple[Cell, Cell]]:
    """Yield the steps to the cells that a space enters."""
    dx, dy = new[0] - old[0], new[1] - old[1]
    kept = cells(old, side)
    return (((x - dx, y - dy), (x, y)) for x, y in cells(new, side) if (x, y) not in kept)


def is_open_step(state: State, a: Cell, b: Cell) -> bool:
    """Return whether neither a closed edge nor a ledge is between two cells that touch."""
    return not state.is_barred(a, b) and not is_crossing_closed(ledges_of(state).edges, state.is_solid, a, b)


def is_at_brink(state: State, mover: Creature, at: Cell) -> bool:
    """Return whether a step of *mover* from *at* may lead over a ledge."""
    brink = ledges_of(state).brink
    return at in brink if mover.space == 1 else any(cell in brink for cell in cells(at, mover.space))
