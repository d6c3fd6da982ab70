"""Hold what must be true of every state of Rise, whatever was played: ranges, budgets, places, marks."""

from __future__ import annotations

from itertools import combinations

from service.rules.kernel.records import changed
from service.rules.kernel.sealed import is_closed
from service.rules.rise.acting.combat_time import MANIPULATIONS
from service.rules.rise.body.effects import grapplers
from service.rules.rise.creatures.creature import Budget, Creature
from service.rules.rise.creatures.state import State
from service.rules.rise.rounds.entries import GOING_ON


def held(before: State, after: State, where: str) -> None:
    """Fail unless *after* is a state that rules lead to, and may follow *before*."""
    for place in (after.here, *after.apart):
        local = after.at(place)
        for creature in local.creatures.values():
            fault = fault_of(local, creature)
            assert fault is None, f"{where}: {creature.id} at {place}: {fault}"
            for other in grapplers(creature):
                assert creature.id in grapplers(local.creatures[other]), f"{where}: half a hold at {place}"
    if after.rounds_before > before.rounds_before or (before.stage == "setup" and after.stage != "setup"):
        fault = outliving(after)
        assert fault is None, f"{where}: {fault}"
    for name, creature in after.creatures.items():
        known = before.creatures.get(name)
        if known is not None:
            fault = lapse(known, creature)
            assert fault is None, f"{where}: {name}: {fault}"
    assert after.round in (before.round, before.round + 1) or after.stage in ("idle", "ended"), where


def outliving(state: State) -> str | None:
    """Return what of an earlier fight is left when another one begins, if anything.

    What the GM ends may be continued, so until then it stays.
    """
    if state.plans or state.deeds or state.initiative or state.unjudged or state.effects:
        return f"{state.plans}, {state.deeds}, {state.initiative}, {state.unjudged}, {state.effects}"
    for creature in state.creatures.values():
        timed = [condition.name for condition in creature.conditions if condition.until not in GOING_ON]
        if timed or creature.has("grappled") or creature.delayed:
            return f"{creature.id}: {timed}, {creature.condition_names}, {creature.delayed}"
        if (
            creature.hurt_by
            or creature.location_changed
            or creature.hovered
            or changed(creature.budget, bolts=False) != Budget()
        ):
            return f"{creature.id} has done something: {creature.hurt_by}, {creature.budget}"
    return None


def fault_of(state: State, creature: Creature) -> str | None:
    """Return what is impossible about a creature as it is, if anything."""
    sheet, budget = creature.sheet, creature.budget
    ranges = {
        "hp": creature.hp <= sheet.hp_max,
        "dr": 0 <= creature.dr <= sheet.dr_max,
        "fatigue": creature.fatigue >= 0,
        "depth": creature.depth >= 0 and (creature.depth == 0 or creature.hp < 0 or not sheet.is_pc),
        "wounds": sheet.is_pc or not creature.wounds,
        "vital dice": all(1 <= wound.die <= 10 and wound.result <= 10 for wound in creature.wounds),
        "minor actions": len(budget.minors) <= 1 + (budget.standard == "traded_minor"),
        "handled objects": budget.manipulations <= MANIPULATIONS,
        "swift": not budget.swift or budget.standard != "unused" or bool(budget.minors),
        "delayed": all(delayed.remaining > 0 for delayed in creature.delayed),
        "walls": not any(
            state.ground(cell) == "wall" for cell in (creature.position,) if creature.space == 1
        ),
        "unread": not any(is_closed(condition) for condition in creature.conditions),
        "mount": creature.mount is None or creature.mount in state.creatures,
    }
    return next((name for name, holds in ranges.items() if not holds), None)


def lapse(before: Creature, after: Creature) -> str | None:
    """Return what a creature cannot have lost or got back in a fight, if anything."""
    if before.dead and not after.dead:
        return "alive again"
    if before.defeated and not after.defeated:
        return "in the fight again"
    return None


def crowded(state: State) -> list[tuple[str, str]]:
    """Return the pairs of creatures of one size that stand in one space, neither riding the other."""
    able = [c for c in state.creatures.values() if not (c.dead or c.defeated)]
    return [
        (a.id, b.id)
        for a, b in combinations(able, 2)
        if a.position == b.position and a.rank == b.rank and b.id != a.mount and a.id != b.mount
    ]
