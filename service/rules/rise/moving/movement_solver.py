"""Solve the movements of a phase: blocks first, then riders mount, then everybody moves at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Final

from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId
from service.rules.rise import books
from service.rules.rise.body.aerial_movement import climbed
from service.rules.rise.body.movement_and_positioning import (
    Past,
    flown,
    is_passable,
    sit_on,
    steps_of,
)
from service.rules.rise.body.running_the_game import is_open, ruled_on
from service.rules.rise.creatures.combat_statistics import speed_of
from service.rules.rise.creatures.creature import Creature, Plan, above, may_share, on_its_way
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.movement_problem import (
    RING,
    Block,
    Conflict,
    Doubt,
    Intents,
    NeedsInitiative,
    Outcome,
    Pairs,
    Paths,
    Problem,
    Routes,
    budget,
    follow_past_movers,
    follow_path,
    order_reactions,
    place_movers,
    route_all,
    route_ring,
    stop_at_standing,
)
from service.rules.rise.planning.initiative import find_order
from service.rules.space.grid import FEET, Cell, cells, distance

# --- blocking ------------------------------------------------------------------------------------------

RI_SWIFT_10: Final = Rule(
    "RI-SWIFT-10",
    "Blocking is Swift: it applies before any movement of the phase happens.",
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
        if plan.ability == "block":
            (target,) = plan.targets
            if passes(intents, name, target, wanted):
                blockers.setdefault(target, []).append(name)
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
    taken = []
    for at, cell, cost in steps_of(state, mover, wanted.paths[target]):
        feet -= cost
        for blocker in blockers:
            if is_beside(state, blocker, mover, at) and is_beside(state, blocker, mover, cell):
                feet -= toll_ft(intents, blocker, target)
        if feet < 0:
            break
        taken.append(cell)
    return tuple(taken)


def as_it_passes(state: State, name: str, wanted: Routes) -> Creature:
    """Return a mover at the height at which it passes others."""
    return flown(state.creatures[name], wanted.altitudes.get(name))[0]


def passes(intents: Intents, blocker: str, target: str, wanted: Routes) -> bool:
    """Return whether *target* moves past the blocker, from space to space beside it, and not through it."""
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
    """Return whether *mover* touches the blocker's space at a cell."""
    other = state.body(state.creatures[blocker])
    flat = distance(other.position, other.space, at, mover.space, "chebyshev")
    return max(flat, above(other, mover)) <= FEET


def toll_ft(intents: Intents, blocker: str, mover: str) -> int:
    """Return what passing costs: the blocker's speed, or the mover's where the house reads it so."""
    state = intents.state
    payer = blocker if state.house.block_speed == "blocker" else mover
    mode = intents.plans[mover].mode
    return speed_of(state, state.creatures[payer], mode) or speed_of(state, state.creatures[payer])


# --- conflicts -----------------------------------------------------------------------------------------
# Initiative ranks them, and later ones go as far as they can. Movements are one global step; nobody
# re-plans. Most paths do not conflict, and then no die is thrown.

RI_CONF_1: Final = Rule(
    "RI-CONF-1",
    "Movements conflict that end in one space, or that need a space in which an enemy ends.",
    books.TIME.at("Conflicting Actions"),
    settles=("C-13",),
)
RI_CONF_5: Final = Rule(
    "RI-CONF-5",
    "Initiative is rolled only where it is strictly needed; being outrun is not a conflict.",
    (books.TIME.at("Action Resolution Summary"), books.TIME.at("Conflicting Actions")),
)
RI_CONF_7: Final = Rule(
    "RI-CONF-7",
    "Many initiative checks in one movement phase are a sign of over-complicated plans.",
    books.MOVEMENT.at("Movement Abilities"),
)
RI_CONF_2: Final = Rule(
    "RI-CONF-2",
    "Those in conflict resolve one after the other, from the highest check down, each completely.",
    books.TIME.at("Conflicting Actions"),
)
RI_REAC_6: Final = Rule(
    "RI-REAC-6",
    "A creature that reacts to a movement, or pushes its mover, resolves after it, whatever their checks.",
    RULING,
    settles=("C-19",),
)
RI_CONF_3: Final = Rule(
    "RI-CONF-3",
    "A later mover follows its chosen path as far as it can and stops there; what is left is lost.",
    books.TIME.at("Conflicting Actions"),
    settles=("C-14",),
)
RI_CONF_4: Final = Rule(
    "RI-CONF-4",
    "Where several want one space the best check enters it, and the others stop on running into it.",
    books.TIME.at("Conflicting Actions"),
)


REROUTED = 3
"""The round of contests from which those who react go on as they meant, wherever others are stopped."""
MANY = 3
"""Conflicts in one phase from which plans are over-complicated."""


