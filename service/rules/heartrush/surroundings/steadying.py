"""Spend an action on oneself: master fear or rage, or beat out flames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.heartrush.checks.challenge import challenge_number
from service.rules.heartrush.checks.checks import CheckAsked, Checked, Checking
from service.rules.heartrush.halves import half
from service.rules.heartrush.harm.conditions import ConditionEased, ConditionLost
from service.rules.heartrush.means.actions import AbilityUsed, action_price, has_action
from service.rules.heartrush.permission import taking_action
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import record
from service.rules.rolls.chance import Chance

Passion = Literal["frightened", "enraged"]
PASSIONS: Final[tuple[Passion, ...]] = ("frightened", "enraged")


def why(passion: Passion) -> tuple[str, ...]:
    """Return the ids of the rules about *passion*."""
    return ("HR-COND-15",) if passion == "frightened" else ("HR-COND-16",)


@record
class SteadyFrame(Checking):
    """A creature tries to master itself."""

    kind: ClassVar[str] = "steady"
    creature: str
    passion: Passion
    checked: Checked | None = None

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the save above it comes first"
        calm = self.checked.success
        state = yield SteadyTried(
            steady=self.path, creature=self.creature, calm=calm, because=why(self.passion)
        )
        if not calm or not state.creatures[self.creature].has(self.passion):
            return state
        return (
            yield ConditionLost(creature=self.creature, condition=self.passion, because=why(self.passion))
        )


@record
class SteadyBegun(Event[State]):
    """A creature begins to master its fear or rage."""

    type: ClassVar[str] = "steady_begun"
    steady: str
    creature: str
    passion: Passion

    def evolve(self, state: State) -> State:
        return state.pushed(SteadyFrame(path=self.steady, creature=self.creature, passion=self.passion))


@record
class SteadyTried(Event[State]):
    """A creature has mastered itself, or not."""

    type: ClassVar[str] = "steady_tried"
    steady: str
    creature: str
    calm: bool

    def evolve(self, state: State) -> State:
        return state.popped(self.steady)


@record
class Steady(Command[State]):
    """Spend the action on a cunning save against the presence of who frightens or enrages you."""

    type: ClassVar[str] = "steady"
    creature: str
    condition: Passion

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature)
        action_price(view, creature)
        if source_of(view, creature, self.condition) is None:
            raise Refused(
                "condition_missing", f"nobody has {self.creature} {self.condition}", why(self.condition)[0]
            )

    def decide(self, state: State) -> Emits[State]:
        source = source_of(state, state.creatures[self.creature], self.condition)
        assert source is not None
        because = why(self.condition)
        path = f"r{state.round}/steady/{self.creature}-{state.rulings + 1}"
        paid = action_price(state, state.creatures[self.creature])
        state = yield AbilityUsed(
            creature=self.creature,
            ability=self.type,
            paid=paid,
            because=("HR-ACT-2", *because),
        )
        state = yield SteadyBegun(
            steady=path, creature=self.creature, passion=self.condition, because=because
        )
        return (
            yield CheckAsked(
                check=f"{path}/save",
                creature=self.creature,
                ability="cunning",
                cn=challenge_number(source, "presence"),
                what=self.condition,
                save=True,
                because=("HR-GEN-8", *because),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        passions = tuple(name for name in PASSIONS if source_of(view, creature, name))
        if has_action(view, creature) and passions:
            yield Offer(type=cls.type, creature=creature.id, choices={"condition": passions})


def source_of(view: State, creature: Creature, condition: Passion) -> Creature | None:
    """Return who frightens or enrages *creature*."""
    found = creature.conditions.get(condition)
    return view.creatures.get(found.source) if found is not None and found.source else None


@record
class Douse(Command[State]):
    """Spend the action on the flames: half the levels of burning, rounded up, go out."""

    type: ClassVar[str] = "douse"
    creature: str

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature)
        action_price(view, creature)
        if not creature.has("burning"):
            raise Refused("condition_missing", f"{self.creature} does not burn", "HR-COND-19")

    def decide(self, state: State) -> Emits[State]:
        levels = half(state.creatures[self.creature].level("burning"))
        because = ("HR-COND-19",)
        paid = action_price(state, state.creatures[self.creature])
        yield AbilityUsed(
            creature=self.creature,
            ability=self.type,
            paid=paid,
            because=("HR-ACT-2", *because),
        )
        return (
            yield ConditionEased(creature=self.creature, condition="burning", levels=levels, because=because)
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if has_action(view, creature) and creature.has("burning"):
            yield Offer(type=cls.type, creature=creature.id)
