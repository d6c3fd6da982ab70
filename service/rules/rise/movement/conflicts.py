"""Resolve movements that cannot all happen: initiative ranks them, and later ones go as far as they can.

Movements are one global step; nobody re-plans. Most paths do not conflict, and then no die is thrown.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple, TypeAlias

from service.rules.chance import Chance
from service.rules.grid import Cell, cells
from service.rules.messages import Event, Fact
from service.rules.records import EMPTY, record
from service.rules.rise.creatures.creature import above
from service.rules.rise.movement.initiative import ranked
from service.rules.rise.questions import answer
from service.rules.rise.rulings import ruled_on
from service.rules.rise.space.paths import BIG_ENOUGH, is_passable, walk
from service.rules.rise.state import State
from service.rules.rulebook import rule

Paths: TypeAlias = Mapping[str, tuple[Cell, ...]]
Pairs: TypeAlias = Sequence[tuple[str, str]]
"""Who moves along behind whom: the first follows or pushes the second."""
Settled: TypeAlias = Generator[Fact[State], State, tuple[State, Paths]]


class Around(NamedTuple):
    """What surrounds movements that are settled together."""

    behind: Pairs = ()
    past: Mapping[str, tuple[str, ...]] = EMPTY
    """Who stands in a mover's way no more: its group settled that, or it has run them over."""


class Doubt(NamedTuple):
    """Movements that cannot all happen, unless the GM says otherwise to the question."""

    question: str
    creatures: tuple[str, ...]


Found: TypeAlias = Generator[Fact[State], State, tuple[State, bool]]
FAR = 1_000_000
"""Feet enough for any path that was paid for when it was planned."""
MANY = 3
"""Conflicts in one phase from which plans are over-complicated."""


@record
class ConflictFound(Event[State]):
    """Movements that cannot all happen, and the order in which they resolve."""

    type: ClassVar[str] = "conflict_found"
    creatures: tuple[str, ...]
    order: tuple[str, ...]
    warning: str = ""

    def evolve(self, state: State) -> State:
        return state


def ending(state: State, paths: Paths) -> State:
    """Return the state as it is when all *paths* have been walked."""
    for name, path in paths.items():
        if path:
            state = state.with_creature(name, position=path[-1])
    return state


@rule("RI-CONF-1", "P64", settles=("C-13",))
def conflicts(state: State, paths: Paths, around: Around) -> list[Doubt]:
    """Movements conflict that end in one space, or that need a space in which an enemy ends."""
    after = ending(state, paths)
    sets: list[tuple[str, ...]] = []
    for name in [name for name, path in paths.items() if path]:
        against = [
            other
            for other in met(after, around, name)
            if clash(after, paths, name, other, follows=(other, name) in around.behind)
        ]
        if against:
            sets = joined(sets, (name, *against))
    found = [Doubt("conflict_exists", names) for names in sets]
    found += [Doubt("swap_conflict", pair) for pair in swaps(state, paths, around)]
    return [doubt for doubt in found if ruled_on(state, doubt.question, doubt.creatures) != "no"]


def met(state: State, around: Around, name: str) -> list[str]:
    """Return who may be in the way of *name*."""
    return [other for other in state.creatures if other != name and other not in around.past.get(name, ())]


def swaps(state: State, paths: Paths, around: Around) -> list[tuple[str, ...]]:
    """Return the pairs that change places with no room to pass."""
    found = [
        tuple(sorted((name, other)))
        for name, path in paths.items()
        for other in met(state, around, name)
        if path and head_on(state, paths, name, other)
    ]
    return list(dict.fromkeys(found))


def clash(after: State, paths: Paths, name: str, other: str, *, follows: bool) -> bool:
    """Tell whether *name* cannot move as *other* ends; whoever comes behind it is not in its way."""
    a, b = after.creatures[name], after.creatures[other]
    if b.dead or b.defeated or abs(a.rank - b.rank) >= BIG_ENOUGH or name == b.mount or other == a.mount:
        return False
    if above(a, b):
        return False
    taken = cells(b.position, b.space)
    if any(cell in taken for cell in cells(a.position, a.space)):
        return True
    hostile = "enemy" in (after.attitude(name, other), after.attitude(other, name))
    return (
        hostile
        and not follows
        and any(cell in taken for step in paths[name] for cell in cells(step, a.space))
    )


