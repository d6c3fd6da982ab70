"""List straight ways over the grid: what is offered where a movement, a charge or a run may go.

Commands take any path; these are the ones that options name, in eight directions and at every length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from service.rules.kernel.messages import Refused
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.space.aloft import climb_ft
from service.rules.rise.space.pace import budget_of, once_up
from service.rules.rise.space.paths import (
    flown,
    in_the_way,
    is_wall,
    leaving,
    occupant,
    standing_in,
    step_feet,
)
from service.rules.rise.space.sight import known_of
from service.rules.rise.state import State
from service.rules.space.compact import StraightPaths
from service.rules.space.grid import FEET, STEPS, Cell, line


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


class Way(NamedTuple):
    """A straight path as it is found: who is on it, whether it is open, and whether it may end there."""

    step: Cell
    length: int
    end: Cell
    others: tuple[str, ...]
    is_open: bool
    ends: bool

    @property
    def line(self) -> tuple[Cell, int]:
        """Its direction and its length."""
        return self.step, self.length


def straight(
    view: State, creature: Creature, feet: int, *, through: bool = False, high: int | None = None
) -> StraightPaths:
    """Return every straight path of up to *feet* that ends in a free space; *through* others if so wanted.

    *high* is how high a flight ends.
    """
    if feet < FEET:
        return StraightPaths(start=creature.position, paths=())

    def choose(_: State) -> StraightPaths:
        found = ways(view, creature, feet, high)
        chosen = [way.line for way in found if way.ends and (through or way.is_open)]
        return StraightPaths.of(creature.position, chosen)

    return known_of(view, creature, f"straight/{feet}/{high}/{through}", choose)


def ways(view: State, creature: Creature, feet: int, high: int | None) -> tuple[Way, ...]:
    """Return the straight ways of up to *feet* that no wall ends, past creatures too.

    *high* is how high a flight ends.
    """
    if feet < FEET:
        return ()

    def find(_: State) -> tuple[Way, ...]:
        return tuple([way for step in STEPS for way in along(view, creature, step, feet, high)])

    return known_of(view, creature, f"ways/{feet}/{high}", find)


def along(view: State, creature: Creature, step: Cell, feet: int, high: int | None) -> Iterator[Way]:
    """Yield the ways of up to *feet* in one direction, up to a wall."""
    passing, ending = flown(creature, high)
    others: tuple[str, ...] = ()
    spent, at, is_open, is_plain = 0, creature.position, True, not (view.terrain or view.zones)
    occupied, is_small = view.occupied, creature.space == 1
    for length, cell in enumerate(line(creature.position, step, feet // FEET), 1):
        spent += step_feet(at, cell, length - 1)
        if not is_plain:
            spent += leaving(view, creature, at)
        if spent > feet or (not is_plain and is_wall(view, creature, cell)):
            return
        at = cell
        if is_small and cell not in occupied:  # most cells are empty, and most creatures fill one
            yield Way(step, length, cell, others, is_open, ends=True)
            continue
        here = standing_in(view, creature, cell)
        if here:
            others = tuple(dict.fromkeys((*others, *here)))
            is_open = is_open and in_the_way(view, passing, cell) is None
        yield Way(step, length, cell, others, is_open, not here or occupant(view, ending, cell) is None)


def onto(creature: Creature, goal: tuple[Cell, ...], feet: int) -> Iterator[tuple[Cell, int]]:
    """Yield the straight paths, as direction and length, that enter one of the cells *goal*.

    The only one is that of length 0 if the creature is there.
    """
    if creature.position in goal:
        yield (1, 0), 0
        return
    for step in STEPS:
        for length, cell in enumerate(line(creature.position, step, max(0, feet) // FEET), 1):
            if cell in goal:
                yield step, length
                break
