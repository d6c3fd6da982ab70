"""Hinder instead of attacking: a little harm and a condition, sand in the eyes, a fall, or a shove."""

from __future__ import annotations

from typing import ClassVar, Final

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.engagements.scene import Offensive
from service.rules.heartrush.harm.conditions import gain
from service.rules.heartrush.harm.damage import hurt
from service.rules.heartrush.movement.forced import PushBegun
from service.rules.heartrush.movement.trips import at_most_one_size_larger
from service.rules.heartrush.offensives.grapple import ADJACENT_FT
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Emits, Event, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.space.grid import FEET
from service.rules.table.stack import Frame

HR_HIND_1: Final = Rule(
    "HR-HIND-1",
    "A hinder deals 1d4 and two levels of a condition, or blinds, or topples, or shoves and unbalances.",
    books.COMBAT.at("Other Offensive Actions"),
)


BECAUSE: Final = ("HR-HIND-1",)
LEVELS: Final = 2
"""Levels of the condition that harm or a shove brings."""


@record
class HinderFrame(Frame[State]):
    """The little harm of a hinder, before its die is thrown."""

    kind: ClassVar[str] = "hinder"
    creature: str
    target: str

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        thrown: Roll
        state, thrown = yield from chance.throw(
            state,
            owner=self.creature,
            stream=f"{self.creature}/hinder",
            purpose={"what": "hinder", "hinder": self.path, "against": self.target},
            pool=(PoolDie(role="hinder", sides=4),),
        )
        state = yield Hindered(hinder=self.path, creature=self.creature, target=self.target, because=BECAUSE)
        path = f"{self.path}/damage"
        return (yield from hurt(state, path, self.target, thrown.total, source=self.creature, cause="hinder"))


@record
class HinderBegun(Event[State]):
    """A hinder does a little harm."""

    type: ClassVar[str] = "hinder_begun"
    hinder: str
    creature: str
    target: str

    def evolve(self, state: State) -> State:
        return state.pushed(HinderFrame(path=self.hinder, creature=self.creature, target=self.target))


@record
class Hindered(Event[State]):
    """The die of a hinder is known."""

    type: ClassVar[str] = "hindered"
    hinder: str
    creature: str
    target: str

    def evolve(self, state: State) -> State:
        return state.popped(self.hinder)


def check_hinder(view: State, creature: Creature, target: Creature, offensive: Offensive) -> None:
    """Refuse a hinder of somebody out of reach or too large to topple, or one that says too little."""
    if view.distance(creature, target) > ADJACENT_FT:
        raise Refused("not_adjacent", f"{target.id} is not adjacent to {creature.id}", "HR-HIND-1")
    if offensive.way is None or (offensive.way == "harm") != (offensive.condition is not None):
        raise Refused("params_missing", "say which way, and for harm which condition it brings", "HR-HIND-1")
    if offensive.way == "topple" and not at_most_one_size_larger(target, creature):
        raise Refused("target_too_large", f"{target.id} is too large for {creature.id}", "HR-HIND-1")


@enforces(HR_HIND_1)
def hinder(state: State, path: str, creature: str, target: str, offensive: Offensive) -> Emits[State]:
    """Emit what a hinder does to its target: a condition with damage, blinded, prone, or a push."""
    if offensive.way == "blind":
        return (yield from gain(state, target, "blinded", 1, creature))
    if offensive.way == "topple":
        return (yield from gain(state, target, "prone", 1, creature))
    if offensive.way == "push":
        return (yield from shove(state, path, creature, target))
    assert offensive.condition is not None
    state = yield from gain(state, target, offensive.condition, LEVELS, creature)
    return (yield HinderBegun(hinder=path, creature=creature, target=target))


def shove_ft(creature: Creature, target: Creature) -> int:
    """Return the feet of a shove: 5, and 5 more or less for each size the target is smaller or larger."""
    return max(0, FEET + FEET * (creature.rank - target.rank))


def shove(state: State, path: str, creature: str, target: str) -> Emits[State]:
    """Tell a shove and what it does to the target's balance, even where it moves nobody."""
    state = yield from gain(state, target, "off_balanced", LEVELS, creature)
    feet = shove_ft(state.creatures[creature], state.creatures[target])
    if not feet:
        return state
    step = state.away(target, creature)
    return (yield PushBegun(push=path, creature=target, by=creature, step=step, feet=feet, follow=None))
