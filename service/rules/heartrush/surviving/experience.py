"""Award experience and spend it, at prices worked out from what the character owns at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.body.permission import check_alive, gm, own
from service.rules.heartrush.body.weapons import unattuned
from service.rules.heartrush.creatures.abilities import Ability, Spell
from service.rules.heartrush.creatures.sheet import Ability as AbilityDie
from service.rules.heartrush.creatures.sheet import Aspect, Growth, Sheet
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.rolling.checks import ABILITIES
from service.rules.heartrush.timing.clock import at_rest, check_at_rest
from service.rules.heartrush.using.catalogue import CATALOGUE, defined
from service.rules.heartrush.values import SAID_LENGTH, HeartDie
from service.rules.kernel.bounds import bounds_fault
from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    Amount,
    Count,
    CreatureId,
    Creatures,
    DieSides,
    Experience,
    HitPoints,
    Label,
    Reason,
    Words,
)

# --- prices --------------------------------------------------------------------------------------------
# From what a character owns at that moment, never from what is claimed. Nothing here changes anything;
# `experience` pays. A purchase that cannot be made is refused with its reason.

HR_XP_3: Final = Rule(
    "HR-XP-3",
    "A new aspect costs 1, a higher rank its present rank and 1, up to rank 5; other words are free.",
    books.BASICS.at("Spending Experience"),
)
HR_XP_4: Final = Rule(
    "HR-XP-4",
    "Ten more hit points cost a tenth of the maximum, rounded down, and 1.",
    books.BASICS.at("Spending Experience"),
    settles=("A-61",),
)
HR_XP_5: Final = Rule(
    "HR-XP-5",
    "The next larger ability die costs as many points as it has faces.",
    books.BASICS.at("Spending Experience"),
    settles=("A-46",),
)
HR_XP_6: Final = Rule(
    "HR-XP-6",
    "A talent costs 3 and as many as its kind are owned: combat and noncombat talents are counted apart.",
    books.BASICS.at("Spending Experience"),
)
HR_XP_7: Final = Rule(
    "HR-XP-7",
    "A destiny level, on a talent that is owned, costs 5 and as many as destiny levels are owned.",
    books.BASICS.at("Spending Experience"),
    settles=("A-60",),
)
HR_XP_8: Final = Rule(
    "HR-XP-8",
    "A spell costs 6 and twice the spells owned, for the spelltouched their number; elements are needed.",
    books.BASICS.at("Spending Experience"),
)


Kind = Literal[
    "aspect_new",
    "aspect_raise",
    "aspect_reword",
    "hit_points",
    "ability_die",
    "combat_talent",
    "noncombat_talent",
    "destiny_level",
    "spell",
]
TALENT_OF: Final[Mapping[str, str]] = MappingProxyType(
    {"combat_talent": "combat", "noncombat_talent": "noncombat"}
)
NAMED_IN: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys((*TALENT_OF, "destiny_level"), "talent") | {"spell": "spell"}
)
"""What `name` names in a purchase of each kind that needs it."""
DICE: Final = (4, 6, 8, 10, 12, 20)
HIT_POINTS: Final = 10
ASPECT_MOST: Final = 5


@record
class Purchase:
    """What is to be bought; which fields are needed depends on its kind."""

    sentence: ClassVar[str] = "{kind}[ {name}][ {ability}][ {text}]"
    kind: Kind
    """The kind: which of those listed."""
    name: Label = ""
    """The id of a talent or a spell, of the opening's own or shipped."""
    ability: AbilityDie | None = None
    aspect: Count | None = None
    """The place of an aspect on the list, from 0."""
    text: Words = ""
    """The words of an aspect."""


@enforces(HR_XP_3)
def price_of_aspect(sheet: Sheet, purchase: Purchase) -> int:
    """Return the price of a new aspect, of a higher rank, or of other words for it."""
    if purchase.kind == "aspect_new":
        _check_text(purchase.text)
        return 1
    if purchase.aspect is None or purchase.aspect >= len(sheet.growth.aspects):
        raise Refused("params_missing", "say in `aspect` which of its aspects, counted from 0", HR_XP_3.id)
    if purchase.kind == "aspect_reword":
        _check_text(purchase.text)
        return 0
    rank = sheet.growth.aspects[purchase.aspect].rank
    if rank >= ASPECT_MOST:
        raise Refused("aspect_max", f"an aspect has rank {ASPECT_MOST} at most", HR_XP_3.id)
    return rank + 1


