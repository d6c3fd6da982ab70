"""Coat weapons with poison before a fight, and let the first wound they deal carry it in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.body.conditions import gain
from service.rules.heartrush.body.damage import Consequence, DamageFrame, hurt
from service.rules.heartrush.body.permission import own
from service.rules.heartrush.creatures.sheet import Coat, Poison
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.engaging.exchanges import Exchange
from service.rules.heartrush.timing.clock import check_at_rest
from service.rules.heartrush.values import EndSecond, PoisonName
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import record, with_key, without_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, StepId, WeaponId
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame, opened_by

HR_POIS_1: Final = Rule(
    "HR-POIS-1",
    "Poison is put on a weapon before combat, never in it; each coat takes one dose.",
    books.BASICS.at("Poisons"),
)
HR_POIS_3: Final = Rule(
    "HR-POIS-3",
    "A coat stays potent for a time; once lapsed it does nothing, and is scraped off before a new one.",
    books.BASICS.at("Poisons"),
)
HR_POIS_2: Final = Rule(
    "HR-POIS-2",
    "The coat is used up when its weapon deals damage; the poison's own follows apart from it.",
    books.BASICS.at("Poisons"),
    settles=("A-59",),
)
HR_DMG_7: Final = Rule(
    "HR-DMG-7",
    "Poison on a weapon is damage of its own after the attack, with its own choice to shrug it off.",
    books.BASICS.at("Poisons"),
)


BECAUSE: Final = ("HR-POIS-2", "HR-DMG-7", "A-59")


# --- coating -------------------------------------------------------------------------------------------


@record
class WeaponCoated(Event[State]):
    """A weapon carries poison now; a dose is used."""

    type: ClassVar[str] = "weapon_coated"
    creature: CreatureId
    weapon: WeaponId
    poison: Poison
    """The poison."""
    until_s: EndSecond | None

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        left = creature.doses.get(self.poison.id, 0) - 1
        coat = Coat(poison=self.poison, until_s=self.until_s)
        return state.with_creature(
            self.creature,
            doses=with_key(creature.doses, self.poison.id, left),
            coats=with_key(creature.coats, self.weapon, coat),
        )


@record
class CoatScraped(Event[State]):
    """A weapon is clean again."""

    type: ClassVar[str] = "coat_scraped"
    creature: CreatureId
    weapon: WeaponId

    def evolve(self, state: State) -> State:
        coats = without_key(state.creatures[self.creature].coats, self.weapon)
        return state.with_creature(self.creature, coats=coats)


@enforces(HR_POIS_1)
@record
class CoatWeapon(Command[State]):
    """Put a dose of poison on a weapon, outside combat."""

    type: ClassVar[str] = "coat_weapon"
    sentence: ClassVar[str] = "Coat the {weapon} with {poison}"
    creature: CreatureId
    weapon: WeaponId
    poison: PoisonName

    def check(self, view: State) -> None:
        creature = _at_leisure(self, view)
        if self.weapon in creature.thrown or all(w.id != self.weapon for w in creature.sheet.weapons):
            raise Refused("weapon_not_wielded", f"{self.creature} has no {self.weapon}", HR_POIS_1.id)
        poison = poison_of(creature, self.poison)
        if poison is None or not poison.on_weapons or creature.doses.get(self.poison, 0) < 1:
            raise Refused(
                "no_poison_dose", f"{self.creature} has no {self.poison} for a weapon", HR_POIS_1.id
            )
        check_clean(creature, self.weapon)

    def decide(self, state: State) -> Emits[State]:
        poison = poison_of(state.creatures[self.creature], self.poison)
        assert poison is not None
        until = None if poison.potent_s is None else state.clock_s + poison.potent_s
        return (yield WeaponCoated(creature=self.creature, weapon=self.weapon, poison=poison, until_s=until))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        lacking = (*creature.coats, *creature.thrown)
        weapons = tuple(w.id for w in creature.sheet.weapons if w.id not in lacking)
        poisons = tuple(
            p.id for p in creature.sheet.poisons if p.on_weapons and creature.doses.get(p.id, 0) > 0
        )
        if weapons and poisons and view.phase in ("setup", "ended"):
            yield Offer(type=cls.type, creature=creature.id, choices={"weapon": weapons, "poison": poisons})


@record
class ScrapeWeapon(Command[State]):
    """Scrape the poison off a weapon, so that it can be coated again."""

    type: ClassVar[str] = "scrape_weapon"
    sentence: ClassVar[str] = "Scrape the poison off the {weapon}"
    creature: CreatureId
    weapon: WeaponId

    def check(self, view: State) -> None:
        creature = _at_leisure(self, view)
        if self.weapon not in creature.coats:
            raise Refused("weapon_not_coated", f"there is no poison on {self.weapon}", "HR-POIS-3")

    def decide(self, state: State) -> Emits[State]:
        return (yield CoatScraped(creature=self.creature, weapon=self.weapon, because=("HR-POIS-3",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if creature.coats and view.phase in ("setup", "ended"):
            yield Offer(type=cls.type, creature=creature.id, choices={"weapon": tuple(creature.coats)})


def _at_leisure(command: CoatWeapon | ScrapeWeapon, view: State) -> Creature:
    creature = own(view, command, command.creature)
    check_at_rest(view, "weapons are seen to", "HR-POIS-1")
    if creature.status != "active":
        raise Refused("unconscious", f"{command.creature} is {creature.status}", "HR-ZERO-6")
    return creature


def poison_of(creature: Creature, poison: str) -> Poison | None:
    """Return one of a creature's poisons."""
    return next((known for known in creature.sheet.poisons if known.id == poison), None)


