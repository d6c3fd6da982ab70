"""Describe the movements of a phase as a problem, and route those that react to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from service.rules.kernel.meter import spend
from service.rules.kernel.records import EMPTY, changed, derived, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import Count, CreatureId, Feet, GroupId, Reason
from service.rules.rise import books
from service.rules.rise.body.aerial_movement import (
    apart,
    heights_in_reach,
    own_heights,
    poised,
    soars,
    towards,
)
from service.rules.rise.body.movement_and_positioning import (
    NOBODY,
    Past,
    before_hidden_creatures,
    feet_of,
    flown,
    in_the_way,
    is_wall,
    leaving,
    occupant,
    step_feet,
    walk,
)
from service.rules.rise.creatures.combat_statistics import risen, speed_of, speed_on_its_feet
from service.rules.rise.creatures.creature import Creature, Plan
from service.rules.rise.creatures.state import State
from service.rules.rise.planning.initiative import find_order
from service.rules.rise.sight.vision_and_lines import is_clear
from service.rules.space.grid import FEET, Cell, distance, line, way_near

# --- the problem ---------------------------------------------------------------------------------------
# An outcome, or what it lacks. Plain records and what is read off them. A problem holds no dice: it names
# the creatures whose initiative counts, and is solved again when their checks are in its state.

Paths: TypeAlias = Mapping[CreatureId, tuple[Cell, ...]]
Pairs: TypeAlias = Mapping[tuple[str, str], None]
"""Who moves along behind whom: the first follows or pushes the second."""

PAID_FT = 1_000_000
"""Feet enough for any path that was paid for when it was planned."""


@record
class Routes:
    """Where creatures move: the cells that each enters, and how high those end that go up or down."""

    paths: Paths = EMPTY
    altitudes: Mapping[CreatureId, Feet] = EMPTY
    """Feet above the ground."""
    lost: Paths = EMPTY
    """The rest of each path that something cut short."""

    def with_route(
        self, name: str, path: tuple[Cell, ...], altitude: int | None, whole: tuple[Cell, ...] = ()
    ) -> Routes:
        """Return these routes with *path* for *name*, which is as far as it comes of the *whole*."""
        altitudes = self.altitudes if altitude is None else {**self.altitudes, name: altitude}
        return Routes(
            paths={**self.paths, name: path},
            altitudes=altitudes,
            lost={**self.lost, name: whole[len(path) :]},
        )

    def whole(self, name: str) -> tuple[Cell, ...]:
        """Return the path of *name* with what was cut off it."""
        return (*self.paths[name], *self.lost.get(name, ()))

    def without(self, names: Sequence[str]) -> Routes:
        """Return these routes without the paths of *names*."""
        return changed(self, paths={name: path for name, path in self.paths.items() if name not in names})

    def end_of(self, name: str) -> tuple[object, object]:
        """Return the cell and the height at which a movement ends, as far as it changes them."""
        return self.paths.get(name, ())[-1:], self.altitudes.get(name)


@record
class Intents:
    """What creatures mean to do with their movements, and the table on which they mean it."""

    state: State
    plans: Mapping[CreatureId, Plan]
    sprinting: tuple[CreatureId, ...] = ()
    """Who sprints after all to react to others."""
    shaken_off: tuple[CreatureId, ...] = ()
    """Followers that do not know where a teleporting creature went."""


@record
class Problem:
    """The movements of one phase, which all happen together."""

    intents: Intents
    state: State
    """The table as it is by now: with the initiative checks and rulings that the solver has asked for."""
    behind: Pairs = EMPTY
    through: Mapping[CreatureId, tuple[CreatureId, ...]] = EMPTY
    """Whom a mover passes: its group saw them there when it walked, or it has run them over."""
    made_in: Mapping[CreatureId, tuple[GroupId, Count]] = EMPTY
    """The group in whose world a movement was made, and when: two of one world were settled there."""
    altitudes: Mapping[CreatureId, Feet] = EMPTY
    """How high those end whose flight was settled in their groups."""


class Doubt(NamedTuple):
    """Movements that cannot all happen, unless the GM answers the question otherwise."""

    question: str
    creatures: tuple[str, ...]


@record
class NeedsInitiative:
    """The solver cannot go on without the order of some creatures."""

    contests: tuple[tuple[CreatureId, ...], ...]
    """The creatures that have to be ordered among themselves, contest by contest."""
    doubts: tuple[Doubt, ...] = ()
    """Conflicts that the GM may deny before anybody rolls."""
    mounted: Mapping[CreatureId, CreatureId] = EMPTY
    """Riders who are on another mount by then, and which."""


@record
class Block:
    """A creature that tries to keep another from passing, and whether it does."""

    blocker: CreatureId
    creature: CreatureId
    blocked: bool


@record
class Conflict:
    """Movements that cannot all happen, and the order in which they resolve."""

    creatures: tuple[CreatureId, ...]
    order: tuple[CreatureId, ...]
    warning: Reason = ""


@record
class Outcome:
    """How the movements of a phase come out."""

    routes: Routes
    blocks: tuple[Block, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    mounted: Mapping[CreatureId, CreatureId] = EMPTY
    """Riders who are on another mount before anything moves, and which."""


def place_movers(state: State, routes: Routes) -> State:
    """Return *state* with every creature where its route ends, in the air as on the ground."""
    creatures = dict(state.creatures)
    for name, path in routes.paths.items():
        before = creatures[name]
        there, high = path[-1] if path else before.position, routes.altitudes.get(name, before.altitude)
        if (there, high) != (before.position, before.altitude):
            creatures[name] = changed(before, position=there, altitude=high)
    return changed(state, creatures=creatures)


def follow_path(
    problem: Problem, state: State, name: str, path: tuple[Cell, ...], past: Past, altitude: int | None
) -> tuple[Cell, ...]:
    """Return the part of *path* that *name* can take: to a creature that blocks it, or to a hidden creature.

    It leads *past* some, beside whom the problem says. *altitude* is the height in feet at which a flight
    ends. Walls and doors are looked at only for a movement by a rule, which is made now. A path was made
    before, on the ground that its group knew then.
    """
    creature = state.creatures[name]
    on_path = before_hidden_creatures(state, flown(creature, altitude)[0], path)
    past = Past(past.absent, (*problem.through.get(name, ()), *past.through))
    is_open = bool(problem.intents.plans[name].path)
    return walk(state, creature, on_path, PAID_FT, past, altitude, is_open=is_open).cells


def follow_past_movers(
    problem: Problem, state: State, wanted: Routes, name: str, path: tuple[Cell, ...]
) -> tuple[Cell, ...]:
    """Return how far *path* leads *name* if only creatures that do not move block it."""
    absent = tuple([other for other, route in wanted.paths.items() if route])
    return follow_path(problem, state, name, path, Past(absent), wanted.altitudes.get(name))


def stop_at_standing(problem: Problem, state: State, wanted: Routes) -> Routes:
    """Return how far each route leads if only creatures that do not move block it."""
    routes = Routes(altitudes=wanted.altitudes)
    for name, path in wanted.paths.items():
        far = follow_past_movers(problem, state, wanted, name, path)
        routes = routes.with_route(name, far, None, wanted.whole(name))
    return routes


def order_behind(plans: Mapping[str, Plan]) -> Pairs:
    """Return who moves along behind whom, also through others: nobody runs into who comes after it.

    A hustle that is to reach somebody comes behind it only once it goes on by a sprint.
    """
    after = {
        name: () if plan.ability == "hustle" and plan.sprint != "auto" else plan.targets
        for name, plan in plans.items()
    }
    return {(name, other): None for name in after for other in reached_from(name, after)}


def reached_from(name: str, after: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return whom *name* moves along behind, nearest first: its own targets, theirs, and so on."""
    found: dict[str, None] = {}
    ahead = list(after[name])
    for other in ahead:
        if other not in found:
            found[other] = None
            ahead.extend(each for each in after.get(other, ()) if each != name)
    spend(len(found) // 32)  # a name takes far less work than a cell
    return tuple(found)


def by_carriers(state: State, plans: Mapping[str, Plan]) -> Mapping[str, Plan]:
    """Return *plans* that react to a mount where they name its rider, which goes where that goes."""
    carried = {name: c.mount for name, c in state.creatures.items() if c.mount in plans and name not in plans}
    found = dict(plans)
    for name, plan in plans.items() if carried else ():
        named = [carried.get(target) or target for target in plan.targets]
        found[name] = changed(plan, targets=tuple(dict.fromkeys(named)))
    return {name: plans[name] if name in plan.targets else plan for name, plan in found.items()}


def pose(
    state: State,
    plans: Mapping[str, Plan],
    sprinting: tuple[str, ...] = (),
    shaken_off: tuple[str, ...] = (),
) -> Problem:
    """Return the movements of a movement phase as a problem."""
    plans = by_carriers(state, plans)
    return Problem(
        intents=Intents(state=state, plans=plans, sprinting=sprinting, shaken_off=shaken_off),
        state=state,
        behind=order_behind(plans),
        through={name: plan.passes for name, plan in plans.items()},
    )


# --- movements that react ------------------------------------------------------------------------------
# Withdrawals first, then followers, as far as speed goes. Nothing here is a conflict and nothing throws
# dice: both move as far as they can, and their speeds decide.

RI_UNIV_FOLLOW: Final = Rule(
    "RI-UNIV-FOLLOW",
    "Following and withdrawing are movements that react: first those who do not react, then the others.",
    books.MOVEMENT.at("Follow"),
)
RI_REAC_2: Final = Rule(
    "RI-REAC-2",
    "A follower of a creature that teleports beats it on initiative, or goes to where it vanished.",
    books.MOVEMENT.at("Follow"),
    settles=("C-19",),
)
RI_REAC_5: Final = Rule(
    "RI-REAC-5",
    "A reactive mover whose speed is spent before its goal stops there.",
    books.MOVEMENT.at("Movement Abilities"),
)
RI_REAC_3: Final = Rule(
    "RI-REAC-3",
    "A withdrawal goes straight away from the nearest until far enough from all, as speed allows.",
    books.MOVEMENT.at("Withdraw"),
    settles=("C-19",),
)


Course: TypeAlias = tuple[tuple[Cell, ...], int]
"""One movement: its path, and the height at which it ends."""
DETOUR_FT = 40
"""Feet beyond the straight way within which a way around obstacles is searched."""
FAR_OFF_FT = 160
"""Feet from which a follower simply goes straight towards its target."""
RING = 8
"""The most who react to each other and do so again where others are stopped; more go on as they meant to."""
HALVINGS = 4
"""How often those who react to each other go on, mostly."""
SEARCHED = 3_000
"""Cells in which all followers of a phase together search their ways; who finds none goes straight."""


def route_all(intents: Intents) -> Routes:
    """Return where everybody means to move, worked out once for the same intents."""
    return derived(intents, "routes", react_to_others)


@enforces(RI_UNIV_FOLLOW)
def react_to_others(intents: Intents) -> Routes:
    """Return the routes of all movements before conflicts, those by rule after those along a path."""
    state, plans = intents.state, intents.plans
    altitudes = own_heights(state.creatures, plans)
    rings = order_reactions(intents)
    reacting = [name for ring in rings for name in ring]
    own = {n: p.path for n, p in plans.items() if n not in reacting and (p.path or n in altitudes)}
    known = (
        changed(state, hidden_creatures=EMPTY) if state.hidden_creatures else state
    )  # nobody means to be stopped by one
    problem = Problem(
        intents=intents, state=known, through={name: plan.passes for name, plan in plans.items()}
    )
    moving = tuple([name for name, path in own.items() if path])
    routes = Routes(altitudes=altitudes)
    for name, path in own.items():
        absent = (*moving, *reacting, plans[name].mount or "")
        far = follow_path(problem, known, name, path, Past(absent), altitudes.get(name))
        routes = routes.with_route(name, far, None, path)
    for number, ring in enumerate(rings):
        routes = contend(intents, route_ring(intents, routes, ring), ring, rings[:number])
    return routes


def order_reactions(intents: Intents) -> tuple[tuple[str, ...], ...]:
    """Return who goes by a rule, in order: who withdraws, who goes by a rule of its own, who follows.

    Each comes after those to whom it reacts. Those who react to each other in a circle come together.
    """
    return derived(intents, "reactions", put_in_order)


def put_in_order(intents: Intents) -> tuple[tuple[str, ...], ...]:
    """Return the order of all movements by rule; of followers alike in all else the nearest comes first."""
    plans = intents.plans
    custom = [name for name in find_planning(plans, "custom") if not plans[name].path]
    found: list[tuple[str, ...]] = []
    for names in (find_planning(plans, "withdraw"), custom, find_planning(plans, "follow")):
        after = {name: tuple([n for n in plans[name].targets if n in names]) for name in names}
        ahead = {name: reached_from(name, after) for name in names}
        gaps = {name: gap_ft(intents.state, name, plans[name].targets) for name in names}
        places = {name: intents.state.creatures[name].position for name in names}
        for name in sorted(names, key=lambda each: (len(ahead[each]), gaps[each], places[each], each)):
            ring = tuple(sorted([name, *[other for other in ahead[name] if name in ahead[other]]]))
            if ring not in found:
                found.append(ring)
    return tuple(found)


def gap_ft(state: State, name: str, targets: Sequence[str]) -> int:
    """Return how far *name* is from the nearest of *targets*; nothing if there are none."""
    creatures = state.creatures
    return min([state.distance(creatures[name], creatures[target]) for target in targets], default=0)


def route_ring(intents: Intents, routes: Routes, ring: Sequence[str]) -> Routes:
    """Return *routes* with those of *ring*: one by its rule, or all at once if they react to each other.

    Each goes half of what it lacks, by where the others are then, and again from there, at least 5 feet. So
    nobody's name decides who goes first.
    """
    if not ring[1:]:
        return routes.with_route(ring[0], *route_by_rule(intents, routes, ring[0]))
    for name in ring:
        routes = routes.with_route(name, (), None)
    most = {name: budget(intents, intents.plans[name], name) for name in ring}
    gone = dict.fromkeys(ring, 0)
    while True:
        after = place_movers(intents.state, routes)
        short = {name: shortfall_ft(intents, after, name) for name in ring if gone[name] < most[name]}
        going = {name: max(FEET, feet // 2 // FEET * FEET) for name, feet in short.items() if feet}
        if not going:
            return routes
        gone = {name: min(most[name], feet + going.get(name, 0)) for name, feet in gone.items()}
        ways = {name: route_by_rule(intents, routes, name, gone[name]) for name in going}
        for name, (path, altitude) in ways.items():
            routes = routes.with_route(name, path, altitude)


def shortfall_ft(intents: Intents, after: State, name: str) -> int:
    """Return the feet that *name* lacks to keep its rule where everybody is now, nothing if it keeps it."""
    plan, creature = intents.plans[name], after.creatures[name]
    gaps = {target: after.distance(creature, after.creatures[target]) for target in plan.targets}
    if plan.ability == "custom":
        near = 0 if plan.within_ft is None else max(gaps.values()) - plan.within_ft
        far = 0 if plan.beyond_ft is None else plan.beyond_ft - min(gaps.values())
        return max(0, near, far)
    if plan.ability == "follow":
        return max(0, max(gaps.values()) - plan.distance_ft)
    return max(0, *[keep_away_ft(intents, plan, name, target) - gap for target, gap in gaps.items()])


def contend(intents: Intents, routes: Routes, ring: Sequence[str], before: Sequence[Sequence[str]]) -> Routes:
    """Return *routes* with a follower on its way to where another that is as near got *before* it.

    Nothing decides between the two but initiative, and it is needed only if the other's place is the last.
    """
    name, state = ring[0], intents.state
    plan = intents.plans[name]
    short = shortfall_ft(intents, place_movers(state, routes), name) if plan.ability == "follow" else 0
    gap = gap_ft(state, name, plan.targets)
    rivals = [
        each[0]
        for each in before
        if short and not (ring[1:] or each[1:]) and intents.plans[each[0]].ability == "follow"
        if (intents.plans[each[0]].targets, gap_ft(state, each[0], plan.targets)) == (plan.targets, gap)
    ]
    if not rivals:
        return routes
    way = route_by_rule(intents, routes.without(rivals), name)
    alone = place_movers(state, routes.without(rivals).with_route(name, *way))
    return routes.with_route(name, *way) if shortfall_ft(intents, alone, name) < short else routes


def route_by_rule(
    intents: Intents, routes: Routes, name: str, most_ft: int | None = None
) -> tuple[tuple[Cell, ...], int | None]:
    """Return where its rule leads *name* if the others take *routes*; the height only of a flight.

    *most_ft* are the feet that it may go; null for all that it can.
    """
    plan, routes = intents.plans[name], routes.without((name,))
    feet = budget(intents, plan, name) if most_ft is None else most_ft
    seen = routes.without(plan.targets) if name in intents.shaken_off else routes
    if plan.ability == "withdraw":
        path, altitude = withdraw(intents, seen, plan, name, feet)
    elif plan.ability == "custom":
        path, altitude = obey_own_rule(intents, seen, name, feet)
    else:
        path, altitude = follow(intents, seen, plan, name, feet)
    return path, altitude if soars(plan) else None


def find_planning(plans: Mapping[str, Plan], ability: str) -> list[str]:
    """Return who plans a movement of this kind, by name."""
    return sorted(name for name, plan in plans.items() if plan.ability == ability)


def obey_own_rule(intents: Intents, routes: Routes, name: str, feet: int) -> Course:
    """Return where a rule of one's own leads: near, away, or one way until the rule is kept."""
    plan = intents.plans[name]
    creature, after = poised(intents.state.creatures[name], plan), place_movers(intents.state, routes)
    if plan.step is not None:
        straight = tuple(line(creature.position, plan.step, feet // FEET))
        whole = walk(after, creature, straight, feet, Past(absent=tuple(routes.paths))).cells
        kept = (whole[:n] for n in range(len(whole)) if keeps_rule(after, plan, creature, whole[:n]))
        return next(kept, whole), creature.altitude
    if keeps_rule(after, plan, creature, ()):
        return (), creature.altitude
    gaps = [after.distance(creature, after.creatures[target]) for target in plan.targets]
    if plan.beyond_ft is not None and min(gaps) < plan.beyond_ft:
        return withdraw(intents, routes, changed(plan, distance_ft=plan.beyond_ft), name, feet)
    assert plan.within_ft is not None, "a rule says how near or how far"
    farthest = max(plan.targets, key=lambda t: after.distance(creature, after.creatures[t]))
    near = changed(plan, targets=(farthest,), distance_ft=plan.within_ft)
    return follow(intents, routes, near, name, feet)


def keeps_rule(after: State, plan: Plan, creature: Creature, path: tuple[Cell, ...]) -> bool:
    """Return whether a creature keeps the rule of its plan where *path* ends."""
    there = path[-1] if path else creature.position
    for target in plan.targets:
        gap = apart(creature, there, creature.altitude, after.creatures[target])
        if plan.within_ft is not None and gap > plan.within_ft:
            return False
        if plan.beyond_ft is not None and gap < plan.beyond_ft:
            return False
    return True


@enforces(RI_REAC_2)
def shake_off(state: State) -> tuple[str, ...] | NeedsInitiative:
    """Return the followers whose targets vanish from them, or the initiative that this needs."""
    lost: list[str] = []
    contests: list[tuple[str, ...]] = []
    for name in find_planning(state.plans, "follow"):
        (target,) = state.plans[name].targets
        theirs = state.plans.get(target)
        if theirs is None or theirs.ability != "teleport":
            continue
        order: tuple[str, ...] | None = (target,)
        if is_clear(state, state.creatures[name].position, theirs.path[-1]):
            order = find_order(state, (name, target))
        if order is None:
            contests.append((name, target))
        elif order[0] != name:
            lost.append(name)
    return NeedsInitiative(contests=tuple(contests)) if contests else tuple(lost)


@enforces(RI_REAC_5)
def budget(intents: Intents, plan: Plan, name: str) -> int:
    """Return the feet that a plan of *name* may take."""
    if plan.feet is not None:
        return plan.feet
    state, creature = intents.state, intents.state.creatures[name]
    speed = (
        speed_on_its_feet(state, creature, plan.mode)
        if plan.stand_up
        else speed_of(state, creature, plan.mode)
    )
    doubled = name in intents.sprinting or plan.ability == "sprint"
    return (2 if doubled else 1) * speed - (risen(state, creature, plan.mode) if plan.stand_up else 0)


def unhurried(intents: Intents, plan: Plan, name: str) -> int:
    """Return the feet of a movement without a sprint that its player has only just agreed to."""
    return budget(changed(intents, sprinting=()), plan, name)


@enforces(RI_REAC_3)
def withdraw(intents: Intents, routes: Routes, plan: Plan, name: str, feet: int) -> Course:
    """Return the course of a creature that withdraws, after the *routes* of others.

    Of several who are as near it goes straight away from whom its plan names first.
    """
    state = intents.state
    creature, after = poised(state.creatures[name], plan), place_movers(state, routes)
    nearest = min(plan.targets, key=lambda t: state.distance(creature, state.creatures[t]))
    step = state.away(creature, state.creatures[nearest])
    straight = tuple(line(creature.position, step, feet // FEET))
    whole = walk(after, creature, straight, feet, Past(absent=tuple(routes.paths))).cells
    safe = {target: keep_away_ft(intents, plan, name, target) for target in plan.targets}
    found: list[tuple[int, int, int, int, int]] = []
    for length in range(len(whole) + 1):
        walked = feet_of(state, creature, whole[:length])
        there = whole[length - 1] if length else creature.position
        for altitude in heights_in_reach(creature, plan, feet - walked):
            gaps = {target: apart(creature, there, altitude, after.creatures[target]) for target in safe}
            short = max(safe[target] - gaps[target] for target in safe)
            climb = abs(altitude - creature.altitude)
            found.append((max(0, short), walked + climb, climb, length, altitude))
    _, _, _, length, altitude = min(found)
    return whole[:length], altitude


def keep_away_ft(intents: Intents, plan: Plan, name: str, target: str) -> int:
    """Return how far to keep from *target*, which may come after *name* as far as its speed allows."""
    pursuer = intents.plans.get(target)
    if pursuer is None or pursuer.ability != "follow" or name not in pursuer.targets:
        return plan.distance_ft
    return plan.distance_ft + unhurried(intents, pursuer, target)


def follow(intents: Intents, routes: Routes, plan: Plan, name: str, feet: int) -> Course:
    """Return the shortest way of a follower to within its distance of where the other ends."""
    creature = poised(intents.state.creatures[name], plan)
    (target,) = plan.targets
    after = place_movers(intents.state, routes)
    goal = after.creatures[target]
    if after.distance(creature, goal) <= plan.distance_ft:
        return (), creature.altitude
    altitude, near = towards(creature, plan, goal, feet, plan.distance_ft)
    spare = feet - abs(altitude - creature.altitude)
    way = find_way(after, creature, goal, near, altitude, SEARCHED // searches(intents), spare)
    return walk(after, creature, way, spare, NOBODY, altitude).cells, altitude


def searches(intents: Intents) -> int:
    """Return about how many ways are searched: who reacts in a circle goes by its rule several times."""
    reacting = {n: p.targets for n, p in intents.plans.items() if p.ability in ("follow", "custom")}
    return sum(HALVINGS if any(t in reacting for t in targets) else 1 for targets in reacting.values())


def find_way(
    after: State, creature: Creature, goal: Creature, near_ft: int, altitude: int, patience: int, feet: int
) -> tuple[Cell, ...]:
    """Return the shortest way to the nearest place within *near_ft* of *goal* that may be stood in.

    Where no way is found among as many cells as the *patience*, it leads straight, *feet* far.
    """
    passing, landing = flown(creature, altitude)
    rough: dict[Cell, int] = {}

    def entering(cell: Cell) -> int | None:
        is_closed = is_wall(after, creature, cell) or in_the_way(after, passing, cell) is not None
        return None if is_closed else FEET

    def step(before: Cell, cell: Cell, diagonals: int, _: int) -> int | None:
        if after.is_barred(before, cell, creature.space):
            return None
        if before not in rough:
            rough[before] = leaving(after, creature, before)
        return step_feet(before, cell, diagonals) + rough[before]

    def may_end(cell: Cell) -> bool:
        return occupant(after, landing, cell) is None

    straight = distance(creature.position, creature.space, goal.position, goal.space, "alternating")
    if straight < FAR_OFF_FT:
        most, there = straight + DETOUR_FT, (goal.position, goal.space, near_ft)
        found = way_near((creature.position, creature.space), there, most, entering, step, may_end, patience)
        if found is not None:
            return found
    (x, y), (dx, dy) = creature.position, after.away(goal, creature)
    return tuple([(x + dx * n, y + dy * n) for n in range(1, min(straight, feet) // FEET + 1)])
