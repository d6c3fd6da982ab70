"""Solve the movements of a phase: blocks first, then riders mount, then everybody moves at once.

The solver is a function of the problem alone: it rolls no die, asks nobody and emits nothing. If it lacks an
order of initiative it says whose, and is called again with a state in which it is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from service.rules.kernel.records import changed
from service.rules.rise.creatures.lasting import Plan
from service.rules.rise.movement.blocking import block_ways
from service.rules.rise.movement.conflicts import Movements, settle
from service.rules.rise.movement.problem import NeedsInitiative, Outcome, Problem
from service.rules.rise.movement.reactive import order_reactions, route_all
from service.rules.rise.space.riding import sit_on
from service.rules.rise.state import State


def solve(problem: Problem) -> Outcome | NeedsInitiative:
    """Return how all movements come out, or whose initiative has to be known first."""
    meant = route_all(problem.intents)
    if problem.altitudes:
        meant = changed(meant, altitudes={**problem.altitudes, **meant.altitudes})
    blocked = block_ways(problem, meant)
    if isinstance(blocked, NeedsInitiative):
        return blocked
    plans, wanted = problem.intents.plans, blocked.routes
    mounted = find_mounting(problem.intents.state, plans)
    hindered = [name for name, path in wanted.paths.items() if path != meant.paths[name]]
    movements = Movements(
        problem=problem,
        state=mount_riders(problem.intents.state, mounted),
        wanted=wanted,
        meant=meant,
        reacting={name: plans[name].targets for name in order_reactions(plans) if name not in hindered},
    )
    found = settle(movements)
    if isinstance(found, NeedsInitiative):
        return changed(found, mounted=mounted)
    return changed(found, blocks=blocked.blocks, mounted=mounted)


def find_mounting(state: State, plans: Mapping[str, Plan]) -> dict[str, str]:
    """Return the riders who plan to get on a mount, and on which."""
    return {
        name: plan.mount
        for name, plan in plans.items()
        if plan.mount is not None and plan.mount != state.creatures[name].mount
    }


def mount_riders(state: State, mounted: Mapping[str, str]) -> State:
    """Return *state* with these riders on their mounts."""
    for rider, mount in mounted.items():
        state = sit_on(state, rider, mount)
    return state
