"""Watch a mover: which enemies may strike at it, and which step lets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from service.rules.heartrush.creatures.lasting import strikes_free
from service.rules.heartrush.creatures.weapons import reach_ft
from service.rules.heartrush.means.actions import can_answer
from service.rules.heartrush.permission import is_unbarred
from service.rules.heartrush.state import Creature, State
from service.rules.space.grid import FEET, Cell, distance


def enemies(state: State, creature: Creature) -> Iterator[Creature]:
    """Yield the creatures of the other side, in the order of the opening."""
    return (other for other in state.creatures.values() if other.side != creature.side)


class Watcher(NamedTuple):
    """An enemy that could strike at a mover, and how far it reaches."""

    enemy: Creature
    reach: int

    def reaches(self, at: Cell, mover: Creature, metric: str) -> bool:
        """Tell whether the mover would be in reach at *at*."""
        return distance(at, mover.space, self.enemy.position, self.enemy.space, metric) <= self.reach


def watchers(
    state: State, mover: Creature, provoked: tuple[str, ...] = (), how: str = "dash"
) -> tuple[Watcher, ...]:
    """Return the enemies that could still strike at *mover* in this movement: none outside combat."""
    if state.paused():
        return ()
    return tuple(
        Watcher(enemy, reach_ft(enemy))
        for enemy in enemies(state, mover)
        if enemy.id not in provoked and _may_strike(state, enemy, how) and not goes_along(enemy, mover)
    )


def _may_strike(state: State, enemy: Creature, how: str) -> bool:
    """Tell whether *enemy* could strike at a mover; a sidestep stops all but those an ability lets strike."""
    able = strikes_free(state, enemy) or (how == "dash" and can_answer(enemy))
    return able and is_unbarred(state, enemy, "opportunity_attack")


def goes_along(enemy: Creature, mover: Creature) -> bool:
    """Tell whether *enemy* climbs on *mover* and so never loses its reach of it."""
    found = enemy.conditions.get("creature_climber")
    return found is not None and found.source == mover.id


def provoked_by(
    state: State,
    mover: Creature,
    at: Cell,
    new: Cell,
    watching: tuple[Watcher, ...],
    inside: Mapping[str, int],
) -> tuple[tuple[str, ...], Mapping[str, int]]:
    """Return the enemies that may strike before the step, and the feet inside each reach once it is taken."""
    found: list[str] = []
    counted: dict[str, int] = {}
    metric = state.house.metric
    ends_inside = state.house.oa_step_count == "ends_inside"
    for watcher in watching:
        was, stays = watcher.reaches(at, mover, metric), watcher.reaches(new, mover, metric)
        name = watcher.enemy.id
        if was and not stays:
            found.append(name)
        elif stays and (was or ends_inside):
            counted[name] = inside.get(name, 0) + FEET
            if counted[name] > FEET:
                found.append(name)
    return tuple(found), {**inside, **counted} if counted else inside
