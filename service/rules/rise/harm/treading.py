"""Stop movement before a hidden creature, where ways become true for everybody: no group knows of it.

A mover that discovers a hidden creature stops before it as before anybody in its way, and what is left of
its way is lost. What was done on the way stands, as it does after a conflict. In a group's world nothing
is hidden.
"""

from __future__ import annotations

from service.rules.rise.creatures.creature import Creature
from service.rules.rise.state import State
from service.rules.secrecy.hiding import OccupiedSpace
from service.rules.space.grid import Cell, is_step


def hidden_creature_at(state: State, creature: Creature, cell: Cell) -> str | None:
    """Return the hidden creature where *creature* would stand at *cell*."""
    return state.hidden_creature_in(OccupiedSpace(cell, creature.space, creature.altitude))


def before_hidden_creatures(state: State, creature: Creature, path: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return the part of *path* before a hidden creature; empty where it is met without a step."""
    at = creature.position
    for done, cell in enumerate(path if state.hidden_creatures else ()):
        if is_step(at, cell) and hidden_creature_at(state, creature, cell) is not None:
            return path[:done]
        at = cell
    return path
