"""Drink healing potions: an object interaction now, and an hour later smaller wounds and hit points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush.creatures.healing import heal
from service.rules.heartrush.harm.wounds import WoundsEased, eased
from service.rules.heartrush.means.actions import AbilityUsed, afford_free_first, free_first_price, has_action
from service.rules.heartrush.permission import taking_action
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import record

WORKS_AFTER_S: Final = 3600
HEALS: Final = 20
BECAUSE: Final = ("HR-REST-6",)


@record
class PotionDrunk(Event[State]):
    """A potion is drunk; it works when the campaign clock shows so many seconds."""

    type: ClassVar[str] = "potion_drunk"
    creature: str
    works_at_s: int

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        potions_at_s = (*creature.potions_at_s, self.works_at_s)
        return state.with_creature(self.creature, potions=creature.potions - 1, potions_at_s=potions_at_s)


@record
class PotionWorked(Event[State]):
    """A potion that was drunk an hour ago works now."""

    type: ClassVar[str] = "potion_worked"
    creature: str

    def evolve(self, state: State) -> State:
        rest = state.creatures[self.creature].potions_at_s[1:]
        return state.with_creature(self.creature, potions_at_s=rest)


def potions_work(state: State) -> Emits[State]:
    """Tell what every potion does whose hour is over: each wound a rank smaller, and 20 hit points."""
    for name in state.creatures:
        while due(state, name):
            state = yield PotionWorked(creature=name, because=BECAUSE)
            wounds = state.creatures[name].wounds
            if wounds:
                state = yield WoundsEased(creature=name, ranks=eased(wounds, 1), because=BECAUSE)
            state = yield from heal(state, name, HEALS, None)
    return state


def due(state: State, creature: str) -> bool:
    """Tell whether a potion that *creature* drank works now."""
    found = state.creatures[creature].potions_at_s
    return bool(found) and found[0] <= state.clock_s


@record
class DrinkPotion(Command[State]):
    """Drink a potion: in combat an object interaction; an hour later wounds are smaller, and it heals 20."""

    type: ClassVar[str] = "drink_potion"
    creature: str

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature, "object")
        free_first_price(view, creature, "object")
        if not creature.potions:
            raise Refused("no_potion", f"{self.creature} has no potion", "HR-REST-6")

    def decide(self, state: State) -> Emits[State]:
        if not state.paused():
            paid = afford_free_first(state.creatures[self.creature], "object")
            state = yield AbilityUsed(
                creature=self.creature, ability="object", paid=paid, because=("HR-ACT-9", *BECAUSE)
            )
        works_at_s = state.clock_s + WORKS_AFTER_S
        return (yield PotionDrunk(creature=self.creature, works_at_s=works_at_s, because=BECAUSE))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if creature.potions and (creature.free_object or has_action(view, creature)):
            yield Offer(type=cls.type, creature=creature.id)