@enforces(HR_POIS_3)
def is_potent(state: State, coat: Coat) -> bool:
    """Return whether a coat of poison still works."""
    return coat.until_s is None or state.clock_s < coat.until_s


def check_clean(creature: Creature, weapon: str) -> None:
    """Refuse a second coat on a weapon that has one, potent or not."""
    if weapon in creature.coats:
        raise Refused("weapon_coated", f"the old coat of {weapon} is scraped off first", "HR-POIS-3")


# --- poisoning -----------------------------------------------------------------------------------------


@record
class DeclaredPoison:
    """Which poison harms whom, and whose weapon carried it in."""

    creature: CreatureId
    source: CreatureId
    """The id of the creature or thing that it comes from; null for none."""
    poison: Poison
    """The poison."""


@record
class PoisonFrame(DeclaredPoison, Frame[State]):
    """Poison that a weapon has carried in, before its dice are thrown."""

    kind: ClassVar[str] = "poison"

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        total = 0
        if self.poison.dice:
            thrown: Roll
            state, thrown = yield from chance.throw(
                state,
                owner=self.source,
                stream=f"{self.source}/poison",
                purpose={"what": "poison", "poison": self.poison.id, "against": self.creature},
                pool=(PoolDie(role="poison", sides=self.poison.sides),) * self.poison.dice,
            )
            total = thrown.total
        state = yield PoisonTaken(poison=self.path, creature=self.creature, because=BECAUSE)
        for condition, levels in self.poison.conditions.items():
            state = yield from gain(state, self.creature, condition, levels, self.source)
        if not total:
            return state
        path = f"{self.path}/damage"
        return (yield from hurt(state, path, self.creature, total, source=self.source, cause="poison"))


@record
class PoisonStruck(DeclaredPoison, Event[State]):
    """A coated weapon has done damage: its coat is used up, and works."""

    type: ClassVar[str] = "poison_struck"
    strike: StepId
    """The id of the strike."""
    weapon: WeaponId

    def evolve(self, state: State) -> State:
        coats = without_key(state.creatures[self.source].coats, self.weapon)
        frame = opened_by(self, PoisonFrame, self.strike)
        return state.with_creature(self.source, coats=coats).pushed(frame)


@record
class PoisonTaken(Event[State]):
    """The dice of a poison are known."""

    type: ClassVar[str] = "poison_taken"
    poison: PoisonName
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.popped(self.poison)


class Poisoning(Consequence):
    """A coated weapon that hurts poisons."""

    def follows(self, state: State, frame: DamageFrame) -> bool:
        return frame.cause == "attack" and coated_weapon(state, frame) is not None

    @enforces(HR_POIS_2)
    def tell(self, state: State, frame: DamageFrame, final: int) -> Emits[State]:
        """Emit what the poison on a weapon does after its damage; the coat is used up."""
        weapon = coated_weapon(state, frame)
        assert weapon is not None
        assert frame.source is not None
        poison = state.creatures[frame.source].coats[weapon].poison
        if not state.creatures[frame.creature].is_present:
            return (yield CoatScraped(creature=frame.source, weapon=weapon))
        return (yield from carry_in(frame, weapon, poison))


@enforces(HR_DMG_7)
def carry_in(frame: DamageFrame, weapon: str, poison: Poison) -> Emits[State]:
    """Emit the damage of the poison on *weapon*, apart from that of the weapon."""
    assert frame.source is not None
    return (
        yield PoisonStruck(
            strike=f"{frame.path}/poison",
            creature=frame.creature,
            source=frame.source,
            weapon=weapon,
            poison=poison,
        )
    )


def coated_weapon(state: State, frame: DamageFrame) -> str | None:
    """Return the coated weapon that dealt this damage, if its coat still works."""
    source = state.creatures.get(frame.source) if frame.source else None
    exchange = state.stacks.find(frame.path.rpartition("/")[0])
    if source is None or not source.coats or not isinstance(exchange, Exchange):
        return None
    weapon = exchange.weapon(source).id
    coat = source.coats.get(weapon)
    return weapon if coat is not None and is_potent(state, coat) else None