def head_on(state: State, paths: Paths, name: str, other: str) -> bool:
    """Tell whether two change places with no room to pass."""
    mine, theirs = paths[name], paths.get(other, ())
    a, b = state.creatures[name], state.creatures[other]
    if b.position not in mine or a.position not in theirs or is_passable(state, a, b):
        return False
    between = (a.position, *mine[: mine.index(b.position) + 1])
    return all(is_narrow(state, at, to) for at, to in pairwise(between))


def is_narrow(state: State, at: Cell, to: Cell) -> bool:
    """Tell whether a step leads between walls, with room for one."""
    dx, dy = to[0] - at[0], to[1] - at[1]
    if dx and dy:
        return False
    sides = [(cell[0] + k * dy, cell[1] + k * dx) for cell in (at, to) for k in (-1, 1)]
    return all(state.ground(cell) == "wall" for cell in sides)


def joined(sets: list[tuple[str, ...]], new: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return *sets* with *new*, those that overlap made one."""
    touching = [known for known in sets if any(name in known for name in new)]
    rest = [known for known in sets if known not in touching]
    return [*rest, tuple(sorted(dict.fromkeys([*new, *(n for known in touching for n in known)])))]


@rule("RI-CONF-5", "P40, P66")
def settle(state: State, chance: Chance, wanted: Paths, around: Around, notes: list[Event[State]]) -> Settled:
    """Initiative is rolled only where it is strictly needed; whoever merely is outrun is in no conflict.

    What was found goes to *notes*, to be told when nobody is asked any more.
    """
    paths = dict(lifted(state, wanted, around))
    members: dict[str, str] = {}
    found = 0
    while doubts := conflicts(state, paths, around):
        names = tuple(dict.fromkeys([*members, *(name for doubt in doubts for name in doubt.creatures)]))
        if len(names) == len(members):
            break
        state, exist = yield from all_exist(state, doubts)
        if not exist:
            continue
        members = dict.fromkeys(names, "")
        found += len(doubts)
        order: tuple[str, ...]
        state, order = yield from ranked(state, chance, [name for name in names if wanted.get(name)])
        notes.append(
            ConflictFound(creatures=names, order=order, warning=too_many(found), because=("RI-CONF-2",))
        )
        paths = dict(walked(state, wanted, paths, order, around))
    return state, paths


def all_exist(state: State, doubts: Sequence[Doubt]) -> Found:
    """Tell that conflicts were found, and return whether the GM lets all of them be ones."""
    said = []
    for doubt in doubts:
        state, chosen = yield from answer(state, doubt.question, doubt.creatures)
        said.append(chosen)
    return state, "no" not in said


@rule("RI-CONF-7", "R4")
def too_many(found: int) -> str:
    """Many initiative checks in one movement phase are a sign of over-complicated plans."""
    return "plans are over-complicated" if found > MANY else ""


def lifted(state: State, wanted: Paths, around: Around) -> Paths:
    """Return how far each path leads when only creatures that stay where they are stand in the way."""
    movers = tuple([name for name, path in wanted.items() if path])
    return {
        name: walk(state, state.creatures[name], path, FAR, (*movers, *around.past.get(name, ()))).cells
        for name, path in wanted.items()
    }


@rule("RI-CONF-2", "P64-65")
def walked(state: State, wanted: Paths, paths: Paths, order: Sequence[str], around: Around) -> Paths:
    """Those in conflict resolve one after the other, from the highest check down, each completely."""
    settled = {name: path for name, path in paths.items() if name not in order}
    now = ending(state, settled)
    for name in order:
        path = as_far_as_possible(now, name, wanted[name], around.past.get(name, ()))
        settled[name] = path
        now = ending(now, {name: path})
    return settled


@rule("RI-CONF-3", "P65", settles=("C-14",))
def as_far_as_possible(
    now: State, name: str, path: tuple[Cell, ...], past: Sequence[str]
) -> tuple[Cell, ...]:
    """Whoever comes later follows its chosen path as far as it can and stops there; what is left is lost."""
    return into_one_space(now, name, path, past)


@rule("RI-CONF-4", "P65")
def into_one_space(now: State, name: str, path: tuple[Cell, ...], past: Sequence[str]) -> tuple[Cell, ...]:
    """Where several want one space the best check enters it, and the others stop on running into it."""
    return walk(now, now.creatures[name], path, FAR, past).cells
