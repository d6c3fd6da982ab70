"""Work out reactive movements: those who withdraw first, then those who follow, as far as speed goes.

Nothing here is a conflict and nothing throws dice: both move as far as they can, and their speeds decide.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TypeAlias

from service.rules.chance import Chance
from service.rules.grid import FEET, Cell, distance, line, path_to, reachable
from service.rules.messages import Fact
from service.rules.records import EMPTY, changed
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Plan
from service.rules.rise.harm.numbers import risen, speed_of, speed_on_its_feet
from service.rules.rise.movement.conflicts import Around, Reactions, Ways, ending, lifted
from service.rules.rise.movement.initiative import ranked
from service.rules.rise.space.pace import is_laden
from service.rules.rise.space.paths import (
    feet_of,
    flown,
    in_the_way,
    is_wall,
    leaving,
    occupant,
    step_feet,
    walk,
)
from service.rules.rise.space.sight import is_clear
from service.rules.rise.space.soaring import apart, away_from, own_heights, poised, soars, towards
from service.rules.rise.state import State
from service.rules.rulebook import rule

Course: TypeAlias = tuple[tuple[Cell, ...], int]
"""One movement: its path, and the height at which it ends."""
_Rule: TypeAlias = Callable[[State, Mapping[str, Plan], Ways, str, int], Course]
DETOUR = 40
"""Feet more than the straight way within which a way around obstacles is looked for."""
FAR_OFF = 160
"""Feet from which a follower simply goes straight towards whom it follows."""


@rule("RI-UNIV-FOLLOW", "R4/R5")
def intended(
    state: State, plans: Mapping[str, Plan], sprinting: tuple[str, ...] = (), lost: tuple[str, ...] = ()
) -> Ways:
    """Following and withdrawing are movements that react: first those who do not react, then the others.

    *lost* are followers who could not tell where a teleporting creature went.
    """
    highs = own_heights(state.creatures, plans)
    led = reacting(plans)
    own = {n: plan.path for n, plan in plans.items() if n not in led and (plan.path or n in highs)}
    past = {name: (*led, *plan.passes, plan.mount or "") for name, plan in plans.items()}
    known = (
        changed(state, hidden_creatures=EMPTY) if state.hidden_creatures else state
    )  # nobody means to be stopped by one
    ways = lifted(known, Ways(own, highs), Around(past=past))
    for name in led:
        ways = ways.joined(name, *course(state, plans, ways, name, sprinting, lost))
    return ways


def reacting(plans: Mapping[str, Plan]) -> tuple[str, ...]:
    """Return who goes by a rule, in order: who withdraws, who goes by a rule of its own, who follows."""
    custom = [name for name in _doing(plans, "custom") if not plans[name].path]
    return (*_doing(plans, "withdraw"), *custom, *in_turn(plans))


def course(
    state: State,
    plans: Mapping[str, Plan],
    ways: Ways,
    name: str,
    sprinting: tuple[str, ...],
    lost: tuple[str, ...],
) -> tuple[tuple[Cell, ...], int | None]:
    """Return where its rule leads *name*, and how high if that is through the air."""
    plan, feet = plans[name], budget(state, plans[name], name, sprinting)
    rules: Mapping[str, _Rule] = {"withdraw": withdrawing, "custom": by_own_rule, "follow": following}
    seen = ways.without(plan.targets) if name in lost else ways
    path, high = rules[plan.ability](state, plans, seen, name, feet)
    return path, high if soars(plan) else None


def reactions(
    state: State,
    plans: Mapping[str, Plan],
    meant: Ways,
    sprinting: tuple[str, ...] = (),
    lost: tuple[str, ...] = (),
) -> Reactions:
    """Return how those who react are led anew where others do not get where they were *meant* to."""
    return Reactions(
        keyed={name: plans[name].targets for name in reacting(plans)},
        meant=meant,
        lead=lambda ways, name: course(state, plans, ways, name, sprinting, lost),
    )


def _doing(plans: Mapping[str, Plan], ability: str) -> list[str]:
    return sorted(name for name, plan in plans.items() if plan.ability == ability)


def in_turn(plans: Mapping[str, Plan]) -> list[str]:
    """Return the followers, each after whom it follows; where they run in a circle, by name."""
    left, found = _doing(plans, "follow"), []
    while left:
        name = next((n for n in left if plans[n].targets[0] not in left), left[0])
        left.remove(name)
        found.append(name)
    return found


def by_own_rule(state: State, plans: Mapping[str, Plan], known: Ways, name: str, feet: int) -> Course:
    """Return where a rule of one's own leads: near, away, or one way until the rule is kept."""
    plan, creature = plans[name], poised(state.creatures[name], plans[name])
    after = ending(state, known)
    if plan.step is not None:
        line_ = tuple(line(creature.position, plan.step, feet // FEET))
        whole = walk(after, creature, line_, feet, _movers(known)).cells
        kept = (whole[:n] for n in range(len(whole)) if _content(after, plan, creature, whole[:n]))
        return next(kept, whole), creature.altitude
    if _content(after, plan, creature, ()):
        return (), creature.altitude
    gaps = [after.distance(creature, after.creatures[target]) for target in plan.targets]
    if plan.beyond_ft is not None and min(gaps) < plan.beyond_ft:
        away = {**plans, name: changed(plan, distance_ft=plan.beyond_ft)}
        return withdrawing(state, away, known, name, feet)
    assert plan.within_ft is not None, "a rule says how near or how far"
    farthest = max(plan.targets, key=lambda t: (after.distance(creature, after.creatures[t]), t))
    near = {**plans, name: changed(plan, targets=(farthest,), distance_ft=plan.within_ft)}
    return following(state, near, known, name, feet)


def _content(after: State, plan: Plan, creature: Creature, path: tuple[Cell, ...]) -> bool:
    there = path[-1] if path else creature.position
    for target in plan.targets:
        gap = apart(creature, there, creature.altitude, after.creatures[target])
        if plan.within_ft is not None and gap > plan.within_ft:
            return False
        if plan.beyond_ft is not None and gap < plan.beyond_ft:
            return False
    return True


@rule("RI-REAC-2", "R4", settles=("C-19",))
def shaken_off(state: State, chance: Chance) -> Generator[Fact[State], State, tuple[State, tuple[str, ...]]]:
    """Whoever follows a creature that teleports beats it on initiative, or goes to where it vanished."""
    lost: list[str] = []
    for name in _doing(state.plans, "follow"):
        (target,) = state.plans[name].targets
        theirs = state.plans.get(target)
        if theirs is None or theirs.ability != "teleport":
            continue
        follower, there = state.creatures[name], changed(state.creatures[target], position=theirs.path[-1])
        if not is_clear(state, follower.position, there.position):
            lost.append(name)
            continue
        order: tuple[str, ...]
        state, order = yield from ranked(state, chance, (name, target))
        if order[0] != name:
            lost.append(name)
    return state, tuple(lost)


@rule("RI-REAC-5", "R4")
def budget(state: State, plan: Plan, name: str, sprinting: tuple[str, ...]) -> int:
    """A reactive mover whose speed is spent before its goal stops there."""
    if plan.feet is not None:
        return plan.feet
    creature = state.creatures[name]
    speed = (
        speed_on_its_feet(state, creature, plan.mode)
        if plan.stand_up
        else speed_of(state, creature, plan.mode)
    )
    doubled = name in sprinting or plan.ability == "sprint"
    return (2 if doubled else 1) * speed - (risen(state, creature, plan.mode) if plan.stand_up else 0)


@rule("RI-REAC-3", "R4", settles=("C-19",))
def withdrawing(state: State, plans: Mapping[str, Plan], known: Ways, name: str, feet: int) -> Course:
    """Whoever withdraws goes straight away from the nearest until far enough from all, as speed allows."""
    plan = plans[name]
    creature, after = poised(state.creatures[name], plan), ending(state, known)
    nearest = min(plan.targets, key=lambda t: (state.distance(creature, state.creatures[t]), t))
    step = state.away(creature, state.creatures[nearest])
    straight = tuple(line(creature.position, step, feet // FEET))
    whole = walk(after, creature, straight, feet, _movers(known)).cells

    def short(there: Cell, altitude: int) -> int:
        return max(_too_near(state, after, plans, creature, (there, altitude), t) for t in plan.targets)

    def costs(path: tuple[Cell, ...]) -> int:
        return feet_of(state, creature, path)

    return away_from(creature, plan, feet, whole, costs, short)


def _movers(known: Ways) -> tuple[str, ...]:
    return tuple(known.paths)


def _too_near(
    state: State,
    after: State,
    plans: Mapping[str, Plan],
    creature: Creature,
    at: tuple[Cell, int],
    target: str,
) -> int:
    """Return the feet by which a place is too near to a target, which may come after as far as it can."""
    other = after.creatures[target]
    pursuer = plans.get(target)
    reach = 0
    if pursuer is not None and pursuer.ability == "follow" and creature.id in pursuer.targets:
        reach = budget(state, pursuer, target, ())
    return plans[creature.id].distance_ft + reach - apart(creature, *at, other)


def following(state: State, plans: Mapping[str, Plan], known: Ways, name: str, feet: int) -> Course:
    """Whoever follows takes the shortest way to within its distance of where the other ends."""
    plan = plans[name]
    creature = poised(state.creatures[name], plan)
    (target,) = plan.targets
    after = ending(state, Ways({**known.paths, **_closing(state, plans, known.paths, name)}, known.highs))
    goal = after.creatures[target]
    if after.distance(creature, goal) <= plan.distance_ft:
        return (), creature.altitude
    high, near = towards(creature, plan, goal, feet, plan.distance_ft)
    spare = feet - abs(high - creature.altitude)
    return walk(after, creature, _way(after, creature, goal, near, high), spare, (), high).cells, high


def _closing(
    state: State, plans: Mapping[str, Plan], paths: Mapping[str, tuple[Cell, ...]], name: str
) -> dict[str, tuple[Cell, ...]]:
    """Return how far the followed creature comes when it follows the follower: half the gap."""
    (target,) = plans[name].targets
    back = plans.get(target)
    if target in paths or back is None or back.ability != "follow" or back.targets != (name,):
        return {}
    a, b = state.creatures[name], state.creatures[target]
    flat = distance(a.position, a.space, b.position, b.space, "alternating")
    gap = max(0, flat - plans[name].distance_ft)
    step = state.away(a, b)
    return {target: tuple(line(b.position, step, min(gap // 2, budget(state, back, target, ())) // FEET))}


def _way(after: State, creature: Creature, goal: Creature, distance_ft: int, high: int) -> tuple[Cell, ...]:
    """Return the shortest way to the nearest place within *distance_ft* of *goal* that may be stood in."""
    passing, landing = flown(creature, high)

    def entering(cell: Cell) -> int | None:
        is_closed = is_wall(after, creature, cell) or in_the_way(after, passing, cell) is not None
        return None if is_closed else FEET

    def step(before: Cell, cell: Cell, diagonals: int, _: int) -> int:
        return step_feet(before, cell, diagonals) + leaving(after, creature, before)

    def is_there(cell: Cell) -> bool:
        apart = distance(cell, creature.space, goal.position, goal.space, "alternating")
        return apart <= distance_ft and occupant(after, landing, cell) is None

    straight = distance(creature.position, creature.space, goal.position, goal.space, "alternating")
    if straight < FAR_OFF:
        found = reachable(creature.position, straight + DETOUR, entering, step, until=is_there)
        (*_, last) = found
        if is_there(last):  # which ends the search
            return path_to(found, last)
    return tuple(line(creature.position, after.away(goal, creature), straight // FEET))


@rule("RI-CONF-6", "P67", settles=("C-20",))
def outrun(state: State, plans: Mapping[str, Plan]) -> tuple[str, ...]:
    """Being left out of reach is a legal result; a player's creature may break it by sprinting after all."""
    after = ending(state, intended(state, plans))
    return tuple(
        [
            name
            for name, plan in sorted(plans.items())
            if plan.ability in ("follow", "withdraw")
            and plan.sprint != "never"
            and _short(after, name, plan)
            and not is_laden(state, state.creatures[name])
        ]
    )


def _short(after: State, name: str, plan: Plan) -> bool:
    creature = after.creatures[name]
    gaps = [after.distance(creature, after.creatures[target]) for target in plan.targets]
    if plan.ability == "follow":
        return max(gaps) > plan.distance_ft
    return min(gaps) < plan.distance_ft
