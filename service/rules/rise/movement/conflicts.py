"""Resolve movements that cannot all happen: initiative ranks them, and later ones go as far as they can.

Movements are one global step; nobody re-plans. Most paths do not conflict, and then no die is thrown.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple, TypeAlias

from service.rules.chance import Chance
from service.rules.grid import Cell, cells
from service.rules.messages import Event, Fact
from service.rules.records import EMPTY, changed, record
from service.rules.rise.creatures.creature import Creature, above, on_its_way
from service.rules.rise.harm.treading import before_hidden_creatures
from service.rules.rise.movement.initiative import ranked
from service.rules.rise.questions import answer
from service.rules.rise.rulings import ruled_on
from service.rules.rise.space.paths import BIG_ENOUGH, flown, is_passable, walk
from service.rules.rise.state import State
from service.rules.rulebook import rule

Paths: TypeAlias = Mapping[str, tuple[Cell, ...]]
Pairs: TypeAlias = Sequence[tuple[str, str]]
"""Who moves along behind whom: the first follows or pushes the second."""


class Ways(NamedTuple):
    """Movements as far as they are known: the cells entered, and how high those end that go up or down."""

    paths: Paths = EMPTY
    highs: Mapping[str, int] = EMPTY
    left: Paths = EMPTY
    """What is left of those that were not gone to their end."""

    def joined(
        self, name: str, path: tuple[Cell, ...], high: int | None, whole: tuple[Cell, ...] = ()
    ) -> Ways:
        """Return these with one more, or with another way for *name*: so far of the *whole*."""
        highs = self.highs if high is None else {**self.highs, name: high}
        return Ways({**self.paths, name: path}, highs, {**self.left, name: whole[len(path) :]})

    def without(self, names: Sequence[str]) -> Ways:
        """Return these but for those of *names*."""
        kept = {name: path for name, path in self.paths.items() if name not in names}
        return self._replace(paths=kept)


Settled: TypeAlias = Generator[Fact[State], State, tuple[State, Ways]]


class Reactions(NamedTuple):
    """Movements that go by a rule about others: by what becomes of these, whatever they had meant to do."""

    keyed: Mapping[str, tuple[str, ...]] = EMPTY
    """Whom each reacts to, in the order in which they are led."""
    meant: Ways = Ways()
    """What all movements were meant to be when they were led first."""
    lead: Callable[[Ways, str], tuple[tuple[Cell, ...], int | None]] | None = None
    """Leads one anew, by how the others come out."""

    def without(self, names: Sequence[str]) -> Reactions:
        """Return these but for *names*, whom something has stopped."""
        return self._replace(keyed={name: of for name, of in self.keyed.items() if name not in names})


class Around(NamedTuple):
    """What surrounds movements that are settled together."""

    behind: Pairs = ()
    past: Mapping[str, tuple[str, ...]] = EMPTY
    """Who stands in a mover's way no more: its group settled that, or it has run them over."""
    reactions: Reactions = Reactions()


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


def ending(state: State, ways: Ways) -> State:
    """Return the state as it is when all have gone their ways, in the air as on the ground."""
    creatures = dict(state.creatures)
    for name, path in ways.paths.items():
        before = creatures[name]
        there, high = path[-1] if path else before.position, ways.highs.get(name, before.altitude)
        if (there, high) != (before.position, before.altitude):
            creatures[name] = changed(before, position=there, altitude=high)
    return changed(state, creatures=creatures)


@rule("RI-CONF-1", "P64", settles=("C-13",))
def conflicts(state: State, ways: Ways, around: Around) -> list[Doubt]:
    """Movements conflict that end in one space, or that need a space in which an enemy ends."""
    paths, after = ways.paths, ending(state, ways)
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
    found += [Doubt("swap_conflict", pair) for pair in swaps(state, ways, around)]
    return [doubt for doubt in found if ruled_on(state, doubt.question, doubt.creatures) != "no"]