def _check_text(text: str) -> None:
    if not 0 < len(text) <= SAID_LENGTH:
        raise Refused("params_missing", f"write 1 to {SAID_LENGTH} characters in `text`", HR_XP_3.id)


@enforces(HR_XP_4)
def price_of_hit_points(sheet: Sheet, purchase: Purchase) -> int:  # noqa: ARG001 - prices have one shape
    """Return the price of ten more hit points."""
    return sheet.hp_max // HIT_POINTS + 1


@enforces(HR_XP_5)
def price_of_die(sheet: Sheet, purchase: Purchase) -> int:
    """Return the price of the next larger ability die."""
    if purchase.ability is None:
        raise Refused("params_missing", "say in `ability` which die grows", HR_XP_5.id)
    return next_die(getattr(sheet, purchase.ability))


def next_die(sides: int) -> int:
    """Return the next larger die; the largest has none."""
    larger = next((die for die in DICE if die > sides), None)
    if larger is None:
        raise Refused("die_max", f"a d{sides} is the largest die", "HR-XP-5")
    return larger


@enforces(HR_XP_6)
def price_of_talent(sheet: Sheet, purchase: Purchase) -> int:
    """Return the price of a combat or noncombat talent."""
    growth = sheet.growth
    return 3 + len(growth.combat_talents if purchase.kind == "combat_talent" else growth.noncombat_talents)


def _talents(growth: Growth) -> tuple[str, ...]:
    return (*growth.combat_talents, *growth.noncombat_talents)


@enforces(HR_XP_7)
def price_of_destiny(sheet: Sheet, purchase: Purchase) -> int:
    """Return the price of a destiny level; refuse one on a talent that is not owned."""
    if purchase.name not in _talents(sheet.growth):
        raise Refused("prerequisite_missing", f"{purchase.name} is not a talent that it has", HR_XP_7.id)
    return 5 + len(sheet.growth.destiny_levels)


@enforces(HR_XP_8)
def price_of_spell(sheet: Sheet, purchase: Purchase) -> int:  # noqa: ARG001 - prices have one shape
    """Return the price of a spell."""
    growth = sheet.growth
    return len(growth.spells) if growth.spelltouched else 6 + 2 * len(growth.spells)


PRICES: Final[Mapping[str, Callable[[Sheet, Purchase], int]]] = MappingProxyType(
    {
        "aspect_new": price_of_aspect,
        "aspect_raise": price_of_aspect,
        "aspect_reword": price_of_aspect,
        "hit_points": price_of_hit_points,
        "ability_die": price_of_die,
        "combat_talent": price_of_talent,
        "noncombat_talent": price_of_talent,
        "destiny_level": price_of_destiny,
        "spell": price_of_spell,
    }
)


def bought(sheet: Sheet, purchase: Purchase) -> Sheet:
    """Return *sheet* with what was bought on it; the price is another matter."""
    if purchase.kind == "hit_points":
        return changed(sheet, hp_max=sheet.hp_max + HIT_POINTS)
    if purchase.kind == "ability_die":
        assert purchase.ability is not None
        return changed(sheet, **{purchase.ability: next_die(getattr(sheet, purchase.ability))})
    grown = changed(sheet, growth=_grown(sheet.growth, purchase))
    if purchase.kind not in TALENT_OF or purchase.name in sheet.abilities:
        return grown
    return changed(grown, abilities=(*sheet.abilities, purchase.name))


def _grown(growth: Growth, purchase: Purchase) -> Growth:
    """Return *growth* with another aspect, talent, spell or destiny level."""
    if purchase.kind == "spell":
        return changed(growth, spells=(*growth.spells, purchase.name))
    if purchase.kind == "combat_talent":
        return changed(growth, combat_talents=(*growth.combat_talents, purchase.name))
    if purchase.kind == "noncombat_talent":
        return changed(growth, noncombat_talents=(*growth.noncombat_talents, purchase.name))
    if purchase.kind == "destiny_level":
        return changed(growth, destiny_levels=(*growth.destiny_levels, purchase.name))
    if purchase.kind == "aspect_new":
        return changed(growth, aspects=(*growth.aspects, Aspect(text=purchase.text)))
    assert purchase.aspect is not None
    old = growth.aspects[purchase.aspect]
    raised = purchase.kind == "aspect_raise"
    new = changed(old, rank=old.rank + 1) if raised else changed(old, text=purchase.text)
    at = purchase.aspect
    return changed(growth, aspects=(*growth.aspects[:at], new, *growth.aspects[at + 1 :]))


