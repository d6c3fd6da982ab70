"""Stop ways before what lurks: no group knows of it, so it is met where ways become true for everybody.

Whoever comes upon a hidden creature stops before it as before anybody who is in its way, and what is left of
its way is lost. What was done on the way stands, as it does after a conflict. In a group's world nothing
lurks.
"""

from __future__ import annotations

from service.rules.grid import Cell, is_step
from service.rules.lurking import Room
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.state import State


def lurker_at(state: State, creature: Creature, cell: Cell) -> str | None:
    """Return what lurks where *creature* would stand at *cell*."""
    return state.lurker_in(Room(cell, creature.space, creature.altitude))


def before_lurkers(state: State, creature: Creature, path: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Return *path* up to where it leads *creature* to a lurker; who comes there by no step goes no way."""
    at = creature.position
    for done, cell in enumerate(path if state.lurkers else ()):
        if is_step(at, cell) and lurker_at(state, creature, cell) is not None:
            return path[:done]
        at = cell
    return path
