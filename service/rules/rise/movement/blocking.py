"""Block the way: a Swift movement that makes passing a neighbour costly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import Creature, above
from service.rules.rise.harm.numbers import speed_of
from service.rules.rise.movement.initiative import find_order
from service.rules.rise.movement.problem import Block, Intents, NeedsInitiative, Problem, Routes
from service.rules.rise.movement.reactive import budget
from service.rules.rise.space.paths import flown, is_passable, leaving, step_feet
from service.rules.rise.space.soaring import climbed
from service.rules.rise.state import State
from service.rules.space.grid import FEET, Cell, distance

RI_SWIFT_10: Final = Rule(
    "RI-SWIFT-10",
    "Blocking is Swift: it is looked at before any movement of the phase happens.",
    books.MOVEMENT.at("Block"),
    settles=("C-21",),
)
RI_REAC_4: Final = Rule(
    "RI-REAC-4",
    "A blocked creature that loses initiative while passing pays the blocker's speed or stops.",
    books.MOVEMENT.at("Block"),
    settles=("C-19",),
)


@record
class Blocked:
    """The blocks of a phase, and the routes that are left to those whom they are about."""

    routes: Routes
    blocks: tuple[Block, ...]


@enforces(RI_SWIFT_10)
def block_ways(problem: Problem, wanted: Routes) -> Blocked | NeedsInitiative:
    """Return the routes after all blocks, or the initiative that they need."""
    intents = problem.intents
    blockers: dict[str, list[str]] = {}
    for name, plan in sorted(intents.plans.items()):
        if plan.ability == "block" and passes(intents, name, plan.targets[0], wanted):
            blockers.setdefault(plan.targets[0], []).append(name)
    pairs = [(name, target) for target in sorted(blockers) for name in blockers[target]]
    orders = {pair: find_order(problem.state, pair) for pair in pairs}
    if open_ := tuple([pair for pair, order in orders.items() if order is None]):
        return NeedsInitiative(contests=open_)
    winners = [pair for pair, order in orders.items() if order and order[0] == pair[0]]
    blocks = [Block(blocker=name, creature=to, blocked=(name, to) in winners) for name, to in pairs]
    for target in sorted(blockers):
        won = [name for name, other in winners if other == target]
        wanted = wanted.with_route(target, hinder(intents, target, wanted, won), None)
    return Blocked(routes=wanted, blocks=tuple(blocks))


@enforces(RI_REAC_4)
def hinder(intents: Intents, target: str, wanted: Routes, blockers: Sequence[str]) -> tuple[Cell, ...]:
    """Return the part of the path of *target* that it can still pay for with *blockers* in its way."""
    state, plan = intents.state, intents.plans[target]
    feet = budget(intents, plan, target)
    feet -= climbed(state.creatures[target], plan, wanted.altitudes.get(target))
    mover = as_it_passes(state, target, wanted)
    at, diagonals, taken = mover.position, 0, []
    for cell in wanted.paths[target]:
        feet -= step_feet(at, cell, diagonals) + leaving(state, mover, at)
        for blocker in blockers:
            if is_beside(state, blocker, mover, at) and is_beside(state, blocker, mover, cell):
                feet -= toll_ft(intents, blocker, target)
        if feet < 0:
            break
        diagonals += at[0] != cell[0] and at[1] != cell[1]
        at = cell
        taken.append(cell)
    return tuple(taken)


def as_it_passes(state: State, name: str, wanted: Routes) -> Creature:
    """Return a mover at the height at which it passes others."""
    return flown(state.creatures[name], wanted.altitudes.get(name))[0]


def passes(intents: Intents, blocker: str, target: str, wanted: Routes) -> bool:
    """Tell whether *target* moves from one space beside the blocker to another, and cannot go through it."""
    state, path = intents.state, wanted.paths.get(target, ())
    mover = as_it_passes(state, target, wanted)
    if not path or target not in intents.plans:
        return False
    if is_passable(state, mover, state.creatures[blocker]) or blocker in intents.plans[target].passes:
        return False
    return any(
        is_beside(state, blocker, mover, a) and is_beside(state, blocker, mover, b)
        for a, b in pairwise((mover.position, *path))
    )


def is_beside(state: State, blocker: str, mover: Creature, at: Cell) -> bool:
    """Tell whether *mover* touches the blocker's space at a cell."""
    other = state.creatures[blocker]
    flat = distance(other.position, other.space, at, mover.space, "chebyshev")
    return max(flat, above(other, mover)) <= FEET


def toll_ft(intents: Intents, blocker: str, mover: str) -> int:
    """Return what passing costs: the blocker's speed, or the mover's where the house reads it so."""
    state = intents.state
    payer = blocker if state.house.block_speed == "blocker" else mover
    mode = intents.plans[mover].mode
    return speed_of(state, state.creatures[payer], mode) or speed_of(state, state.creatures[payer])
