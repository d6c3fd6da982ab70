"""Award experience and spend it: every price is worked out here, from what the character owns at that moment.

Nothing is bought in combat. The heart die is not for sale: it grows with everything ever awarded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.incapacity import check_alive
from service.rules.heartrush.permission import gm, own
from service.rules.heartrush.rests.prices import (
    BOUGHT_BY,
    HIT_POINTS,
    PRICES,
    Purchase,
    affordable,
    bought,
    check_purchase,
    learned,
)
from service.rules.heartrush.rounds.clock import at_rest, check_at_rest
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces

HR_XP_9: Final = Rule(
    "HR-XP-9",
    "The heart die is not for sale: its maximum is d10, d12, d20 from 200, 500, 1000 experience in all.",
    books.BASICS.at("Quick Reference"),
)
HR_XP_1: Final = Rule(
    "HR-XP-1",
    "Experience comes from the GM, for a reason the players see; a usual award is each one's combat rank.",
    books.BASICS.at("Gaining Experience"),
)
HR_XP_2: Final = Rule(
    "HR-XP-2",
    "Spend experience outside combat; the rules work out the price, and purchase and payment are one.",
    books.BASICS.at("Spending Experience"),
)


MOST_AWARDED: Final = 1000
AWARDS: Final = (1, 5, 100)
"""Awards to choose from where somebody asks for offers."""
HEART_DICE: Final = ((1000, 20), (500, 12), (200, 10))
"""Total experience, and the heart die it brings."""


@record
class XpAwarded(Event[State]):
    """The GM awarded experience, and said for what."""

    type: ClassVar[str] = "xp_awarded"
    creature: str
    amount: int
    reason: str

    def evolve(self, state: State) -> State:
        sheet = state.creatures[self.creature].sheet
        growth = changed(
            sheet.growth,
            xp_total=sheet.growth.xp_total + self.amount,
            xp_unspent=sheet.growth.xp_unspent + self.amount,
        )
        return state.with_creature(self.creature, sheet=changed(sheet, growth=growth))


@record
class HeartDieGrew(Event[State]):
    """A heart die has a larger maximum; one that was at its maximum is so again."""

    type: ClassVar[str] = "heart_die_grew"
    creature: str
    heart_die_max: int
    heart_die: int

    def evolve(self, state: State) -> State:
        sheet = changed(state.creatures[self.creature].sheet, heart_die=self.heart_die_max)
        return state.with_creature(self.creature, sheet=sheet, heart_die=self.heart_die)


@record
class XpSpent(Event[State]):
    """Experience was spent: on what, and what it cost."""

    type: ClassVar[str] = "xp_spent"
    creature: str
    purchase: Purchase
    price: int
    healed: int = 0
    """Hit points that came with the purchase."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        sheet = bought(creature.sheet, self.purchase)
        growth = changed(sheet.growth, xp_unspent=sheet.growth.xp_unspent - self.price)
        state = changed(state, abilities=learned(state, self.purchase))
        return state.with_creature(
            self.creature, sheet=changed(sheet, growth=growth), hp=creature.hp + self.healed
        )


# --- awards ----------------------------------------------------------------------------------------


@enforces(HR_XP_9)
def grow_heart(state: State, creature: str) -> Emits[State]:
    """Emit the larger heart die that the experience of *creature* brings; nothing if none is due."""
    found = state.creatures[creature]
    sheet = found.sheet
    grown = next((die for total, die in HEART_DICE if sheet.growth.xp_total >= total), 0)
    if grown <= sheet.heart_die:
        return state
    live = grown if found.heart_die == sheet.heart_die else found.heart_die
    return (yield HeartDieGrew(creature=creature, heart_die_max=grown, heart_die=live))


@enforces(HR_XP_1)
@record
class AwardXp(Command[State]):
    """Award experience, as the GM, for a reason that the players see."""

    type: ClassVar[str] = "award_xp"
    creatures: tuple[str, ...]
    amount: int | None = None
    """Null awards each creature its combat rank."""
    reason: str = ""

    def check(self, view: State) -> None:
        gm(self)
        if not self.creatures:
            raise Refused("params_missing", "an award is for somebody")
        for name in self.creatures:
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")
            if not 1 <= self._amount(view.creatures[name]) <= MOST_AWARDED:
                raise Refused("params_missing", f"1 to {MOST_AWARDED} points for {name}")

    def _amount(self, creature: Creature) -> int:
        return creature.sheet.combat_rank if self.amount is None else self.amount

    def decide(self, state: State) -> Emits[State]:
        for name in dict.fromkeys(self.creatures):
            amount = self._amount(state.creatures[name])
            state = yield XpAwarded(creature=name, amount=amount, reason=self.reason)
            state = yield from grow_heart(state, name)
        return state

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        names = tuple((name,) for name in view.creatures)
        if names:
            yield Offer(type=cls.type, choices={"creatures": names, "amount": AWARDS})


@enforces(HR_XP_2)
@record
class SpendXp(Command[State]):
    """Spend experience outside combat; the rules work out the price, and purchase and payment are one."""

    type: ClassVar[str] = "spend_xp"
    creature: str
    purchase: Purchase

    def check(self, view: State) -> None:
        creature = self._buyer(view)
        check_alive(creature)
        check_at_rest(view, "experience is spent")
        check_purchase(view, creature, self.purchase)

    def _buyer(self, view: State) -> Creature:
        if self.by.role == "gm" and self.creature in view.creatures:
            return view.creatures[self.creature]
        return own(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        sheet = state.creatures[self.creature].sheet
        heals = self.purchase.kind == "hit_points" and state.house.hp_purchase_heals
        return (
            yield XpSpent(
                creature=self.creature,
                purchase=self.purchase,
                price=PRICES[self.purchase.kind](sheet, self.purchase),
                healed=HIT_POINTS if heals else 0,
                because=("HR-XP-2", BOUGHT_BY[self.purchase.kind]),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        purchases = tuple(affordable(view, creature))
        if purchases and at_rest(view):
            yield Offer(type=cls.type, creature=creature.id, choices={"purchase": purchases})
