"""Block the way: a Swift movement that makes passing a neighbour costly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

from service.rules.chance import Chance
from service.rules.grid import FEET, Cell, distance
from service.rules.messages import Event
from service.rules.records import record
from service.rules.rise.creatures.creature import Creature, above
from service.rules.rise.harm.numbers import speed_of
from service.rules.rise.movement.conflicts import Settled, Ways
from service.rules.rise.movement.initiative import ranked
from service.rules.rise.space.paths import flown, is_passable, leaving, step_feet
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
def blocks(
    state: State, chance: Chance, wanted: Ways, budgets: Mapping[str, int], notes: list[Event[State]]
) -> Settled:
    """Blocking is Swift: it is looked at before any movement of the phase happens."""
    blockers: dict[str, list[str]] = {}
    for name, plan in sorted(state.plans.items()):
        if plan.ability == "block" and passes(state, name, plan.targets[0], wanted):
            blockers.setdefault(plan.targets[0], []).append(name)
    for target, names in sorted(blockers.items()):
        state, wanted = yield from block(state, chance, wanted, target, names, budgets[target], notes)
    return state, wanted


@rule("RI-REAC-4", "R4/R5", settles=("C-19",))
def block(
    state: State,
    chance: Chance,
    wanted: Ways,
    target: str,
    blockers: Sequence[str],
    feet: int,
    notes: list[Event[State]],
) -> Settled:
    """A blocked creature that loses initiative while passing pays the blocker's speed or stops."""
    won: list[str] = []
    for blocker in blockers:
        order: tuple[str, ...]
        state, order = yield from ranked(state, chance, (blocker, target))
        if order[0] == blocker:
            won.append(blocker)
        notes.append(
            BlockChecked(
                blocker=blocker, creature=target, blocked=blocker in won, because=("RI-REAC-4", "C-19")
            )
        )
    mover = passing(state, target, wanted)
    path = hindered(state, mover, wanted.paths[target], won, feet)
    return state, wanted.joined(target, path, None)


def passing(state: State, name: str, wanted: Ways) -> Creature:
    """Return a mover as high as it passes others."""
    return flown(state.creatures[name], wanted.highs.get(name))[0]


def passes(state: State, blocker: str, target: str, wanted: Ways) -> bool:
    """Tell whether *target* goes from one space beside the blocker to another, and cannot go through it."""
    mover = passing(state, target, wanted)
    path = wanted.paths.get(target, ())
    if not path or target not in state.plans:
        return False
    if is_passable(state, mover, state.creatures[blocker]) or blocker in state.plans[target].passes:
        return False
    return any(
        _beside(state, blocker, mover, a) and _beside(state, blocker, mover, b)
        for a, b in pairwise((mover.position, *path))
    )


def _beside(state: State, blocker: str, mover: Creature, at: Cell) -> bool:
    other = state.creatures[blocker]
    flat = distance(other.position, other.space, at, mover.space, "chebyshev")
    return max(flat, above(other, mover)) <= FEET


def hindered(
    state: State, mover: Creature, path: tuple[Cell, ...], blockers: Sequence[str], feet: int
) -> tuple[Cell, ...]:
    """Return what *mover* can still pay of its path; what each blocker asks for passing it adds up."""
    at, diagonals, taken = mover.position, 0, []
    for cell in path:
        feet -= step_feet(at, cell, diagonals) + leaving(state, mover, at)
        for blocker in blockers:
            if _beside(state, blocker, mover, at) and _beside(state, blocker, mover, cell):
                feet -= toll(state, blocker, mover.id)
        if feet < 0:
            break
        diagonals += at[0] != cell[0] and at[1] != cell[1]
        at = cell
        taken.append(cell)
    return tuple(taken)


def toll(state: State, blocker: str, mover: str) -> int:
    """Return what passing costs: the blocker's speed, or the mover's where the house reads it so."""
    payer = blocker if state.option("block_speed") == "blocker" else mover
    return speed_of(state, state.creatures[payer], state.plans[mover].mode) or speed_of(
        state, state.creatures[payer]
    )
