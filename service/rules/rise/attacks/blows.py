"""Tell what an attack does to hit points: its damage roll, its halves and multiples."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import ClassVar, Final, NamedTuple

from service.dice.values import Roll, Term
from service.rules.kernel.messages import Emits, Event, Fact
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.attacks.outcomes import Outcome, at_least, may_be_crit
from service.rules.rise.attacks.uses import Aim, Assault
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Atom
from service.rules.rise.creatures.sheet import Sort, Strike
from service.rules.rise.harm.effects import note
from service.rules.rise.harm.numbers import halved, in_force
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance, PoolDie

RI_DMG_1: Final = Rule(
    "RI-DMG-1",
    "Damage is dice, a fixed part, half the power, and once for each roll and target what is extra.",
    books.DAMAGE,
)
RI_DMG_2: Final = Rule(
    "RI-DMG-2",
    "A critical hit rolls its damage dice once more for each multiple and multiplies the rest.",
    books.ATTACKS.at("Critical Hits"),
    settles=("C-40",),
)


@record
class DamageRolled(Event[State]):
    """The damage of an attack or ability, before resistance."""

    type: ClassVar[str] = "damage_rolled"
    source: str
    target: str
    amount: int
    sort: Sort

    def evolve(self, state: State) -> State:
        return state


def strike_damage(
    state: State, chance: Chance, aim: Aim, strike: Strike, outcome: Outcome, multiple: int
) -> Emits[State]:
    """Tell the damage roll of an attack and record what it does."""
    glancing = outcome == "glance" or (outcome == "miss" and strike.half_on_miss)
    if outcome == "miss" and not glancing:
        return state
    amount: int
    state, amount = yield from damage_amount(state, chance, aim, strike, multiple)
    user, subdual = aim.assault.user, aim.assault.subdual
    amount = at_least(state, halved(amount, glancing + subdual) if glancing or subdual else amount)
    sort: Sort = "subdual" if subdual else strike.sort
    state = yield DamageRolled(
        source=user, target=aim.target, amount=amount, sort=sort, because=("RI-DMG-1",)
    )
    atom = Atom(seq=0, source=user, target=aim.target, does="damage", amount=amount, sort=sort)
    return (yield from note(state, chance, atom))


class Part(NamedTuple):
    """One part of an attack's damage: what it is for, its dice, its fixed part."""

    what: str
    dice: tuple[int, ...]
    flat: int


@enforces(RI_DMG_1)
def parts(state: State, assault: Assault, strike: Strike) -> tuple[Part, ...]:
    """Return the parts of the damage of *strike*: the weapon's own, and what is extra.

    All of it is halved by a glance and multiplied by a critical hit.
    """
    user = state.creatures[assault.user]
    own = Part("flat damage", strike.dice, strike.flat + user.sheet.power // 2)
    return (own, *(() if assault.spent else extras(user, assault)))


def extras(user: Creature, assault: Assault) -> Iterator[Part]:
    """Yield the extra damage of an attack: what the ability adds, then what lies on its user."""
    for effect in assault.effects:
        if effect.does == "extra":
            yield Part(assault.what, effect.dice, effect.amount)
    for condition in in_force(user):
        flat = condition.modifiers.get("damage", 0)
        if condition.dice or flat:
            yield Part(condition.name, condition.dice, flat)


@enforces(RI_DMG_2)
def damage_amount(
    state: State, chance: Chance, aim: Aim, strike: Strike, multiple: int
) -> Generator[Fact[State], State, tuple[State, int]]:
    """Throw the damage of a hit; return the state and the amount."""
    times = 1 + (multiple if may_be_crit(state.creatures[aim.target]) else 0)
    rolled, multiplied = (times, 1) if state.house.crit_mode == "roll" else (1, times)
    found = parts(state, aim.assault, strike)
    roles = ("damage", *("extra" for _ in found[1:]))
    pool = [
        PoolDie(role=role, sides=sides)
        for role, part in zip(roles, found, strict=True)
        for sides in part.dice * rolled
    ]
    terms = [Term(amount=part.flat * rolled, what=part.what, rule="RI-DMG-1") for part in found]
    if not pool:
        return state, sum(term.amount for term in terms) * multiplied
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=aim.assault.user,
        stream=f"{aim.assault.user}/damage",
        purpose={"who": aim.assault.user, "whom": aim.target, "what": aim.assault.what},
        pool=pool,
        terms=terms,
    )
    return state, roll.total * multiplied
