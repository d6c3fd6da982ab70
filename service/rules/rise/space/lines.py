"""List straight ways over the grid: what is offered where a movement, a charge or a run may go.

Commands take any path; these are the ones that options name, in eight directions and at every length.
"""

from __future__ import annotations

from collections.abc import Iterator

from service.rules.grid import FEET, STEPS, Cell, line
from service.rules.messages import Refused
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.space.aloft import climb_ft
from service.rules.rise.space.pace import budget_of, once_up
from service.rules.rise.space.paths import flown, in_the_way, is_wall, leaving, occupant, step_feet
from service.rules.rise.state import State

Path = tuple[Cell, ...]


def feet_offered(
    view: State,
    creature: Creature,
    mode: str = "land",
    *,
    ability: str = "move",
    sprint: bool = False,
    stand_up: bool = False,
) -> int:
    """Return how far *creature* may be offered to go, -1 where it may not set out at all."""
    try:
        feet = (once_up if stand_up else budget_of)(view, creature, mode, sprint=sprint)
        return feet - climb_ft(creature, ability, mode, None)
    except Refused:
        return -1


def straight(
    view: State, creature: Creature, feet: int, *, through: bool = False, high: int | None = None
) -> Iterator[Path]:
    """Yield every straight path of up to *feet* that ends in a free space; *through* others if so wanted.

    *high* is how high a flight ends.
    """
    passing, ending = flown(creature, high)
    for step in STEPS:
        path: Path = ()
        spent, at = 0, creature.position
        for cell in line(creature.position, step, max(0, feet) // FEET):
            spent += step_feet(at, cell, len(path)) + leaving(view, creature, at)
            if spent > feet or is_wall(view, creature, cell):
                break
            if not through and in_the_way(view, passing, cell) is not None:
                break
            path, at = (*path, cell), cell
            if occupant(view, ending, cell) is None:
                yield path


def onto(creature: Creature, goal: tuple[Cell, ...], feet: int) -> Iterator[Path]:
    """Yield the straight paths that enter one of the cells *goal*; none where the creature stands there."""
    if creature.position in goal:
        yield ()
        return
    for step in STEPS:
        path: Path = ()
        for cell in line(creature.position, step, max(0, feet) // FEET):
            path = (*path, cell)
            if cell in goal:
                yield path
                break
