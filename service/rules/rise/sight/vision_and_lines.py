"""Find out who is an ally, who can be reached, and which straight ways lead over the grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, starmap
from typing import Final, NamedTuple, TypeVar

from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed, derived
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.body.aerial_movement import climb_ft
from service.rules.rise.body.movement_and_positioning import (
    budget_of,
    flown,
    in_the_way,
    is_shut,
    leaving,
    occupant,
    once_up,
    standing_in,
    step_feet,
)
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.state import State
from service.rules.space.compact import StraightPaths
from service.rules.space.grid import FEET, STEPS, Cell, is_near_edge, line

# --- allies --------------------------------------------------------------------------------------------

RI_GROUP_7: Final = Rule(
    "RI-GROUP-7",
    "A creature that cannot communicate with any ally is a group of its own.",
    books.TIME.at("Resolving Actions"),
)
RI_GROUP_2: Final = Rule(
    "RI-GROUP-2",
    "To be allies takes both to say so; to be enemies one is enough.",
    books.SPECIAL.at("Allies and Enemies"),
)


@enforces(RI_GROUP_7)
def may_join(state: State, name: str, other: str) -> bool:
    """Return whether two creatures are allies that can communicate."""
    both = state.creatures[name].sheet.communicates and state.creatures[other].sheet.communicates
    return both and are_allies(state, name, other)


@enforces(RI_GROUP_2)
def are_allies(state: State, name: str, other: str) -> bool:
    """Return whether two creatures are allies."""
    return state.attitude(name, other) == "ally" and state.attitude(other, name) == "ally"


# --- reach ---------------------------------------------------------------------------------------------
# Range and lines of effect, all on the positions a group knows.

RI_ATK_1: Final = Rule(
    "RI-ATK-1",
    "An attack is a d10 and accuracy against each defense it names; it needs range and a clear line.",
    books.ATTACKS.at("Attack Rolls"),
)


V = TypeVar("V")
CLOSE: Final = 2
"""Cells up to which it takes less to look at the cells around a creature than at everybody."""


@enforces(RI_ATK_1)
def check_reach(
    view: State, user: Creature, target: Creature, reach_ft: int, *, touching: bool = False
) -> None:
    """Refuse a target that is out of range, or that something solid hides."""
    if not is_near(view.span(user, target), reach_ft, touching=touching):
        if touching:
            raise Refused("not_adjacent", f"{target.id} is not adjacent to {user.id}", RI_ATK_1.id)
        raise Refused("target_out_of_range", f"{target.id} is out of reach of {user.id}", RI_ATK_1.id)
    if not has_line(view, user, target):
        raise Refused("no_line_of_effect", f"something stands between {user.id} and {target.id}", RI_ATK_1.id)


def is_near(span: tuple[int, int], reach_ft: int, *, touching: bool) -> bool:
    """Return whether *reach_ft* is enough between two creatures: neighbours are always in range."""
    feet, straight_ft = span
    return straight_ft <= FEET or (not touching and feet <= reach_ft)


def is_reached(view: State, user: Creature, target: Creature, reach_ft: int, *, touching: bool) -> bool:
    """Return whether `check_reach` allows *user* this target."""
    return is_near(view.span(user, target), reach_ft, touching=touching) and has_line(view, user, target)


def has_line(view: State, user: Creature, target: Creature) -> bool:
    """Return whether no wall lies between two creatures."""
    if view.is_plain:
        return True
    return is_clear(view, *nearest(view.body(user), view.body(target)))


def in_reach(view: State, user: Creature, reach_ft: int, *, touching: bool = False) -> tuple[str, ...]:
    """Return the others that `check_reach` allows *user*, in the order in which they entered the fight."""

    def find(_: State) -> tuple[str, ...]:
        most = 0 if touching else reach_ft
        near = [other for other, (feet, flat) in spans(view, user) if flat <= FEET or feet <= most]
        if not view.is_plain:
            near = [other for other in near if has_line(view, user, other)]
        return tuple([other.id for other in near])

    return known_of(view, user, f"in reach/{reach_ft}/{touching}", find)


def spans(view: State, user: Creature) -> tuple[tuple[Creature, tuple[int, int]], ...]:
    """Return everybody else, each with how far it is from *user*."""

    def find(_: State) -> tuple[tuple[Creature, tuple[int, int]], ...]:
        return tuple(
            [(other, view.span(user, other)) for other in view.creatures.values() if other.id != user.id]
        )

    return known_of(view, user, "spans", find)


def reaching(
    view: State, user: Creature, reach_ft: int, *, touching: bool
) -> Callable[[Cell], Sequence[Creature]]:
    """Return the function of a cell that returns whom `check_reach` allows *user*, if it stands there.

    That may include *user* itself.
    """

    def reached(others: Sequence[Creature], at: Cell) -> Sequence[Creature]:
        there = changed(user, position=at) if others else user
        return [other for other in others if is_reached(view, there, other, reach_ft, touching=touching)]

    reach = max(reach_ft, FEET) // FEET
    if reach > CLOSE or view.body(user) is not user:
        everybody = tuple(view.creatures.values())
        return lambda at: reached(everybody, at)
    neighbours = derived(view, f"around/{user.space}/{reach}", lambda _: _around(view, user.space, reach))
    if reach_ft <= FEET and view.is_plain and not derived(view, "heights", _are_heights):
        return lambda at: neighbours.get(at, ())  # on open and level ground these are its neighbours
    return lambda at: reached(neighbours.get(at, ()), at)


def _are_heights(view: State) -> bool:
    """Return whether creatures are at different heights."""
    return len({creature.altitude for creature in view.creatures.values()}) > 1


def _around(view: State, side: int, reach: int) -> Mapping[Cell, Sequence[Creature]]:
    """Return who is within *reach* cells, by the place of a space *side* cells wide."""
    found: dict[Cell, list[Creature]] = {}
    for other in view.creatures.values():
        body = view.body(other)
        (x, y), more = body.position, body.space + reach
        for i in range(x - side - reach + 1, x + more):
            for j in range(y - side - reach + 1, y + more):
                found.setdefault((i, j), []).append(other)
    return found


def known_of(view: State, creature: Creature, what: str, find: Callable[[State], V]) -> V:
    """Return what *find* finds on *view* for *creature*: once for the creature as it is there."""
    if view.creatures.get(creature.id) is not creature:
        return find(view)
    return derived(view, f"{what}/{creature.id}", find)


def targets_of(view: State, user: Creature, names: Sequence[str], reach_ft: int) -> Iterator[Creature]:
    """Yield the targets called *names*; refused where one is not there, out of reach, or named twice."""
    for number, name in enumerate(names):
        target = view.creatures.get(name)
        if target is None or name in names[:number]:
            raise Refused(
                "invalid_target", f"{name} is not in this fight, or is a target already", "RI-ATK-1"
            )
        if name != user.id:
            check_reach(view, user, target, reach_ft)
        yield target


def is_clear(view: State, start: Cell, end: Cell) -> bool:
    """Return whether no wall lies between two cells."""
    if view.is_plain:
        return True
    if any(view.is_solid(cell) for cell in between(start, end)):
        return False
    bars = view.bars()
    return bars is None or not any(starmap(bars, pairwise((start, *between(start, end), end))))


def between(start: Cell, end: Cell) -> Iterator[Cell]:
    """Yield the cells that the straight line from *start* to *end* passes, both ends left out."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    steps = max(abs(dx), abs(dy))
    for i in range(1, steps):
        yield (start[0] + _nearest(dx * i, steps), start[1] + _nearest(dy * i, steps))