@record
class Movements:
    """All movements of a problem once blocks are settled, and who goes by a rule about others."""

    problem: Problem
    state: State
    """The table when movements begin, with riders on their mounts."""
    wanted: Routes
    meant: Routes
    """The routes before blocks, by which those who react have been routed."""
    reacting: Mapping[CreatureId, tuple[CreatureId, ...]] = EMPTY
    """Whom each reacts to, in the order in which they are routed."""
    steady: tuple[CreatureId, ...] = ()
    """Those of circles in which more react to each other than react again to what others are stopped by."""

    def passes(self, name: str, other: str) -> bool:
        """Return whether *other* lets *name* by; in one space they still do not end."""
        return other in self.problem.through.get(name, ()) or (other, name) in self.problem.behind

    def comes_before(self, name: str, other: str) -> bool:
        """Return whether of two movements that one group made that of *name* was the first."""
        return self.problem.made_in[name] < self.problem.made_in[other]

    def are_settled(self, name: str, other: str) -> bool:
        """Return whether one group made both movements, one after the other."""
        made_in = self.problem.made_in
        return name in made_in and other in made_in and made_in[name][0] == made_in[other][0]


@enforces(RI_CONF_1)
def find_conflicts(movements: Movements, routes: Routes) -> list[Doubt]:
    """Return the conflicts between *routes* that are not ruled away."""
    paths, after = routes.paths, place_movers(movements.state, routes)
    sets: list[tuple[str, ...]] = []
    for name in [name for name, path in paths.items() if path]:
        against = [
            other
            for other in find_touched(after, name, paths[name])
            if not movements.are_settled(name, other)
            and is_blocked(after, paths, name, other, passes=movements.passes(name, other))
        ]
        if against:
            sets = merge_overlapping(sets, (name, *against))
    found = [Doubt("conflict_exists", names) for names in sets]
    found += [Doubt("swap_conflict", pair) for pair in find_swaps(movements, routes)]
    return [doubt for doubt in found if not is_denied(movements, doubt)]


def is_denied(movements: Movements, doubt: Doubt) -> bool:
    """Return whether the GM has ruled that a conflict is none."""
    return ruled_on(movements.problem.state, doubt.question, doubt.creatures) == "no"


def find_touched(after: State, name: str, path: Sequence[Cell]) -> Iterable[str]:
    """Return who ends in a space that *name* enters."""
    mover = after.creatures[name]
    entered = dict.fromkeys([part for cell in (mover.position, *path) for part in cells(cell, mover.space)])
    found = [other.id for cell in entered for other in after.standing_at(cell) if other.id != name]
    return dict.fromkeys(found)


def find_swaps(movements: Movements, routes: Routes) -> list[tuple[str, ...]]:
    """Return the pairs that change places with no room to pass."""
    moving = [name for name in movements.state.creatures if routes.paths.get(name)]
    found = [
        tuple(sorted((name, other)))
        for name in [name for name, path in routes.paths.items() if path]
        for other in moving
        if other != name
        and movements.state.creatures[other].position in routes.paths[name]
        and other not in movements.problem.through.get(name, ())
        and not movements.are_settled(name, other)
        and swaps(movements.state, routes, name, other)
    ]
    return list(dict.fromkeys(found))


def is_blocked(after: State, paths: Paths, name: str, other: str, *, passes: bool) -> bool:
    """Return whether *name* cannot move as *other* ends: in its space, or beyond it unless it *passes*."""
    a, b = after.creatures[name], after.creatures[other]
    if may_share(a, b):
        return False
    taken = cells(b.position, b.space)
    if any(cell in taken for cell in cells(a.position, a.space)) and not above(a, b):
        return True
    if passes or not any(cell in taken for step in paths[name] for cell in cells(step, a.space)):
        return False
    hostile = "enemy" in (after.attitude(name, other), after.attitude(other, name))
    return hostile and not above(on_its_way(a, a.altitude), b)


def swaps(state: State, routes: Routes, name: str, other: str) -> bool:
    """Return whether two change places with no room to pass."""
    mine, theirs = routes.paths[name], routes.paths[other]
    a, b = state.creatures[name], state.creatures[other]
    if b.position not in mine or a.position not in theirs or is_passable(state, a, b):
        return False
    if above(as_it_flies(a, routes), as_it_flies(b, routes)):
        return False
    between = (a.position, *mine[: mine.index(b.position) + 1])
    return all(is_narrow(state, at, to) for at, to in pairwise(between))


def as_it_flies(creature: Creature, routes: Routes) -> Creature:
    """Return *creature* at the height of its route."""
    altitude = routes.altitudes.get(creature.id)
    return creature if altitude is None else on_its_way(creature, altitude)


