"""Resolve movements that cannot all happen: initiative ranks them, and later ones go as far as they can.

Movements are one global step; nobody re-plans. Most paths do not conflict, and then no die is thrown.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from service.dice.values import Roll, Term
from service.rules.chance import Chance, Pip
from service.rules.grid import Cell, cells
from service.rules.messages import Event, Fact, Tale
from service.rules.records import changed, record, with_key
from service.rules.rise.numbers import speed_of, tired
from service.rules.rise.paths import BIG_ENOUGH, walk
from service.rules.rise.state import Creature, State
from service.rules.rulebook import rule

Paths: TypeAlias = Mapping[str, tuple[Cell, ...]]
Pairs: TypeAlias = Sequence[tuple[str, str]]
"""Who moves along behind whom: the first follows or pushes the second."""
Settled: TypeAlias = Generator[Fact[State], State, tuple[State, Paths]]
FAR = 1_000_000
"""Feet enough for any path that was paid for when it was planned."""
MANY = 3
"""Conflicts in one phase from which plans are over-complicated."""


@record
class InitiativeRolled(Event[State]):
    """A creature's initiative check of this phase, or its re-roll of a tie."""

    type: ClassVar[str] = "initiative_rolled"
    creature: str
    total: int

    def evolve(self, state: State) -> State:
        known = (*state.initiative.get(self.creature, ()), self.total)
        return changed(state, initiative=with_key(state.initiative, self.creature, known))


@record
class ConflictFound(Event[State]):
    """Movements that cannot all happen, and the order in which they resolve."""

    type: ClassVar[str] = "conflict_found"
    creatures: tuple[str, ...]
    order: tuple[str, ...]
    warning: str = ""

    def evolve(self, state: State) -> State:
        return state


@rule("RI-INIT-1", "P64; CM", settles=("C-12",))
def initiative_terms(state: State, creature: Creature) -> tuple[Term, ...]:
    """An initiative check is a d10 and Dexterity; it is no attack and never explodes."""
    if state.option("initiative") == "speed":
        base = Term(amount=speed_of(state, creature) // 5, what="speed", rule="RI-INIT-1")
    else:
        base = Term(amount=creature.sheet.dexterity, what="dexterity", rule="RI-INIT-1")
    return (base, *as_check(creature))


@rule("RI-INIT-2", "CH4")
def as_check(creature: Creature) -> tuple[Term, ...]:
    """Initiative is a check, so fatigue counts."""
    return tired(creature)


def roll_initiative(state: State, chance: Chance, creature: str) -> Tale[State]:
    """Tell one more initiative roll of *creature* in this phase."""
    number = len(state.initiative.get(creature, ())) + 1
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=creature,
        stream=f"{creature}/initiative/{state.stage}/{number}",
        purpose={"who": creature, "what": "initiative"},
        pool=(Pip(role="initiative", sides=10),),
        terms=initiative_terms(state, state.creatures[creature]),
    )
    return (yield InitiativeRolled(creature=creature, total=roll.total, because=("RI-INIT-1",)))


@rule("RI-INIT-4", "service ruling", settles=("C-11",))
def ranked(
    state: State, chance: Chance, creatures: Iterable[str]
) -> Generator[Fact[State], State, tuple[State, tuple[str, ...]]]:
    """One initiative check serves a creature for all conflicts of a phase."""
    names = sorted(creatures)
    for name in names:
        if name not in state.initiative:
            state = yield from roll_initiative(state, chance, name)
    while tied := ties(state, names):
        state = yield from break_ties(state, chance, tied)
    order = sorted(names, key=lambda name: state.initiative[name], reverse=True)
    return state, tuple(order)


def ties(state: State, names: Sequence[str]) -> list[str]:
    """Return those of *names* whose checks are equal to another's."""
    known = [state.initiative[name] for name in names]
    return [name for name in names if known.count(state.initiative[name]) > 1]