def met(state: State, around: Around, name: str) -> list[str]:
    """Return who may be in the way of *name*."""
    return [other for other in state.creatures if other != name and other not in around.past.get(name, ())]


def swaps(state: State, ways: Ways, around: Around) -> list[tuple[str, ...]]:
    """Return the pairs that change places with no room to pass."""
    found = [
        tuple(sorted((name, other)))
        for name, path in ways.paths.items()
        for other in met(state, around, name)
        if path and head_on(state, ways, name, other)
    ]
    return list(dict.fromkeys(found))


def clash(after: State, paths: Paths, name: str, other: str, *, follows: bool) -> bool:
    """Tell whether *name* cannot move as *other* ends; whoever comes behind it is not in its way."""
    a, b = after.creatures[name], after.creatures[other]
    if b.dead or b.defeated or abs(a.rank - b.rank) >= BIG_ENOUGH or name == b.mount or other == a.mount:
        return False
    taken = cells(b.position, b.space)
    if any(cell in taken for cell in cells(a.position, a.space)) and not above(a, b):
        return True
    if follows or not any(cell in taken for step in paths[name] for cell in cells(step, a.space)):
        return False
    hostile = "enemy" in (after.attitude(name, other), after.attitude(other, name))
    return hostile and not above(on_its_way(a, a.altitude), b)


def head_on(state: State, ways: Ways, name: str, other: str) -> bool:
    """Tell whether two change places with no room to pass."""
    mine, theirs = ways.paths[name], ways.paths.get(other, ())
    a, b = state.creatures[name], state.creatures[other]
    if b.position not in mine or a.position not in theirs or is_passable(state, a, b):
        return False
    if above(_flying(a, ways), _flying(b, ways)):
        return False
    between = (a.position, *mine[: mine.index(b.position) + 1])
    return all(is_narrow(state, at, to) for at, to in pairwise(between))


def _flying(creature: Creature, ways: Ways) -> Creature:
    high = ways.highs.get(creature.id)
    return creature if high is None else on_its_way(creature, high)


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
def settle(state: State, chance: Chance, wanted: Ways, around: Around, notes: list[Event[State]]) -> Settled:
    """Initiative is rolled only where it is strictly needed; whoever merely is outrun is in no conflict.

    What was found goes to *notes*, to be told when nobody is asked any more.
    """
    ways = lifted(state, wanted, around)
    members: dict[str, str] = {}
    found = 0
    while doubts := conflicts(state, ways, around):
        names = tuple(dict.fromkeys([*members, *(name for doubt in doubts for name in doubt.creatures)]))
        if len(names) == len(members):
            break
        state, exist = yield from all_exist(state, doubts)
        if not exist:
            continue
        members = dict.fromkeys(names, "")
        found += len(doubts)
        order: tuple[str, ...]
        state, order = yield from ranked(state, chance, [name for name in names if wanted.paths.get(name)])
        order = no_sooner(order, around)
        notes.append(
            ConflictFound(creatures=names, order=order, warning=too_many(found), because=("RI-CONF-2",))
        )
        ways = walked(state, wanted, ways, order, around)
    return state, ways


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


def lifted(state: State, wanted: Ways, around: Around) -> Ways:
    """Return how far each path leads when only creatures that stay where they are stand in the way."""
    ways = Ways(EMPTY, wanted.highs)
    for name, path in wanted.paths.items():
        ways = ways.joined(name, unhindered(state, wanted, around, name, path), None, path)
    return led_again(state, wanted, ways, around, ())


def unhindered(
    state: State, wanted: Ways, around: Around, name: str, path: tuple[Cell, ...]
) -> tuple[Cell, ...]:
    """Return how far *path* leads past everybody who moves."""
    past = [*(other for other, way in wanted.paths.items() if way), *around.past.get(name, ())]
    return gone(state, name, path, past, wanted.highs.get(name))


