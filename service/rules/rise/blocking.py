"""Block the way: a Swift movement that makes passing a neighbour costly."""

from __future__ import annotations

from typing import ClassVar

from service.rules.chance import Chance
from service.rules.grid import Cell, is_step
from service.rules.messages import Event
from service.rules.records import record
from service.rules.rise.conflicts import Paths, Settled, ranked
from service.rules.rise.numbers import speed_of
from service.rules.rise.paths import feet_of
from service.rules.rise.state import State
from service.rules.rulebook import rule


@record
class BlockChecked(Event[State]):
    """A creature tried to keep another from passing."""

    type: ClassVar[str] = "block_checked"
    blocker: str
    creature: str
    blocked: bool

    def evolve(self, state: State) -> State:
        return state


@rule("RI-SWIFT-10", "R4/R5 Block", settles=("C-21",))
def blocks(state: State, chance: Chance, wanted: Paths) -> Settled:
    """Blocking is Swift: it is looked at before any movement of the phase happens."""
    for name, plan in sorted(state.plans.items()):
        if plan.ability == "block":
            state, wanted = yield from block(state, chance, wanted, name, plan.targets[0])
    return state, wanted


@rule("RI-REAC-4", "R4/R5", settles=("C-19",))
def block(state: State, chance: Chance, wanted: Paths, blocker: str, target: str) -> Settled:
    """A blocked creature that loses initiative while passing pays the blocker's speed or stops."""
    path = wanted.get(target, ())
    for index in range(1, len(path)):
        if not _passes(state, blocker, path[index - 1], path[index]):
            continue
        order: tuple[str, ...]
        state, order = yield from ranked(state, chance, (blocker, target))
        stopped = order[0] == blocker
        state = yield BlockChecked(blocker=blocker, creature=target, blocked=stopped)
        if stopped:
            wanted = {**wanted, target: _paid(state, target, path, index, blocker)}
        break
    return state, wanted


def _passes(state: State, blocker: str, before: Cell, after: Cell) -> bool:
    at = state.creatures[blocker].position
    return is_step(at, before) and is_step(at, after)


def _paid(state: State, target: str, path: tuple[Cell, ...], index: int, blocker: str) -> tuple[Cell, ...]:
    """Return the path that *target* can still pay for once it has paid for passing."""
    creature = state.creatures[target]
    budget = speed_of(state, creature, state.plans[target].mode)
    if state.plans[target].ability == "sprint":
        budget *= 2
    left = budget - speed_of(state, state.creatures[blocker])
    if left < feet_of(state, creature, path[: index + 1]):
        return path[:index]
    while path and feet_of(state, creature, path) > left:
        path = path[:-1]
    return path