@rule("RI-INIT-3", "CM", settles=("C-11",))
def break_ties(state: State, chance: Chance, tied: Sequence[str]) -> Tale[State]:
    """Creatures with equal checks, and only they, roll again among themselves."""
    for name in tied:
        state = yield from roll_initiative(state, chance, name)
    return state


# --- conflicts ---------------------------------------------------------------------------------------


def ending(state: State, paths: Paths) -> State:
    """Return the state as it is when all *paths* have been walked."""
    for name, path in paths.items():
        if path:
            state = state.with_creature(name, position=path[-1])
    return state


@rule("RI-CONF-1", "P64", settles=("C-13",))
def conflicts(
    state: State, paths: Paths, behind: Pairs = (), past: Sequence[str] = ()
) -> list[tuple[str, ...]]:
    """Movements conflict that end in one space, or that need a space in which an enemy ends."""
    after = ending(state, paths)
    sets: list[tuple[str, ...]] = []
    for name in [name for name, path in paths.items() if path]:
        against = [
            other
            for other in after.creatures
            if other != name
            and other not in past
            and clash(after, paths, name, other, follows=(other, name) in behind)
        ]
        if against:
            sets = joined(sets, (name, *against))
    return sets


def clash(after: State, paths: Paths, name: str, other: str, *, follows: bool) -> bool:
    """Tell whether *name* cannot move as *other* ends; whoever comes behind it is not in its way."""
    a, b = after.creatures[name], after.creatures[other]
    if b.dead or b.defeated or abs(a.rank - b.rank) >= BIG_ENOUGH or name == b.mount or other == a.mount:
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


def joined(sets: list[tuple[str, ...]], new: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return *sets* with *new*, those that overlap made one."""
    touching = [known for known in sets if any(name in known for name in new)]
    rest = [known for known in sets if known not in touching]
    return [*rest, tuple(sorted(dict.fromkeys([*new, *(n for known in touching for n in known)])))]


@rule("RI-CONF-5", "P40, P66")
def settle(
    state: State, chance: Chance, wanted: Paths, behind: Pairs = (), past: Sequence[str] = ()
) -> Settled:
    """Initiative is rolled only where it is strictly needed; whoever merely is outrun is in no conflict.

    *past* are creatures that stand in nobody's way here: whether they did was settled by each mover's group.
    """
    paths = dict(lifted(state, wanted, past))
    members: dict[str, str] = {}
    found = 0
    while sets := conflicts(state, paths, behind, past):
        names = tuple(dict.fromkeys([*members, *(name for group in sets for name in group)]))
        if len(names) == len(members):
            break
        members = dict.fromkeys(names, "")
        found += len(sets)
        order: tuple[str, ...]
        state, order = yield from ranked(state, chance, [name for name in names if wanted.get(name)])
        state = yield ConflictFound(
            creatures=names, order=order, warning=too_many(found), because=("RI-CONF-2",)
        )
        paths = dict(walked(state, wanted, paths, order, past))
    return state, paths


@rule("RI-CONF-7", "R4")
def too_many(found: int) -> str:
    """Many initiative checks in one movement phase are a sign of over-complicated plans."""
    return "plans are over-complicated" if found > MANY else ""


def lifted(state: State, wanted: Paths, past: Sequence[str] = ()) -> Paths:
    """Return how far each path leads when only creatures that stay where they are stand in the way."""
    movers = (*[name for name, path in wanted.items() if path], *past)
    return {
        name: walk(state, state.creatures[name], path, FAR, movers).cells for name, path in wanted.items()
    }


@rule("RI-CONF-2", "P64-65")
def walked(
    state: State, wanted: Paths, paths: Paths, order: Sequence[str], past: Sequence[str] = ()
) -> Paths:
    """Those in conflict resolve one after the other, from the highest check down, each completely."""
    settled = {name: path for name, path in paths.items() if name not in order}
    now = ending(state, settled)
    for name in order:
        path = as_far_as_possible(now, name, wanted[name], past)
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
