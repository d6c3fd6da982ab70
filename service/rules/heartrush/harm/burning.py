"""Burn: dice at once for every level caught, and again at each round's end until it is put out."""

from __future__ import annotations

from typing import ClassVar, Final

from service.dice.chain import OPEN_LANE
from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.harm.damage import hurt
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame

HR_COND_19: Final = Rule(
    "HR-COND-19",
    "Fire burns 1d6 a level at once and at each round's end; an action puts out half, water all of it.",
    books.CONDITIONS.at("Burning"),
)


@enforces(HR_COND_19)
@record
class BurnFrame(Frame[State]):
    """Fire that is about to hurt: one die for each level."""

    kind: ClassVar[str] = "burn"
    creature: str
    levels: int

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        roll: Roll
        state, roll = yield from chance.throw(
            state,
            owner=self.creature,
            stream=f"{self.creature}/burning",
            purpose={"what": "burning", "burn": self.path},
            pool=(PoolDie(role="burning", sides=6),) * self.levels,
        )
        state = yield Burned(burn=self.path, creature=self.creature)
        return (
            yield from hurt(
                state, f"{self.path}/damage", self.creature, roll.total, source=None, cause="burning"
            )
        )


@record
class FireCaught(Event[State]):
    """Fire hurts a creature now, one die for each level."""

    type: ClassVar[str] = "fire_caught"
    burn: str
    creature: str
    levels: int

    def evolve(self, state: State) -> State:
        return state.pushed(BurnFrame(path=self.burn, creature=self.creature, levels=self.levels))


@record
class Burned(Event[State]):
    """The dice of a fire are known."""

    type: ClassVar[str] = "burned"
    burn: str
    creature: str

    def evolve(self, state: State) -> State:
        return state.popped(self.burn)


@enforces(HR_COND_19)
def burn(state: State, creature: str, levels: int) -> Emits[State]:
    """Tell that fire hurts *creature* now; the frame throws the dice."""
    number = state.place(OPEN_LANE, f"{creature}/burning") + 1
    path = f"r{state.round}/burn/{creature}-{number}"
    return (yield FireCaught(burn=path, creature=creature, levels=levels))