def check_purchase(view: State, creature: Creature, purchase: Purchase) -> None:
    """Refuse what cannot be bought, or not paid for; a price is public and discloses nothing GM-only."""
    shown = {"hit_points": "hp_max", "ability_die": purchase.ability}.get(purchase.kind)
    if shown is not None and shown in creature.gm_only:
        raise Refused("gm_only", f"the price would tell the {shown} of {creature.id}", "TABLE-GMONLY-1")
    named = NAMED_IN.get(purchase.kind)
    if named is not None and not purchase.name:
        raise Refused("params_missing", f"`name` is missing, the id of the {named}")
    if purchase.kind in TALENT_OF:
        check_talent(view, creature.sheet.growth, purchase)
    elif purchase.kind == "spell":
        check_spell(view, creature, purchase.name)
    price = PRICES[purchase.kind](creature.sheet, purchase)
    if purchase.kind == "ability_die":
        check_cap(view, price)
    left = creature.sheet.growth.xp_unspent
    if price > left:
        raise Refused("insufficient_xp", f"it costs {price}, and {left} are left", "HR-XP-2")
    check_bounds(bought(creature.sheet, purchase))


def check_bounds(sheet: Sheet) -> None:
    """Refuse a *sheet* that no opening would take any more."""
    for grown in (sheet, sheet.growth, *sheet.growth.aspects):
        if (fault := bounds_fault(grown)) is not None:
            raise Refused("out_of_bounds", fault, "HR-CARRY-1")


def check_talent(view: State, growth: Growth, purchase: Purchase) -> None:
    """Refuse what is not a talent of this kind, is owned already, or builds on a talent that is not owned."""
    found = defined(purchase.name, view.abilities)
    kind = TALENT_OF[purchase.kind]
    if not isinstance(found, Ability) or found.talent != kind:
        raise Refused("unknown_ability", f"there is no {kind} talent {purchase.name}", "HR-XP-6")
    if found.id in _talents(growth):
        raise Refused("already_owned", f"{found.id} is owned already", "HR-XP-6")
    missing = [name for name in found.builds_on if name not in _talents(growth)]
    if missing:
        raise Refused("prerequisite_missing", f"{found.id} needs {missing[0]}", "HR-XP-6")


def check_spell(view: State, creature: Creature, name: str) -> None:
    """Refuse what is not a spell, is known already, or has an element that its buyer is not attuned to."""
    found = defined(name, view.abilities)
    if not isinstance(found, Spell):
        raise Refused("unknown_spell", f"there is no spell {name}", "HR-XP-8")
    if name in creature.sheet.growth.spells:
        raise Refused("already_owned", f"{name} is known already", "HR-XP-8")
    missing = unattuned(creature.sheet, found)
    if missing is not None:
        raise Refused("prerequisite_missing", f"{name} needs attunement to {missing}", "HR-XP-8")


def check_cap(view: State, sides: int) -> None:
    """Refuse an ability die larger than the house sells."""
    most = 20 if view.house.ability_die_cap == "d20" else 12
    if sides > most:
        raise Refused("die_max", f"a d{most} is the largest that can be bought", "HR-XP-5")


def affordable(view: State, creature: Creature) -> Iterator[Mapping[str, object]]:
    """Yield purchases *creature* can pay for now, with a text of our own where one is needed."""
    sold = {**CATALOGUE, **view.abilities}.values()
    talents = (one for one in sold if isinstance(one, Ability) and one.talent is not None)
    aspects = range(len(creature.sheet.growth.aspects))
    wanted: tuple[Mapping[str, object], ...] = (
        {"kind": "hit_points"},
        {"kind": "aspect_new", "text": "tested in battle"},
        *({"kind": "ability_die", "ability": ability} for ability in ABILITIES),
        *({"kind": "aspect_raise", "aspect": at} for at in aspects),
        *({"kind": "aspect_reword", "aspect": at, "text": "tested again"} for at in aspects),
        *({"kind": "destiny_level", "name": name} for name in _talents(creature.sheet.growth)),
        *({"kind": f"{one.talent}_talent", "name": one.id} for one in talents),
        *({"kind": "spell", "name": one.id} for one in sold if isinstance(one, Spell)),
    )
    for purchase in wanted:
        try:
            check_purchase(view, creature, from_data(Purchase, purchase))
        except Refused:
            continue
        yield purchase


