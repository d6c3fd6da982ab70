"""Hold one use of an ability as it was declared, and tell its single effects.

What was settled at the declaration stands here; how it comes out is the business of `assault`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from service.dice.values import Roll, Term
from service.rules.kernel.messages import Emits
from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.lasting import Atom
from service.rules.rise.creatures.sheet import Effect, Strike
from service.rules.rise.harm.conditions import condition_of
from service.rules.rise.harm.effects import note
from service.rules.rise.space.forced import knocked_back, pushed
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.space.grid import Cell

RI_ATK_11: Final = Rule(
    "RI-ATK-11",
    "A reactive attack, made during another's action, is neither modified nor rolled again.",
    books.GLOSSARY,
)


@record
class Origin:
    """Where an area begins: the corner of a space, its side in cells, and its feet above the ground."""

    at: Cell
    side: int
    altitude: int


@record
class Assault:
    """One use of an ability: who, on whom, and everything that was settled when it was declared."""

    user: str
    what: str
    targets: tuple[str, ...]
    strike: Strike | None = None
    effects: tuple[Effect, ...] = ()
    on_crit: tuple[Effect, ...] = ()
    on_miss: tuple[Effect, ...] = ()
    on_loss: tuple[Effect, ...] = ()
    after: tuple[Effect, ...] = ()
    """What happens to the user once all targets are done, whatever came of it."""
    terms: Mapping[str, int] = EMPTY
    """Bonuses and penalties of this use, by what they are for."""
    defense_terms: Mapping[str, int] = EMPTY
    """What helps the targets with all defenses against this use, by what it is for."""
    willing: tuple[str, ...] = ()
    """Targets that lower their defenses to nothing."""
    subdual: bool = False
    spent: bool = False
    """Whether its extra damage was done by an earlier instance of the same use."""
    fatigue: int = 0
    push: Cell | None = None
    """The direction in which the user pushes whom it hits, moving along."""
    push_ft: int = 0
    reactive: bool = False
    """Whether it is made during somebody else's action."""
    path: tuple[Cell, ...] = ()
    """The line along which the user overruns its targets."""
    area: Origin | None = None
    """Where its area begins: what fills an area seeks nobody out, so nothing hides from it."""
    maneuver: str = ""
    """The brawling maneuver this is, where hitting does more than effects say."""


class Aim(NamedTuple):
    """A use, and one of its targets."""

    assault: Assault
    target: str


@enforces(RI_ATK_11)
def may_modify(assault: Assault) -> bool:
    """Tell whether *assault* may be modified or rolled again."""
    return not assault.reactive


def do(
    state: State, chance: Chance, assault: Assault, effect: Effect, target: str, number: int
) -> Emits[State]:
    """Tell one effect: what it rolls, and what it enters in the log."""
    amount = effect.amount
    if effect.dice and effect.does != "gain":
        roll: Roll
        state, roll = yield from chance.throw(
            state,
            owner=assault.user,
            stream=f"{assault.user}/effect/{number}",
            purpose={"who": assault.user, "whom": target, "what": assault.what},
            pool=[PoolDie(role="effect", sides=sides) for sides in effect.dice],
            terms=(Term(amount=effect.amount, what="fixed", rule="RI-DMG-1"),),
        )
        amount = roll.total
    if effect.does == "push":
        return (yield from pushed(state, chance, assault.user, target, amount))
    if effect.does == "knockback":
        return (yield from knocked_back(state, chance, assault.user, target, amount))
    return (yield from note(state, chance, atom_of(state, assault, effect, target, amount)))


def atom_of(state: State, assault: Assault, effect: Effect, target: str, amount: int) -> Atom:
    """Return what *effect* enters in the log."""
    does = effect.does
    assert does != "push", "forced movement is no single effect"
    assert does != "knockback", "forced movement is no single effect"
    assert does != "extra", "extra damage is part of the attack"
    return Atom(
        seq=0,
        source=assault.user,
        target=target,
        does=does,
        amount=amount,
        sort=effect.sort,
        condition=condition_of(effect, assault.user, state.round) if does == "gain" else None,
        name=effect.condition if does == "lose" else assault.what,
        swift=effect.swift,
    )