def _nearest(part: int, whole: int) -> int:
    """Return part / whole, rounded to the nearest whole number; halves go away from zero."""
    sign = 1 if part >= 0 else -1
    return sign * ((2 * abs(part) + whole) // (2 * whole))


def nearest(a: Creature, b: Creature) -> tuple[Cell, Cell]:
    """Return the cells of two spaces that lie nearest each other."""
    return facing(a.position, a.space, b.position, b.space)


def facing(a: Cell, a_side: int, b: Cell, b_side: int) -> tuple[Cell, Cell]:
    """Return the cells of two spaces, given by corner and side, that lie nearest each other."""
    x, y = (_facing(a[i], a_side, b[i], b_side) for i in (0, 1))
    return (x[0], y[0]), (x[1], y[1])


def _facing(a: int, a_side: int, b: int, b_side: int) -> tuple[int, int]:
    """Return where two spaces come nearest along one axis."""
    common = max(a, b)
    return min(common, a + a_side - 1), min(common, b + b_side - 1)


# --- straight ways -------------------------------------------------------------------------------------
# What is offered where a movement, a charge or a run may go. Commands take any path; these are the ones that
# options name, in eight directions and at every length.


def feet_offered(
    view: State,
    creature: Creature,
    mode: str = "land",
    *,
    ability: str = "move",
    sprint: bool = False,
    stand_up: bool = False,
) -> int:
    """Return how far *creature* may be offered to go, -1 where it may not set out at all."""
    try:
        feet = (once_up if stand_up else budget_of)(view, creature, mode, sprint=sprint)
        return feet - climb_ft(creature, ability, mode, None)
    except Refused:
        return -1


class Way(NamedTuple):
    """A straight path as it is found: who is on it, whether it is open, and whether it may end there."""

    step: Cell
    length: int
    end: Cell
    others: tuple[str, ...]
    is_open: bool
    ends: bool

    @property
    def line(self) -> tuple[Cell, int]:
        """Its direction and its length."""
        return self.step, self.length


def straight(
    view: State, creature: Creature, feet: int, *, through: bool = False, high: int | None = None
) -> StraightPaths:
    """Return every straight path of up to *feet* that ends in a free space; *through* others if so wanted.

    *high* is how high a flight ends.
    """
    if feet < FEET:
        return StraightPaths(start=creature.position, paths=())

    def choose(_: State) -> StraightPaths:
        found = ways(view, creature, feet, high)
        chosen = [way.line for way in found if way.ends and (through or way.is_open)]
        return StraightPaths.of(creature.position, chosen)

    return known_of(view, creature, f"straight/{feet}/{high}/{through}", choose)


def ways(view: State, creature: Creature, feet: int, high: int | None) -> tuple[Way, ...]:
    """Return the straight ways of up to *feet* that no wall ends, past creatures too.

    *high* is how high a flight ends.
    """
    if feet < FEET:
        return ()

    def find(_: State) -> tuple[Way, ...]:
        return tuple([way for step in STEPS for way in along(view, creature, step, feet, high)])

    return known_of(view, creature, f"ways/{feet}/{high}", find)


def along(view: State, creature: Creature, step: Cell, feet: int, high: int | None) -> Iterator[Way]:
    """Yield the ways of up to *feet* in one direction, up to a wall."""
    passing, ending = flown(creature, high)
    others: tuple[str, ...] = ()
    spent, at, is_open = 0, creature.position, True
    is_plain = view.is_plain and not is_near_edge(creature.position)
    occupied, is_small = view.occupied, creature.space == 1
    for length, cell in enumerate(line(creature.position, step, feet // FEET), 1):
        spent += step_feet(at, cell, length - 1)
        if not is_plain:
            spent += leaving(view, creature, at)
        if spent > feet or (not is_plain and is_shut(view, creature, at, cell)):
            return
        at = cell
        if is_small and cell not in occupied:  # most cells are empty, and most creatures fill one
            yield Way(step, length, cell, others, is_open, ends=True)
            continue
        here = standing_in(view, creature, cell)
        if here:
            others = tuple(dict.fromkeys((*others, *here)))
            is_open = is_open and in_the_way(view, passing, cell) is None
        yield Way(step, length, cell, others, is_open, not here or occupant(view, ending, cell) is None)


def onto(creature: Creature, goal: tuple[Cell, ...], feet: int) -> Iterator[tuple[Cell, int]]:
    """Yield the straight paths, as direction and length, that enter one of the cells *goal*.

    The only one is that of length 0 if the creature is there.
    """
    if creature.position in goal:
        yield (1, 0), 0
        return
    for step in STEPS:
        for length, cell in enumerate(line(creature.position, step, max(0, feet) // FEET), 1):
            if cell in goal:
                yield step, length
                break
