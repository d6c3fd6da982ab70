"""Tell what an attack does to hit points: its damage roll, its halves and multiples."""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar

from service.dice.values import Roll, Term
from service.rules.chance import Chance, Pip
from service.rules.messages import Event, Fact, Tale
from service.rules.records import record
from service.rules.rise.effects import note
from service.rules.rise.lasting import Atom
from service.rules.rise.numbers import halved
from service.rules.rise.outcomes import Outcome, at_least, may_be_crit, weapon_damage
from service.rules.rise.sheet import Sort, Strike
from service.rules.rise.state import State
from service.rules.rise.uses import Aim
from service.rules.rulebook import rule


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
) -> Tale[State]:
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


@rule("RI-DMG-2", "BK 5.1", settles=("C-40",))
def damage_amount(
    state: State, chance: Chance, aim: Aim, strike: Strike, multiple: int
) -> Generator[Fact[State], State, tuple[State, int]]:
    """A critical hit rolls its damage dice once more for each multiple and multiplies the rest."""
    target = state.creatures[aim.target]
    times = 1 + (multiple if may_be_crit(target) else 0)
    rolls_again = state.option("crit_mode") == "roll"
    dice = strike.dice * (times if rolls_again else 1)
    flat = weapon_damage(state.creatures[aim.assault.user], strike)
    if not dice:
        return state, flat * times
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=aim.assault.user,
        stream=f"{aim.assault.user}/damage",
        purpose={"who": aim.assault.user, "whom": aim.target, "what": aim.assault.what},
        pool=[Pip(role="damage", sides=sides) for sides in dice],
        terms=(Term(amount=flat * (times if rolls_again else 1), what="flat damage", rule="RI-DMG-1"),),
    )
    return state, roll.total * (1 if rolls_again else times)
