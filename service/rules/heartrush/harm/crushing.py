"""Hurt a captive at close quarters: dice of harm instead of a push."""

from __future__ import annotations

from typing import ClassVar, Final

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.harm.damage import hurt
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame

HR_GRAP_6: Final = Rule(
    "HR-GRAP-6",
    "Instead of pushing whom it holds a creature may deal 1d6, and 1d6 more for each size it is larger.",
    books.BASICS.at("Size"),
)


@record
class CrushFrame(Frame[State]):
    """Harm done at close quarters instead of a push."""

    kind: ClassVar[str] = "crush"
    creature: str
    target: str
    dice: int
    rules: tuple[str, ...]

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        thrown: Roll
        state, thrown = yield from chance.throw(
            state,
            owner=self.creature,
            stream=f"{self.creature}/crush",
            purpose={"what": "crush", "crush": self.path, "against": self.target},
            pool=(PoolDie(role="crush", sides=6),) * self.dice,
        )
        state = yield Crushed(crush=self.path, creature=self.creature, target=self.target, because=self.rules)
        path = f"{self.path}/damage"
        return (yield from hurt(state, path, self.target, thrown.total, source=self.creature, cause="crush"))


@record
class CrushBegun(Event[State]):
    """A creature harms whom it holds, or climbs on, instead of pushing it."""

    type: ClassVar[str] = "crush_begun"
    crush: str
    creature: str
    target: str
    dice: int

    def evolve(self, state: State) -> State:
        return state.pushed(
            CrushFrame(
                path=self.crush,
                creature=self.creature,
                target=self.target,
                dice=self.dice,
                rules=self.because,
            )
        )


@record
class Crushed(Event[State]):
    """The dice of harm at close quarters are known."""

    type: ClassVar[str] = "crushed"
    crush: str
    creature: str
    target: str

    def evolve(self, state: State) -> State:
        return state.popped(self.crush)


@enforces(HR_GRAP_6)
def crush_dice(source: Creature, target: Creature) -> int:
    """Return how many d6 *source* deals instead of a push to a creature that it holds, otherwise 0."""
    if not (source.has("grappling") and source.conditions["grappling"].source == target.id):
        return 0
    return 1 + max(0, source.rank - target.rank)