def is_narrow(state: State, at: Cell, to: Cell) -> bool:
    """Return whether a step leads between walls, with room for one."""
    dx, dy = to[0] - at[0], to[1] - at[1]
    if dx and dy:
        return False
    sides = [(cell, (cell[0] + k * dy, cell[1] + k * dx)) for cell in (at, to) for k in (-1, 1)]
    return all(state.is_solid(beside) or state.is_barred(cell, beside) for cell, beside in sides)


def merge_overlapping(sets: list[tuple[str, ...]], new: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return *sets* with *new*, those that overlap made one."""
    touching = [known for known in sets if any(name in known for name in new)]
    rest = [known for known in sets if known not in touching]
    return [*rest, tuple(sorted(dict.fromkeys([*new, *(n for known in touching for n in known)])))]


@enforces(RI_CONF_5)
def settle(movements: Movements) -> Outcome | NeedsInitiative:
    """Return the outcome of all movements, or the initiative and rulings that they need.

    Conflicts that share nobody are contests of their own: each has its order.
    """
    state, problem = movements.problem.state, movements.problem
    routes = reroute(movements, stop_at_standing(problem, movements.state, movements.wanted))
    known: list[tuple[str, ...]] = []
    orders: dict[tuple[str, ...], tuple[str, ...]] = {}
    turns = 0
    while doubts := find_conflicts(movements, routes):
        sets = known
        for doubt in doubts:
            sets = merge_overlapping(sets, doubt.creatures)
        sets = sorted(sets)
        new = [names for names in sets if names not in known]
        if not new:
            break
        found = {names: order_of(movements, names) for names in new}
        missing = [movers_of(movements, names) for names, order in found.items() if order is None]
        if missing or any(is_open(state, doubt.question, doubt.creatures) for doubt in doubts):
            return NeedsInitiative(contests=tuple(missing), doubts=tuple(doubts))
        known, turns = sets, turns + 1
        if turns == REROUTED:
            movements = changed(movements, steady=tuple(movements.reacting))
        for names, order in found.items():
            orders[names] = order or ()
            routes = resolve_in_order(movements, routes, orders[names])
        routes = reroute(movements, routes, [name for names in found for name in orders[names]])
    conflicts = [
        Conflict(creatures=names, order=orders[names], warning=warn_of_many(number))
        for number, names in enumerate(known, 1)
    ]
    routes = separate(movements, routes, [name for names in known for name in orders[names]])
    return Outcome(routes=routes, conflicts=tuple(conflicts))


def movers_of(movements: Movements, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of *names* who want to move."""
    return tuple([name for name in names if movements.wanted.paths.get(name)])


def order_of(movements: Movements, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the order in which *names* move, null while it takes initiative that is not rolled.

    Where each comes behind another anyway, no check could change anything, and none is made.
    """
    moving, behind = movers_of(movements, names), movements.problem.behind
    order = put_reactions_last(moving, behind)
    if all((b, a) in behind and (a, b) not in behind for a, b in pairwise(order)):
        return order
    rolled = find_order(movements.problem.state, moving)
    return None if rolled is None else put_reactions_last(rolled, behind)


def separate(movements: Movements, routes: Routes, order: Sequence[str]) -> Routes:
    """Return *routes* with no two in one space: of two that would be, the later goes back on its way."""
    while (name := find_crowding(movements, routes, order)) is not None:
        routes = routes.with_route(name, routes.paths[name][:-1], None, routes.whole(name))
    return routes


def find_crowding(movements: Movements, routes: Routes, order: Sequence[str]) -> str | None:
    """Return a mover that ends where another is and may not be, the later one of the two, if there is any."""
    after = place_movers(movements.state, routes)
    for name in sorted([name for name, path in routes.paths.items() if path]):
        mover = after.creatures[name]
        for other in sorted(find_touched(after, name, ())):
            if may_share(mover, after.creatures[other]) or above(mover, after.creatures[other]):
                continue
            if is_denied(movements, Doubt("conflict_exists", (name, other))):
                continue
            moved = [each for each in (name, other) if routes.paths.get(each)]
            behind = [
                each
                for each in moved
                for one in moved
                if (each, one) in movements.problem.behind and each != one
            ]
            return max(behind or moved, key=lambda each: (lateness(movements, order, each), each))
    return None


def lateness(movements: Movements, order: Sequence[str], name: str) -> tuple[int, int, int]:
    """Return how late *name* moves: who reacts last, else by the contest, else as it was in its group."""
    _, turn = movements.problem.made_in.get(name, ("", 0))
    return int(name in movements.reacting), order.index(name) + 1 if name in order else 0, turn


@enforces(RI_CONF_7)
def warn_of_many(number: int) -> str:
    """Return a warning if the conflict of this *number* is one of many, an empty text otherwise."""
    return "plans are over-complicated" if number > MANY else ""


def reroute(movements: Movements, routes: Routes, settled: Sequence[str] = ()) -> Routes:
    """Return *routes* with those who react, except *settled*, routed by where the others really end."""
    wanted = movements.wanted
    for ring in order_reactions(movements.problem.intents):
        free = [name for name in ring if name in movements.reacting and name not in settled]
        others = routes.without(free)  # where those of the ring end follows from these
        if any(is_misled(movements, others, name) for name in free):
            again = react_again(movements, routes, free)
            for name in free:
                path, altitude = again.paths[name], again.altitudes.get(name)
                wanted = wanted.with_route(name, path, altitude)
                far = follow_past_movers(movements.problem, movements.state, wanted, name, path)
                routes = routes.with_route(name, far, altitude, path)
    return routes


def is_misled(movements: Movements, routes: Routes, name: str) -> bool:
    """Return whether somebody to whom *name* reacts ends elsewhere than it meant to.

    Too many who react to each other react once, to what all meant to do.
    """
    if name in movements.steady:
        return False
    known = [other for other in movements.reacting.get(name, ()) if other in routes.paths]
    return any(routes.end_of(other) != movements.meant.end_of(other) for other in known)


def react_again(movements: Movements, routes: Routes, along: Sequence[str]) -> Routes:
    """Return where the rules of *along* lead them now, who react to each other if they are several.

    Those who react after them are left out.
    """
    intents = movements.problem.intents
    rings = order_reactions(intents)
    (at,) = [number for number, ring in enumerate(rings) if along[0] in ring]
    later = [each for ring in rings[at + 1 :] for each in ring if each in movements.reacting]
    return route_ring(intents, routes.without((*along, *later)), along)


def find_companions(movements: Movements, name: str, settled: Sequence[str]) -> list[str]:
    """Return *name* and those who react to it as it does to them, and have not *settled*."""
    rings = order_reactions(movements.problem.intents)
    (ring,) = [ring for ring in rings if name in ring]
    return [each for each in ring if each in movements.reacting and each not in settled]


@enforces(RI_CONF_2, RI_CONF_3, RI_CONF_4)
def resolve_in_order(movements: Movements, routes: Routes, order: Sequence[str]) -> Routes:
    """Return *routes* after those in *order* have moved, one after the other."""
    state, wanted = movements.state, movements.wanted
    settled = routes.without(order)
    now = place_movers(state, settled)
    for name in [name for name in order if name in wanted.altitudes]:
        now = now.with_creature(name, altitude=state.creatures[name].stood_ft)
    for turn, name in enumerate(order):
        path, altitude = wanted.paths[name], wanted.altitudes.get(name)
        if is_misled(movements, settled, name):
            again = react_again(movements, settled, find_companions(movements, name, order[:turn]))
            path, altitude = again.paths[name], again.altitudes.get(name)
            wanted = wanted.with_route(name, path, altitude)
        followers = [other for other in movements.reacting if (other, name) in movements.problem.behind]
        mine = [other for other in movements.problem.made_in if movements.are_settled(name, other)]
        gone = [other for other in mine if other in settled.paths and movements.comes_before(other, name)]
        absent = (*followers, *[other for other in mine if other not in gone])
        far = follow_path(movements.problem, now, name, path, Past(absent, gone), altitude)
        settled = settled.with_route(name, far, altitude, wanted.whole(name))
        now = place_movers(now, Routes(paths={name: far}, altitudes=settled.altitudes))
    return settled


@enforces(RI_REAC_6)
def put_reactions_last(order: Sequence[str], behind: Pairs) -> tuple[str, ...]:
    """Return *order* with each reacting creature after the one it reacts to."""
    place = {name: at for at, name in enumerate(order)}
    ahead = dict.fromkeys(order, 0)
    after: dict[str, list[str]] = {name: [] for name in order}
    for name, other in behind:
        if name in place and other in place and name != other:
            ahead[name] += 1
            after[other].append(name)
    free = [place[name] for name in order if not ahead[name]]
    found: dict[str, None] = {}
    for first in order:
        while first not in found:
            if not free:
                free.append(place[first])  # those that are left run in a circle
            name = order[heappop(free)]
            found[name] = None
            for other in after[name]:
                ahead[other] -= 1
                if not ahead[other] and other not in found:
                    heappush(free, place[other])
    return tuple(found)


# --- the solver ----------------------------------------------------------------------------------------
# Blocks first, then riders mount, then everybody moves at once. The solver is a function of the problem
# alone: it rolls no die, asks nobody and emits nothing. If it lacks an order of initiative it says whose,
# and is called again with a state in which it is known.


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
    rings = order_reactions(problem.intents)
    reacting = [name for ring in rings for name in ring]
    movements = Movements(
        problem=problem,
        state=mount_riders(problem.intents.state, mounted),
        wanted=wanted,
        meant=meant,
        reacting={name: plans[name].targets for name in reacting if name not in hindered},
        steady=tuple([name for ring in rings for name in ring if len(ring) > RING]),
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
