"""Find out who gives an opening: as it moves, or because it cannot defend itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import can_answer
from service.rules.heartrush.body.lasting import strikes_free
from service.rules.heartrush.body.permission import is_unbarred
from service.rules.heartrush.body.weapons import in_range, reach_ft
from service.rules.heartrush.creatures.adjacency import feet_apart, is_adjacent, is_walled_off
from service.rules.heartrush.creatures.size_and_bonds import WAYS
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.kernel.messages import Awaited
from service.rules.kernel.records import changed
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.space.grid import FEET, Cell, distance

# --- who gives an opening ------------------------------------------------------------------------------
# As it moves, or without any trigger because it cannot defend itself.

HR_START_8: Final = Rule(
    "HR-START-8",
    "Hidden creatures may strike before and in combat; anybody may strike the surprised and incapacitated.",
    books.BASICS.at("Hiding"),
    settles=("A-09",),
)
HR_HIDE_2: Final = Rule(
    "HR-HIDE-2",
    "While hidden, a creature may strike at those it is hidden from, and then is hidden no more.",
    books.BASICS.at("Hiding"),
)
HR_OA_2: Final = Rule(
    "HR-OA-2",
    "The incapacitated may be struck at any time; the stunned and unconscious once the GM has ruled so.",
    (books.CONDITIONS.at("Incapacitated"), books.COMBAT),
)


Trigger = Literal["moves", "stands", "trip", "step_taken"]
"""What a creature does as it moves that gives others an opening."""


def proactive(state: State, path: str) -> tuple[Awaited, ...]:
    """Return who may strike without any trigger: at the surprised, at the incapacitated, or from hiding."""
    if not any(is_open_to_some(creature) for creature in state.creatures.values()):
        return ()
    return tuple(
        Awaited(
            prompt=f"{path}/{creature.id}/strike",
            seat=state.controller(creature.id),
            accepts=("opportunity_attack",),
            creature=creature.id,
            optional=True,
        )
        for creature in state.creatures.values()
        if (can_answer(creature) or strikes_free(state, creature))
        and is_unbarred(state, creature, "opportunity_attack")
        and open_targets(state, creature)
    )


def is_open_to_some(creature: Creature) -> bool:
    """Return whether *creature* might strike, or be struck at, without any trigger."""
    return creature.surprised or bool(creature.hidden_from) or is_defenceless(creature)


@enforces(HR_START_8)
def open_targets(state: State, creature: Creature) -> tuple[str, ...]:
    """Return the enemies in range that *creature* may strike without an engagement."""
    return tuple(
        other.id
        for other in state.creatures.values()
        if other.side != creature.side
        and other.is_present
        and gives_opening(creature, other)
        and in_range(state, creature, other)
    )


def gives_opening(creature: Creature, target: Creature) -> bool:
    """Return whether *creature* may strike at *target* without any trigger."""
    return target.surprised or is_defenceless(target) or is_hidden_from(creature, target)


@enforces(HR_HIDE_2)
def is_hidden_from(creature: Creature, target: Creature) -> bool:
    """Return whether *creature* is hidden from *target*, and may strike at it."""
    return target.id in creature.hidden_from


@enforces(HR_OA_2)
def is_defenceless(target: Creature) -> bool:
    """Return whether *target* may be struck at any time: incapacitated, or exposed by a ruling."""
    return target.has("incapacitated") or target.exposed


# --- who watches a mover -------------------------------------------------------------------------------


def enemies(state: State, creature: Creature) -> Iterator[Creature]:
    """Yield the creatures of the other side, in the order of the opening."""
    return (other for other in state.creatures.values() if other.side != creature.side)


class Watcher(NamedTuple):
    """An enemy that could strike at a mover, and how far it reaches."""

    enemy: Creature
    reach: int
    state: State

    def reaches(self, at: Cell, mover: Creature) -> bool:
        """Return whether the mover would be in reach at *at*, with no wall and no high ledge between."""
        state, enemy, metric = self.state, self.enemy, self.state.house.metric
        if distance(at, mover.space, enemy.position, enemy.space, metric) > self.reach:
            return False
        if not (state.walls or state.scenery.ledges):
            return True
        there = changed(mover, position=at)
        return feet_apart(state, enemy, there) <= self.reach and not is_walled_off(state, enemy, there)


def watchers(
    state: State, mover: Creature, provoked: tuple[str, ...] = (), how: str = "dash"
) -> tuple[Watcher, ...]:
    """Return the enemies that could still strike at *mover* in this movement: none outside combat."""
    if state.paused():
        return ()
    return tuple(
        Watcher(enemy, reach_ft(enemy), state)
        for enemy in enemies(state, mover)
        if enemy.id not in provoked and _may_strike(state, enemy, how) and not goes_along(enemy, mover)
    )


def _may_strike(state: State, enemy: Creature, how: str) -> bool:
    """Return whether *enemy* could strike at a mover; a sidestep stops all whom no ability excepts."""
    able = strikes_free(state, enemy) or (WAYS[how].struck and can_answer(enemy))
    return able and is_unbarred(state, enemy, "opportunity_attack")


def goes_along(enemy: Creature, mover: Creature) -> bool:
    """Return whether *enemy* climbs on *mover* and so never loses its reach of it."""
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
    ends_inside = state.house.oa_step_count == "ends_inside"
    for watcher in watching:
        was, stays = watcher.reaches(at, mover), watcher.reaches(new, mover)
        name = watcher.enemy.id
        if was and not stays:
            found.append(name)
        elif stays and (was or ends_inside):
            counted[name] = inside.get(name, 0) + FEET
            if counted[name] > FEET:
                found.append(name)
    return tuple(found), {**inside, **counted} if counted else inside


# --- whether an opening is still there -----------------------------------------------------------------
# Between the moment and its answer somebody may have moved, fallen or found its feet: ask at the answer, and
# again when the answer's turn has come.


def is_still_in_reach(state: State, enemy: Creature, mover: Creature) -> bool:
    """Return whether *enemy* still reaches a mover that gave it an opening."""
    return Watcher(enemy, reach_ft(enemy), state).reaches(mover.position, mover)


def is_unsteady_beside(state: State, other: Creature, mover: Creature) -> bool:
    """Return whether *mover* is off-balance, on its feet, and in a space next to that of *other*."""
    if not mover.level("off_balanced") or mover.has("prone"):
        return False
    apart = distance(mover.position, mover.space, other.position, other.space, "chebyshev")
    return apart == FEET and is_adjacent(state, other, mover)
