"""Move and fight in water: swimming, standing or not, and what that does to rolls and shots."""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import books
from service.rules.heartrush.sheets.ground import Water
from service.rules.heartrush.sheets.sheet import rank
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.space.grid import cells

HR_ENV_5: Final = Rule("HR-ENV-5", "Ranged weapons reach half as far under water.", books.BASICS.at("Water"))


_PLAIN: Final = Water()


def waters(state: State, creature: Creature) -> tuple[Water, ...]:
    """Return the deep water in which *creature* is: empty unless all of its cells lie in it."""
    if not state.terrain:
        return ()
    here = [f"{x},{y}" for x, y in cells(creature.position, creature.space)]
    if any(state.terrain.get(cell) != "deep_water" for cell in here):
        return ()
    return tuple(state.scenery.water.get(cell, _PLAIN) for cell in here)


def is_submerged(state: State, creature: Creature) -> bool:
    """Tell whether *creature* is under water."""
    return any(water.submerged for water in waters(state, creature))


def can_stand(creature: Creature, water: Water) -> bool:
    """Tell whether *creature* is of a size that stands in *water* with its head above."""
    return not water.submerged and water.stands_from is not None and creature.rank >= rank(water.stands_from)


@enforces(HR_ENV_5)
def shot_ft(feet: int, *, under_water: bool) -> int:
    """Return the range of a ranged weapon in feet, given its range in air."""
    return feet // 2 if under_water else feet