def learned(state: State, purchase: Purchase) -> Mapping[str, Ability | Spell]:
    """Return what the fight knows once *purchase* is made: the definition of what was bought with it."""
    found = defined(purchase.name, state.abilities)
    if found is None or purchase.kind not in (*TALENT_OF, "spell"):
        return state.abilities
    return {**state.abilities, found.id: found}


BOUGHT_BY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "aspect_new": "HR-XP-3",
        "aspect_raise": "HR-XP-3",
        "aspect_reword": "HR-XP-3",
        "hit_points": "HR-XP-4",
        "ability_die": "HR-XP-5",
        "combat_talent": "HR-XP-6",
        "noncombat_talent": "HR-XP-6",
        "destiny_level": "HR-XP-7",
        "spell": "HR-XP-8",
    }
)


# --- experience ----------------------------------------------------------------------------------------
# Every price is worked out here, from what the character owns at that moment. Nothing is bought in combat.
# The heart die is not for sale: it grows with everything ever awarded.

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


def _awarded(growth: Growth, amount: int) -> Growth:
    """Return *growth* with *amount* more experience."""
    return changed(growth, xp_total=growth.xp_total + amount, xp_unspent=growth.xp_unspent + amount)


@record
class XpAwarded(Event[State]):
    """The GM awarded experience, and said for what."""

    type: ClassVar[str] = "xp_awarded"
    creature: CreatureId
    amount: Amount
    reason: Reason

    def evolve(self, state: State) -> State:
        sheet = state.creatures[self.creature].sheet
        growth = _awarded(sheet.growth, self.amount)
        return state.with_creature(self.creature, sheet=changed(sheet, growth=growth))


@record
class HeartDieGrew(Event[State]):
    """A heart die has a larger maximum; one that was at its maximum is so again."""

    type: ClassVar[str] = "heart_die_grew"
    creature: CreatureId
    heart_die_max: DieSides
    """The sides of its heart die at full heart."""
    heart_die: HeartDie

    def evolve(self, state: State) -> State:
        sheet = changed(state.creatures[self.creature].sheet, heart_die=self.heart_die_max)
        return state.with_creature(self.creature, sheet=sheet, heart_die=self.heart_die)


@record
class XpSpent(Event[State]):
    """Experience was spent: on what, and what it cost."""

    type: ClassVar[str] = "xp_spent"
    creature: CreatureId
    purchase: Purchase
    """What was bought."""
    price: Experience
    """The experience that it costs."""
    healed: HitPoints = 0
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
    grown = next((die for total, die in HEART_DICE if sheet.growth.xp_total >= total), sheet.heart_die)
    if grown <= sheet.heart_die:
        return state
    live = grown if found.heart_die == sheet.heart_die else found.heart_die
    return (yield HeartDieGrew(creature=creature, heart_die_max=grown, heart_die=live))


@enforces(HR_XP_1)
@record
class AwardXp(Command[State]):
    """Award experience, as the GM, for a reason that the players see."""

    type: ClassVar[str] = "award_xp"
    sentence: ClassVar[str] = "Award experience"
    creatures: Creatures
    amount: Amount | None = None
    """Null awards each creature its combat rank."""
    reason: Reason = ""

    def check(self, view: State) -> None:
        gm(self)
        if not self.creatures:
            raise Refused("params_missing", "an award is for somebody", HR_XP_1.id)
        for name in self.creatures:
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")
            if not 1 <= self._amount(view.creatures[name]) <= MOST_AWARDED:
                raise Refused("params_missing", f"1 to {MOST_AWARDED} points for {name}", HR_XP_1.id)
            found = view.creatures[name]
            check_bounds(changed(found.sheet, growth=_awarded(found.sheet.growth, self._amount(found))))

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
    sentence: ClassVar[str] = "Spend experience[ on {purchase}]"
    creature: CreatureId
    purchase: Purchase
    """What was bought."""

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
