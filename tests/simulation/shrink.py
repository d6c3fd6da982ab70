"""Make a plan that fails smaller, as long as it still fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from tests.simulation.plan import Plan
from tests.simulation.run import Result

Run = Callable[[Plan], Result]

SCHEDULES: Final = 20
"""How many schedules of a smaller plan are tried."""


def shrink(plan: Plan, run: Run) -> Plan:
    """Return the smallest plan found whose run breaks one of the promises that *plan*'s breaks."""
    names = _names(run(plan))
    assert names, "the plan breaks nothing"
    smaller: Plan | None = plan
    while smaller is not None:
        plan = smaller
        smaller = next((found for each in _smaller(plan) if (found := _failing(each, names, run))), None)
    return plan


def _names(result: Result) -> frozenset[str]:
    return frozenset(broken.name for broken in result.broken)


def _failing(plan: Plan, names: frozenset[str], run: Run) -> Plan | None:
    """Return *plan* with a seed for which it fails in the same way, None if none was found."""
    for seed in range(plan.seed, plan.seed + SCHEDULES):
        tried = replace(plan, seed=seed)
        if _names(run(tried)) & names:
            return tried
    return None


def _smaller(plan: Plan) -> Iterator[Plan]:
    """Yield plans with one thing less, the largest things first."""
    for at in range(len(plan.clients)):
        clients = plan.clients[:at] + plan.clients[at + 1 :]
        if clients:
            yield replace(plan, clients=clients, encounters=min(plan.encounters, len(clients)))
    for at in range(len(plan.faults)):
        yield replace(plan, faults=plan.faults[:at] + plan.faults[at + 1 :])
    for kind in plan.noise:
        yield replace(plan, noise={each: often for each, often in plan.noise.items() if each != kind})
    for name in ("encounters", "apis", "workers", "groups"):
        count: int = getattr(plan, name)
        if count > 1:
            yield replace(plan, **{name: count - 1})  # type: ignore[arg-type]  # each of them is a number
    for at, ops in enumerate(plan.clients):
        for place in range(len(ops)):
            fewer = ops[:place] + ops[place + 1 :]
            yield replace(plan, clients=(*plan.clients[:at], fewer, *plan.clients[at + 1 :]))