def gone(
    now: State, name: str, path: tuple[Cell, ...], past: Sequence[str], high: int | None
) -> tuple[Cell, ...]:
    """Return how far *path* leads: to whoever stands in the way, or to a hidden creature in it."""
    creature = now.creatures[name]
    open_ = before_hidden_creatures(now, flown(creature, high)[0], path)
    return walk(now, creature, open_, FAR, past, high).cells


def led_again(state: State, wanted: Ways, ways: Ways, around: Around, settled: Sequence[str]) -> Ways:
    """Return *ways* with those who react, but for the *settled*, led by what became of whom they react to."""
    for name in around.reactions.keyed:
        if name not in settled and is_otherwise(ways, around, name):
            path, high = led(ways, around, name)
            wanted = wanted.joined(name, path, high)
            ways = ways.joined(name, unhindered(state, wanted, around, name, path), high, path)
    return ways


def is_otherwise(ways: Ways, around: Around, name: str) -> bool:
    """Tell whether somebody to whom *name* reacts ends elsewhere than it was meant to."""
    keyed, meant, _ = around.reactions

    def ends(known: Ways, other: str) -> tuple[object, object]:
        return known.paths.get(other, ())[-1:], known.highs.get(other)

    known = [other for other in keyed.get(name, ()) if other in ways.paths]
    return any(ends(ways, other) != ends(meant, other) for other in known)


def led(ways: Ways, around: Around, name: str) -> tuple[tuple[Cell, ...], int | None]:
    """Return where its rule leads *name* now; whoever is led after it is not looked at."""
    keyed, _, lead = around.reactions
    assert lead is not None, "whoever reacts is led"
    names = list(keyed)
    return lead(ways.without(names[names.index(name) :]), name)


@rule("RI-CONF-2", "P64-65")
def walked(state: State, wanted: Ways, ways: Ways, order: Sequence[str], around: Around) -> Ways:
    """Those in conflict resolve one after the other, from the highest check down, each completely."""
    settled = ways.without(order)
    now = ending(state, settled)
    for name in [name for name in order if name in wanted.highs]:
        now = now.with_creature(name, altitude=state.creatures[name].stood_ft)
    for name in order:
        path, high = wanted.paths[name], wanted.highs.get(name)
        if name in around.reactions.keyed and is_otherwise(settled, around, name):
            path, high = led(settled, around, name)
        led_by_it = [other for other in around.reactions.keyed if (other, name) in around.behind]
        past = (*around.past.get(name, ()), *led_by_it)
        way = as_far_as_possible(now, name, path, past, high)
        settled = settled.joined(name, way, high, path)
        now = ending(now, Ways({name: way}, settled.highs))
    return led_again(state, wanted, settled, around, order)


@rule("RI-REAC-6", "service ruling", settles=("C-19",))
def no_sooner(order: Sequence[str], around: Around) -> tuple[str, ...]:
    """Whoever reacts to a movement, or pushes its mover, resolves after it, whatever their checks."""
    left, found = list(order), []
    while left:
        free = [name for name in left if not any((name, o) in around.behind for o in left if o != name)]
        found.append((free or left)[0])
        left.remove(found[-1])
    return tuple(found)


@rule("RI-CONF-3", "P65", settles=("C-14",))
def as_far_as_possible(
    now: State, name: str, path: tuple[Cell, ...], past: Sequence[str], high: int | None = None
) -> tuple[Cell, ...]:
    """Whoever comes later follows its chosen path as far as it can and stops there; what is left is lost."""
    return into_one_space(now, name, path, past, high)


@rule("RI-CONF-4", "P65")
def into_one_space(
    now: State, name: str, path: tuple[Cell, ...], past: Sequence[str], high: int | None
) -> tuple[Cell, ...]:
    """Where several want one space the best check enters it, and the others stop on running into it."""
    return gone(now, name, path, past, high)
