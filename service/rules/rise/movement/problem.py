"""Describe the movements of a phase as a problem, and what the solver answers: an outcome, or what it lacks.

Plain records and what is read off them. A problem holds no dice: it names the creatures whose initiative
counts, and is solved again when their checks are in its state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from service.rules.kernel.records import EMPTY, changed, record
from service.rules.rise.creatures.lasting import Plan
from service.rules.rise.harm.treading import before_hidden_creatures
from service.rules.rise.space.paths import flown, walk
from service.rules.rise.state import State
from service.rules.space.grid import Cell

Paths: TypeAlias = Mapping[str, tuple[Cell, ...]]
Pairs: TypeAlias = Sequence[tuple[str, str]]
"""Who moves along behind whom: the first follows or pushes the second."""

PAID_FT = 1_000_000
"""Feet enough for any path that was paid for when it was planned."""


@record
class Routes:
    """Where creatures move: the cells that each enters, and how high those end that go up or down."""

    paths: Paths = EMPTY
    altitudes: Mapping[str, int] = EMPTY
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
    plans: Mapping[str, Plan]
    sprinting: tuple[str, ...] = ()
    """Who sprints after all to react to others."""
    shaken_off: tuple[str, ...] = ()
    """Followers that do not know where a teleporting creature went."""


@record
class Problem:
    """The movements of one phase, which all happen together."""

    intents: Intents
    state: State
    """The table as it is by now: with the initiative checks and rulings that the solver has asked for."""
    behind: Pairs = ()
    passes: Mapping[str, tuple[str, ...]] = EMPTY
    """Who does not block a mover: its group settled that, or it has run them over."""
    altitudes: Mapping[str, int] = EMPTY
    """How high those end whose flight was settled in their groups."""


class Doubt(NamedTuple):
    """Movements that cannot all happen, unless the GM answers the question otherwise."""

    question: str
    creatures: tuple[str, ...]


@record
class NeedsInitiative:
    """The solver cannot go on without the order of some creatures."""

    contests: tuple[tuple[str, ...], ...]
    """The creatures that have to be ordered among themselves, contest by contest."""
    doubts: tuple[Doubt, ...] = ()
    """Conflicts that the GM may deny before anybody rolls."""
    mounted: Mapping[str, str] = EMPTY
    """Riders who are on another mount by then, and which."""


@record
class Block:
    """A creature that tries to keep another from passing, and whether it does."""

    blocker: str
    creature: str
    blocked: bool


@record
class Conflict:
    """Movements that cannot all happen, and the order in which they resolve."""

    creatures: tuple[str, ...]
    order: tuple[str, ...]
    warning: str = ""


@record
class Outcome:
    """How the movements of a phase come out."""

    routes: Routes
    blocks: tuple[Block, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    mounted: Mapping[str, str] = EMPTY
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
    state: State, name: str, path: tuple[Cell, ...], past: Sequence[str], altitude: int | None
) -> tuple[Cell, ...]:
    """Return the part of *path* that *name* can take: to a creature that blocks it, or to a hidden creature.

    Creatures in *past* do not block it; *altitude* is the height in feet at which a flight ends.
    """
    creature = state.creatures[name]
    open_ = before_hidden_creatures(state, flown(creature, altitude)[0], path)
    return walk(state, creature, open_, PAID_FT, past, altitude).cells


def follow_past_movers(
    state: State, wanted: Routes, passes: Mapping[str, tuple[str, ...]], name: str, path: tuple[Cell, ...]
) -> tuple[Cell, ...]:
    """Return how far *path* leads *name* if only creatures that do not move block it."""
    past = [*(other for other, route in wanted.paths.items() if route), *passes.get(name, ())]
    return follow_path(state, name, path, past, wanted.altitudes.get(name))


def stop_at_standing(state: State, wanted: Routes, passes: Mapping[str, tuple[str, ...]]) -> Routes:
    """Return how far each route leads if only creatures that do not move block it."""
    routes = Routes(altitudes=wanted.altitudes)
    for name, path in wanted.paths.items():
        far = follow_past_movers(state, wanted, passes, name, path)
        routes = routes.with_route(name, far, None, path)
    return routes


def order_behind(plans: Mapping[str, Plan]) -> Pairs:
    """Return who moves along behind whom, also through others: nobody runs into who comes after it."""
    pairs = {(name, target): None for name, plan in plans.items() for target in plan.targets}
    known = 0
    while len(pairs) > known:
        known = len(pairs)
        pairs |= {(a, d): None for a, b in pairs for c, d in pairs if b == c and a != d}
    return tuple(pairs)


def pose(
    state: State,
    plans: Mapping[str, Plan],
    sprinting: tuple[str, ...] = (),
    shaken_off: tuple[str, ...] = (),
) -> Problem:
    """Return the movements of a movement phase as a problem."""
    return Problem(
        intents=Intents(state=state, plans=plans, sprinting=sprinting, shaken_off=shaken_off),
        state=state,
        behind=order_behind(plans),
        passes={name: plan.passes for name, plan in plans.items()},
    )
