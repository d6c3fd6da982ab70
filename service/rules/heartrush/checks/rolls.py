"""Build pools and throw them: heart die, ability die, weapon dice, and what advantage adds and drops.

Order of a pool: heart, ability, weapon die, more weapon dice, other dice, then the extras of advantage or
disadvantage. Every source of advantage is recorded with its rule.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple, TypeAlias

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.creatures.lasting import EffectEnded, has, having, influence, untouched
from service.rules.heartrush.harm.conditions import hindrance
from service.rules.heartrush.sheets.modifiers import Explode, Extremes, Rolling
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Event, Fact
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.rolls.chance import Chance, PoolDie

HR_AD_3: Final = Rule(
    "HR-AD-3",
    "Advantage and disadvantage cancel one for one; what remains stacks without limit.",
    books.CHECKS.at("Advantage & Disadvantage"),
)
HR_AD_1: Final = Rule(
    "HR-AD-1",
    "Each level of advantage adds a die of the pool's smallest size, and as many lowest are dropped.",
    books.CHECKS.at("Advantage & Disadvantage"),
)
HR_AD_2: Final = Rule(
    "HR-AD-2",
    "Each level of disadvantage adds a die of the pool's largest size, and as many highest are dropped.",
    books.CHECKS.at("Advantage & Disadvantage"),
)
HR_GEN_6: Final = Rule(
    "HR-GEN-6",
    "Dice are thrown in a fixed order: heart, ability, weapon, others, then the extras of advantage.",
    RULING,
)
HR_AD_4: Final = Rule(
    "HR-AD-4",
    "Effects that look at faces see kept dice alone: each of them at its most adds one of its size.",
    books.CHECKS.at("Advantage & Disadvantage"),
)
HR_AD_5: Final = Rule(
    "HR-AD-5",
    "A leveled condition that gives disadvantage gives as many levels of it as the condition has.",
    books.CONDITIONS.at("Leveled"),
)


Thrown: TypeAlias = Generator[Fact[State], State, tuple[State, Roll]]


class Edge(NamedTuple):
    """One source of advantage (levels above zero) or disadvantage (below)."""

    levels: int
    what: str
    rule: str


@record
class HelpSpent(Event[State]):
    """A creature used up the advantage that help gave it: all of it, of however many helpers."""

    type: ClassVar[str] = "help_spent"
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, help=0)


@enforces(HR_AD_3)
def net(edges: Iterable[Edge]) -> int:
    """Return the sum of the levels of *edges*: advantage is above 0, disadvantage below."""
    return sum(edge.levels for edge in edges)


@enforces(HR_AD_1)
def advantage(pool: Sequence[PoolDie], levels: int) -> tuple[PoolDie, ...]:
    """Return the dice that *levels* of advantage add to *pool*."""
    smallest = min(pip.sides for pip in pool)
    return (PoolDie(role="advantage", sides=smallest),) * levels


@enforces(HR_AD_2)
def disadvantage(pool: Sequence[PoolDie], levels: int) -> tuple[PoolDie, ...]:
    """Return the dice that *levels* of disadvantage add to *pool*."""
    largest = max(pip.sides for pip in pool)
    return (PoolDie(role="disadvantage", sides=largest),) * levels


@enforces(HR_GEN_6)
def throw(  # noqa: PLR0913 - a roll records all of these; a caller gives only what it needs
    state: State,
    chance: Chance,
    *,
    owner: str,
    stream: str,
    purpose: Mapping[str, str],
    pool: Sequence[PoolDie],
    edges: Sequence[Edge] = (),
    terms: Sequence[Term] = (),
    rolling: Rolling | None = None,
    ability: str = "",
) -> Thrown:
    """Throw *pool* and the dice of advantage or disadvantage; return the state and the roll.

    *rolling* and *ability* tell what kind of roll it is, so that abilities can take part in it.
    """
    creature = state.creatures[owner]
    touched = rolling is not None and not untouched(state, creature)
    used: tuple[str, ...] = ()
    if touched and rolling is not None:
        shaped = influence(state, creature, rolling, ability, pool)
        pool, used = shaped.pool, shaped.used
        edges = (*edges, *(Edge(levels, what, "HR-ABIL-2") for levels, what in shaped.levels))
        terms = (*terms, *shaped.terms)
    levels = net(edges)
    extras: tuple[PoolDie, ...] = ()
    if levels:
        extras = advantage(pool, levels) if levels > 0 else disadvantage(pool, -levels)
    thrown = (*pool, *extras)

    def drop(faces: Sequence[int]) -> Sequence[int]:
        return lowest_or_highest(faces[: len(thrown)], levels)

    explodes = touched and rolling == "attack" and has(state, creature, Explode)
    notes = tuple(Term(amount=0, what=f"{edge.what} {edge.levels:+d}", rule=edge.rule) for edge in edges)
    state, roll = yield from chance.throw(
        state,
        owner=owner,
        stream=stream,
        purpose=purpose,
        pool=thrown,
        drop=drop if levels else None,
        more=(lambda faces: explosions(thrown, faces, drop(faces))) if explodes else None,
        terms=(*terms, *notes),
    )
    if touched and rolling is not None:
        return (yield from _aftereffects(state, chance, creature, roll, used))
    return state, roll


def lowest_or_highest(faces: Sequence[int], levels: int) -> Sequence[int]:
    """Return the places of the faces that advantage (levels above zero) or disadvantage drops."""
    sign = 1 if levels > 0 else -1
    ranked = sorted(range(len(faces)), key=lambda i: (sign * faces[i], i))
    return ranked[: abs(levels)]


EXPLOSIONS: Final = 20
"""Dice that exploding may add to one roll."""


@enforces(HR_AD_4)
def explosions(thrown: Sequence[PoolDie], faces: Sequence[int], dropped: Sequence[int]) -> Sequence[PoolDie]:
    """Return the dice that kept dice at their highest face add, given the *faces* known so far."""
    sides = [pip.sides for pip in thrown]
    for i, face in enumerate(faces):
        if i not in dropped and face == sides[i]:
            sides.append(sides[i])
    known = len(faces)
    return tuple(PoolDie(role="explosion", sides=s) for s in sides[known : len(thrown) + EXPLOSIONS])


def _aftereffects(
    state: State, chance: Chance, creature: Creature, roll: Roll, used: tuple[str, ...]
) -> Thrown:
    """Tell what a roll used up, and count its dice at their ends where an ability says so."""
    for extreme, where in having(state, creature, Extremes):
        most = extreme.end == "most"
        amount = sum((die.sides if most else 1) - die.face for die in roll.dice if not die.dropped)
        term = Term(amount=amount, what=f"every die at its {extreme.end}", rule="HR-ABIL-2")
        state, roll = yield from chance.amend(state, owner=creature.id, roll=roll, terms=(term,))
        used = (*used, where.id) if where is not None else used
    for effect in used:
        state = yield EffectEnded(effect=effect, reason="used", because=("HR-ABIL-8",))
    return state, roll


def helped(state: State, creature: str) -> tuple[Edge, ...]:
    """Return the advantage of help for *creature*, a level of each helper; the roll that has it spends it."""
    levels = state.creatures[creature].help
    return (Edge(levels, "help", "HR-ACT-10"),) if levels else ()


def spend_help(state: State, creature: str) -> Generator[Fact[State], State, State]:
    """Tell that help was used, if there was any."""
    if state.creatures[creature].help:
        return (yield HelpSpent(creature=creature, because=("HR-ACT-10",)))
    return state


def ability_die(creature: Creature, ability: str) -> PoolDie:
    """Return the die of an ability as it stands on the sheet."""
    return PoolDie(role=ability, sides=getattr(creature.sheet, ability))


def heart_die(creature: Creature) -> PoolDie:
    """Return the heart die as it is now."""
    return PoolDie(role="heart", sides=creature.heart_die)


@enforces(HR_AD_5)
def hindered(state: State, creature: Creature, ability: str, *, ad: bool = True) -> tuple[Edge, ...]:
    """Return the edge of the conditions that hinder rolls of *creature* with *ability*."""
    level = hindrance(state, creature, ability, ad=ad)
    return (Edge(-level, f"{creature.id} hindered in {ability}", "HR-COND-4"),) if level else ()
