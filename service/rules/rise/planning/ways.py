"""List the movements that may be planned: straight ways by each mode, onto mounts, with free abilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from service.rules.kernel.records import changed
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import FreeUse
from service.rules.rise.planning.freely import braced, offered_uses
from service.rules.rise.space.lines import feet_offered, onto, straight
from service.rules.rise.state import State
from service.rules.space.compact import StraightPaths
from service.rules.space.grid import STEPS, cells

BY_TARGET: Final[tuple[Mapping[str, Any], ...]] = (
    {"ability": "follow"},
    {"ability": "withdraw"},
    {"ability": "block"},
    {"ability": "shove"},
    {"ability": "custom", "within_ft": 10},
)
"""The movements that are offered against each creature in sight."""
_SPRINTS: Final = ("never", "ask", "auto")
CHOICES: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = MappingProxyType(
    {
        "follow": MappingProxyType({"distance_ft": (5, 10, 30), "sprint": _SPRINTS}),
        "withdraw": MappingProxyType({"distance_ft": (10, 30, 60), "sprint": _SPRINTS}),
        "shove": MappingProxyType({"direction": STEPS}),
    }
)
"""What is left to choose of them."""


def ways(view: State, creature: Creature) -> Iterator[tuple[Mapping[str, Any], StraightPaths]]:
    """Yield the movements along straight paths that *creature* may try, and where they may lead."""
    riders = tuple([other.id for other in view.creatures.values() if other.mount == creature.id])
    found: list[Mapping[str, Any]] = [{"ability": each} for each in ("hustle", "sprint", "overrun", "jump")]
    found += [{"mode": mode} for mode in creature.sheet.speeds if mode != "land"]
    found += [{"stand_up": True}]
    for way in found:
        ability, mode = way.get("ability", "hustle"), way.get("mode", "land")
        feet = feet_offered(
            view, creature, mode, ability=ability, sprint=ability == "sprint", stand_up="stand_up" in way
        )
        paths = straight(view, creature, feet, through=True)
        if paths:
            yield way, paths
            if riders:
                yield {**way, "carry": riders}, paths


def mounts(view: State, creature: Creature) -> Mapping[str, StraightPaths]:
    """Return the straight paths on which *creature* may try to get onto each mount."""
    found = [m for m in view.creatures.values() if m.sheet.carries_riders and m.id != creature.id]
    feet = feet_offered(view, creature) if found else 0
    ridden = {m.id: onto(creature, cells(m.position, m.space), feet) for m in found}
    return {name: StraightPaths.of(creature.position, lines) for name, lines in ridden.items()}


def freely(view: State, creature: Creature) -> Iterator[tuple[tuple[FreeUse, ...], StraightPaths]]:
    """Yield free abilities that *creature* may use on its way, and the ways it may go with any of them."""
    plain = free_ways(view, creature)
    uses = offered_uses(view, creature)
    ready = {use: braced(view, creature, (use,)) for use in uses}
    steady = tuple([use for use in uses if ready[use] is view])
    if steady:
        yield steady, plain.or_none()
    for use in uses:
        if ready[use] is not view:
            yield (use,), braced_ways(view, creature, ready[use]).or_none()
    alone = [use for use in uses if use.targets in ((), (creature.id,)) and use.at is None]
    for use in alone if plain else ():
        if braced_ways(view, creature, ready[use]):
            yield (changed(use, step=1),), plain


def free_ways(view: State, creature: Creature) -> StraightPaths:
    """Return the straight ways that *creature* may walk on its own feet."""
    return straight(view, creature, feet_offered(view, creature), through=True)


def braced_ways(view: State, creature: Creature, ready: State) -> StraightPaths:
    """Return the straight ways that *creature* may walk once it has braced itself, as *ready* has it."""
    there = ready.creatures[creature.id]
    if changed(there, conditions=creature.conditions) != creature:
        return free_ways(ready, there)
    return straight(view, creature, feet_offered(ready, there), through=True)  # conditions change feet alone


def as_command_data(uses: Sequence[FreeUse]) -> tuple[tuple[Mapping[str, Any], ...], ...]:
    """Return each of *uses* alone, as a command says it; fields with their defaults are left out."""
    return tuple([(_one_as_data(use),) for use in uses])


def _one_as_data(use: FreeUse) -> Mapping[str, Any]:
    said = {name: value for name, value in vars(use).items() if value or name == "ability"}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}
