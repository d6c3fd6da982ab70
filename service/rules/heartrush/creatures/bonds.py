"""Tie creatures to each other, and untie them: who holds whom, and who climbs on whom.

A bond is two conditions, one on either end, each naming the other as its source; what ends one end ends both.
Plain functions of the state: events call them, so that a death or a faint lets go in the same event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.rules.heartrush.state import Condition, Creature, State
from service.rules.kernel.records import changed, with_key, without_key
from service.rules.space.grid import Cell, cells

BONDS: Final = ("grappling", "grappled", "creature_climber", "climbed_on")
"""The conditions that are ends of a bond."""


def captive_of(state: State, creature: Creature) -> Creature | None:
    """Return whom *creature* holds."""
    return _other_end(state, creature, "grappling")


def grappler_of(state: State, creature: Creature) -> Creature | None:
    """Return who holds *creature*."""
    return _other_end(state, creature, "grappled")


def mount_of(state: State, creature: Creature) -> Creature | None:
    """Return on whom *creature* climbs."""
    return _other_end(state, creature, "creature_climber")


def _other_end(state: State, creature: Creature, condition: str) -> Creature | None:
    found = creature.conditions.get(condition)
    return state.creatures.get(found.source) if found is not None and found.source else None


def climbers_on(state: State, mount: Creature) -> tuple[Creature, ...]:
    """Return who climbs on *mount*, in the order of the opening."""
    if not mount.has("climbed_on"):
        return ()
    return tuple(
        creature
        for creature in state.creatures.values()
        if (found := creature.conditions.get("creature_climber")) and found.source == mount.id
    )


def eased(conditions: Mapping[str, Condition], condition: str, levels: int) -> Mapping[str, Condition]:
    """Return *conditions* with *levels* off one of them; at zero it is gone."""
    found = conditions.get(condition)
    if found is None:
        return conditions
    if found.level <= levels:
        return without_key(conditions, condition)
    return with_key(conditions, condition, changed(found, level=found.level - levels))


def freed(state: State, captive: Creature) -> State:
    """Return the state in which *captive* is held no more: both ends of the grapple are gone."""
    grappler = grappler_of(state, captive)
    left = eased(without_key(captive.conditions, "grappled"), "restrained", 1)
    state = state.with_creature(captive.id, conditions=left)
    if grappler is None:
        return state
    return state.with_creature(grappler.id, conditions=without_key(grappler.conditions, "grappling"))


def come_off(state: State, climber: Creature) -> State:
    """Return the state in which *climber* climbs on nobody; it stands beside its mount."""
    mount = mount_of(state, climber)
    state = state.with_creature(climber.id, conditions=without_key(climber.conditions, "creature_climber"))
    if mount is None:
        return state
    if not climbers_on(state, mount):
        mount = state.creatures[mount.id]
        state = state.with_creature(mount.id, conditions=without_key(mount.conditions, "climbed_on"))
    return state.with_creature(climber.id, position=beside(state, state.creatures[climber.id], mount))


def beside(state: State, creature: Creature, mount: Creature) -> Cell:
    """Return the first free cell next to *mount*, nearest to *creature*; its own where there is none."""
    at, side = creature.position, creature.space
    if not any(cell in cells(mount.position, mount.space) for cell in cells(at, side)):
        return at
    x, y = mount.position
    ring = [
        (x + i, y + j)
        for j in range(-side, mount.space + 1)
        for i in range(-side, mount.space + 1)
        if i in (-side, mount.space) or j in (-side, mount.space)
    ]
    near = sorted(ring, key=lambda c: (max(abs(c[0] - at[0]), abs(c[1] - at[1])), c))
    for cell in near:
        room = cells(cell, side)
        if all(state.ground(c) != "wall" and not state.standing_at(c) for c in room):
            return cell
    return at


def untied(state: State, creature: str, condition: str) -> State:
    """Return the state in which one of the `BONDS` of *creature* is gone, at both ends."""
    found = state.creatures[creature]
    if condition == "grappled":
        return freed(state, found)
    if condition == "creature_climber":
        return come_off(state, found)
    captive = captive_of(state, found) if condition == "grappling" else None
    if captive is not None:
        return freed(state, captive)
    for climber in climbers_on(state, found) if condition == "climbed_on" else ():
        state = come_off(state, climber)
    left = without_key(state.creatures[creature].conditions, condition)
    return state.with_creature(creature, conditions=left)


def let_go(state: State, creature: str, *, dead: bool) -> State:
    """Return the state in which *creature* holds and climbs nobody, and if dead bears nobody either."""
    found = state.creatures[creature]
    if not found.conditions:
        return state
    captive = captive_of(state, found)
    if captive is not None:
        state = freed(state, captive)
    if found.has("creature_climber"):
        state = come_off(state, state.creatures[creature])
    if dead and found.has("grappled"):
        state = freed(state, state.creatures[creature])
    for climber in climbers_on(state, state.creatures[creature]) if dead else ():
        state = come_off(state, climber)
    return state


def moved(state: State, creature: str, to: Cell, /, **changes: object) -> State:
    """Return the state with *creature* at *to*, and with it the creatures that climb on it."""
    before = state.creatures[creature]
    state = state.with_creature(creature, position=to, **changes)
    if not before.conditions:
        return state
    dx, dy = to[0] - before.position[0], to[1] - before.position[1]
    for climber in climbers_on(state, state.creatures[creature]):
        x, y = climber.position
        state = state.with_creature(climber.id, position=(x + dx, y + dy))
    return state
