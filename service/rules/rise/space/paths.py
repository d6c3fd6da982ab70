"""Walk paths on the grid: what each step costs, who is in the way, and where a movement has to stop.

A path is the cells entered, in order. What a creature cannot see does not refuse its path; it stops it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import Creature, above, on_its_way
from service.rules.rise.state import State
from service.rules.space.grid import FEET, Cell, cells, is_step

RI_MOVE_2: Final = Rule(
    "RI-MOVE-2",
    "A step costs 5 feet; every second diagonal costs 10.",
    books.MOVEMENT.at("Measuring Movement"),
)
RI_MOVE_3: Final = Rule(
    "RI-MOVE-3",
    "Leaving difficult terrain, or getting over an obstacle, costs 5 feet more.",
    books.MOVEMENT.at("Movement Impediments"),
)
RI_MOVE_4: Final = Rule(
    "RI-MOVE-4",
    "Enemies block the way, others may be passed; creatures two sizes apart are no obstacle.",
    (books.MOVEMENT.at("Movement Impediments"), books.MECHANICS.at("Space")),
)
RI_PHASE_5: Final = Rule(
    "RI-PHASE-5",
    "Speed is new with each phase, and every foot moved in it is taken off.",
    books.CODEX_COMBAT.at("Movement Speed"),
)


BIG_ENOUGH = 2
"""Sizes apart at which two creatures are no obstacle to each other."""
ROUGH = ("difficult", "obstacle")
"""Ground that costs 5 feet more to leave."""


class Walk(NamedTuple):
    """How far a path led: the cells entered, the feet spent, and what stopped it, if anything."""

    cells: tuple[Cell, ...]
    feet: int
    stopped: str | None


@enforces(RI_MOVE_2)
def step_feet(before: Cell, after: Cell, diagonals: int) -> int:
    """Return the feet of a step, after so many *diagonals* on the way."""
    diagonal = before[0] != after[0] and before[1] != after[1]
    return FEET * 2 if diagonal and diagonals % 2 else FEET


@enforces(RI_MOVE_3)
def leaving(state: State, creature: Creature, cell: Cell) -> int:
    """Return the feet that it costs more to leave *cell*."""
    if not state.terrain and not state.zones:
        return 0
    space = cells(cell, creature.space)
    return FEET if any(state.ground(part) in ROUGH for part in space) else 0


def feet_of(state: State, creature: Creature, path: Sequence[Cell]) -> int:
    """Return what *path* costs *creature* from where it is."""
    at, diagonals, spent = creature.position, 0, 0
    for cell in path:
        spent += step_feet(at, cell, diagonals) + leaving(state, creature, at)
        diagonals += at[0] != cell[0] and at[1] != cell[1]
        at = cell
    return spent


@enforces(RI_MOVE_4)
def in_the_way(state: State, creature: Creature, cell: Cell, ignoring: Sequence[str] = ()) -> Creature | None:
    """Return the creature that stops *creature* at *cell*, None if it may pass."""
    for part in cells(cell, creature.space):
        for other in state.standing_at(part):
            if other.id == creature.id or other.id in ignoring or is_passable(state, creature, other):
                continue
            if above(creature, other):
                continue
            return other
    return None


def is_passable(state: State, creature: Creature, other: Creature) -> bool:
    """Tell whether *creature* may walk through the space of *other*."""
    if (
        abs(creature.rank - other.rank) >= BIG_ENOUGH
        or other.id == creature.mount
        or other.mount == creature.id
    ):
        return True
    hostile = "enemy" in (state.attitude(creature.id, other.id), state.attitude(other.id, creature.id))
    return not hostile or other.down


def occupant(state: State, creature: Creature, cell: Cell, ignoring: Sequence[str] = ()) -> Creature | None:
    """Return who keeps *creature* from ending its movement at *cell*, if anybody."""
    for part in cells(cell, creature.space):
        for other in state.standing_at(part):
            if other.id in (creature.id, creature.mount, *ignoring) or other.mount == creature.id:
                continue
            if abs(creature.rank - other.rank) < BIG_ENOUGH and not above(creature, other):
                return other
    return None


def standing_in(state: State, creature: Creature, cell: Cell) -> list[str]:
    """Return the others who take up room where *creature* would stand at *cell*, maybe more than once."""
    parts = cells(cell, creature.space)
    return [other.id for part in parts for other in state.standing_at(part) if other.id != creature.id]


def is_wall(state: State, creature: Creature, cell: Cell) -> bool:
    """Tell whether *creature* would stand inside a wall at *cell*."""
    if not state.terrain and not state.zones:
        return False
    return any(state.ground(part) == "wall" for part in cells(cell, creature.space))


def check_path(view: State, creature: Creature, path: Sequence[Cell], budget: int) -> None:
    """Refuse a path that no ground allows or that is too long; who stands in it is not asked here."""
    at = creature.position
    for cell in path:
        if not is_step(at, cell) or is_wall(view, creature, cell):
            raise Refused("path_blocked", f"{creature.id} cannot go from {at} to {cell}", "RI-MOVE-1")
        at = cell
    check_budget(view, creature, path, budget)


@enforces(RI_PHASE_5)
def check_budget(view: State, creature: Creature, path: Sequence[Cell], budget: int) -> None:
    """Refuse a path that takes more feet than *budget*."""
    feet = feet_of(view, creature, path)
    if feet > budget:
        raise Refused("insufficient_speed", f"{creature.id} has {budget} feet, and the path takes {feet}")


def check_free(view: State, creature: Creature, path: Sequence[Cell], high: int | None = None) -> None:
    """Refuse a path through an enemy, or into a space that is taken, as far as the mover knows."""
    passing, ending = flown(creature, high)
    for cell in path:
        other = in_the_way(view, passing, cell)
        if other is not None:
            raise Refused("enemy_blocks_path", f"{other.id} is in the way of {creature.id}", "RI-MOVE-4")
    if path or ending.altitude != creature.altitude:
        taken = occupant(view, ending, path[-1] if path else creature.position)
        if taken is not None:
            raise Refused("space_occupied", f"{taken.id} stands where {creature.id} would end", "RI-MOVE-4")


def flown(creature: Creature, high: int | None) -> tuple[Creature, Creature]:
    """Return a mover as it passes others and as it ends, *high* feet up; null keeps it as high as it is."""
    if high is None:
        return creature, creature
    return on_its_way(creature, high), changed(creature, altitude=high)


def walk(
    state: State,
    creature: Creature,
    path: Sequence[Cell],
    budget: int,
    ignoring: Sequence[str] = (),
    high: int | None = None,
) -> Walk:
    """Return how far *path* leads: up to what stops it, and back to the first space that may be stood in.

    *high* is how high it ends, null where that is as high as it began.
    """
    passing, ending = flown(creature, high)
    taken: list[Cell] = []
    spent, diagonals, at, stopped = 0, 0, creature.position, None
    costs = [0]
    for cell in path:
        feet = step_feet(at, cell, diagonals) + leaving(state, creature, at)
        blocker = in_the_way(state, passing, cell, ignoring)
        if spent + feet > budget or blocker is not None or is_wall(state, creature, cell):
            stopped = blocker.id if blocker is not None else "speed"
            break
        diagonals += at[0] != cell[0] and at[1] != cell[1]
        spent, at = spent + feet, cell
        taken.append(cell)
        costs.append(spent)
    while taken and occupant(state, ending, taken[-1], ignoring) is not None:
        other = occupant(state, ending, taken.pop(), ignoring)
        stopped = other.id if other is not None else stopped
        costs.pop()
    return Walk(tuple(taken), costs[-1], stopped)


def check_direction(step: Cell) -> None:
    """Refuse what is not one of the eight steps."""
    if step == (0, 0) or max(abs(step[0]), abs(step[1])) > 1:
        raise Refused("path_not_straight", "a direction is one of eight steps", "RI-MOVE-7")
