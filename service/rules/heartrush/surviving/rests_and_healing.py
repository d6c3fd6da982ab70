"""Rests: ten minutes or a night, and what sleep brings back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.body.actions import recharge
from service.rules.heartrush.body.conditions import SLEEPLESS, ConditionLost, gain
from service.rules.heartrush.body.permission import gm
from service.rules.heartrush.body.wounds import ease, heal, heals_by_itself
from service.rules.heartrush.creatures.state import HOUR_S, MINUTE_S, Creature, State
from service.rules.heartrush.timing.clock import (
    check_at_rest,
    check_out_of_peril,
    day,
    is_in_peril,
    pass_time,
)
from service.rules.heartrush.values import HeartDie, HoursPassed, RestId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Ordinal, Succeeded, Total
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame, opened_by

# --- rests ---------------------------------------------------------------------------------------------
# A night for wounds, hit points and abilities. A night in poor conditions is decided by a d100. There is an
# event for each who rests; the clock moves once.

HR_REST_3: Final = Rule(
    "HR-REST-3",
    "Shelter, bed, warmth, a watch and dreamwort change a sleeping check; a sleepdraught doubles them.",
    books.RESTS.at("Sleeping Conditions"),
)
HR_REST_4: Final = Rule(
    "HR-REST-4",
    "A good night heals to the cap, eases treated wounds by 1 and renews heart die and abilities.",
    (books.RESTS.at("Successful Sleeping Check"), books.MECHANICS.at("Zero Hit Points")),
    settles=("A-28",),
)
HR_REST_5: Final = Rule(
    "HR-REST-5",
    "A bad night heals half of what is missing, rounded down, and leaves 1, 2, then 3 hindering levels.",
    books.RESTS.at("Failed Sleeping Check"),
)
HR_REST_1: Final = Rule(
    "HR-REST-1",
    "Ten minutes of rest, as often as wanted, bring the heart die back to its maximum.",
    books.RESTS.at("Short Rest"),
    settles=("A-32",),
)
HR_REST_2: Final = Rule(
    "HR-REST-2",
    "Rest for ten minutes, or once a day for a night of at least seven hours, slept well or badly.",
    books.RESTS.at("Long Rest"),
)


Shelter = Literal["none", "tent", "structure"]
Bedding = Literal["none", "bedroll", "bed"]
Warmth = Literal["searing", "muggy", "comfortable", "chilly", "freezing", "bone_chilling"]

SHORT_S: Final = 10 * MINUTE_S
LEAST_HOURS: Final = 7
MOST_HOURS: Final = 24
SLEPT: Final = 100
"""What a sleeping check has to reach."""
SHELTERS: Final[Mapping[str, int]] = MappingProxyType({"none": 0, "tent": 20, "structure": 40})
BEDS: Final[Mapping[str, int]] = MappingProxyType({"none": 0, "bedroll": 20, "bed": 40})
WARMTHS: Final[Mapping[str, int]] = MappingProxyType(
    {"searing": -30, "muggy": -10, "comfortable": 30, "chilly": 10, "freezing": -10, "bone_chilling": -30}
)
NIGHTS: Final[tuple[Mapping[str, str], ...]] = (
    MappingProxyType({"shelter": "structure", "bedding": "bed", "warmth": "comfortable"}),
    MappingProxyType({"shelter": "tent", "bedding": "bedroll", "warmth": "chilly"}),
    MappingProxyType({"warmth": "freezing"}),
)
"""Nights to choose from where somebody asks for offers: an inn, a camp, the open."""
WATCH: Final = -20
DREAMWORT: Final = 20


@record
class Night:
    """How a night is spent: the place, and who watches or has taken something to sleep."""

    shelter: Shelter = "none"
    """The shelter of the place."""
    bedding: Bedding = "none"
    """The bedding."""
    warmth: Warmth = "comfortable"
    """How warm it is."""
    watch: tuple[CreatureId, ...] = ()
    """The ids of the creatures that watch."""
    dreamwort: tuple[CreatureId, ...] = ()
    """The ids of the creatures that took dreamwort."""
    sleepdraught: tuple[CreatureId, ...] = ()
    """The ids of the creatures that took a sleeping draught."""


@record
class DeclaredNight:
    """How a night is spent, and who sleeps."""

    night: Night
    """How the night is spent."""
    sleepers: tuple[CreatureId, ...]
    """The ids of the creatures that sleep."""


@record
class NightFrame(DeclaredNight, Frame[State]):
    """A long rest in progress: whose sleep has no event yet."""

    kind: ClassVar[str] = "night"

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if not self.sleepers:
            return (yield NightOver(rest=self.path, because=("HR-REST-2",)))
        creature = self.sleepers[0]
        if sleeps_well(self.night, creature):
            return (yield from wake_rested(state, creature, None))
        roll: Roll
        state, roll = yield from chance.throw(
            state,
            owner=creature,
            stream=f"{creature}/sleep",
            purpose={"what": "sleeping check", "rest": self.path},
            pool=(PoolDie(role="sleep", sides=100),),
            terms=sleep_terms(self.night, creature),
        )
        if roll.total >= SLEPT:
            return (yield from wake_rested(state, creature, roll.total))
        return (yield from wake_tired(state, chance, self.path, creature, roll.total))


@record
class RestBegun(DeclaredNight, Event[State]):
    """Creatures lie down for the night, under these conditions."""

    type: ClassVar[str] = "rest_begun"
    rest: RestId

    def evolve(self, state: State) -> State:
        return changed(state, rulings=state.rulings + 1).pushed(opened_by(self, NightFrame, self.rest))


@record
class Rested(Event[State]):
    """A creature has rested; what the rest healed, eased and charged follows."""

    type: ClassVar[str] = "rested"
    acts: ClassVar[bool] = True
    creature: CreatureId
    rest: Literal["short", "long"]
    """The rest: its length, or its id."""
    success: Succeeded
    heart_die: HeartDie
    check: Total | None = None
    """The total of the sleeping check; null where none was needed."""
    day: Ordinal | None = None
    """The campaign day on which a long rest ended."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        if self.rest == "short":
            cooldowns = {spell: rests for spell, rests in creature.cooldowns.items() if rests > 0}
            return state.with_creature(self.creature, heart_die=self.heart_die, cooldowns=cooldowns)
        assert self.day is not None, "a long rest ends on a day"
        top = state.top_frame(NightFrame)
        state = state.put(changed(top, sleepers=top.sleepers[1:]))
        changes = slept(creature, 1, self.heart_die, self.day, well=self.success)
        return state.with_creature(self.creature, **changes)


def slept(creature: Creature, nights: int, heart_die: int, day: int, *, well: bool) -> dict[str, object]:
    """Return the fields of *creature* that *nights* long rests change, the last of which ended on *day*."""
    return {
        "heart_die": heart_die,
        "long_rests": creature.long_rests + nights,
        "last_long_rest_day": day,
        "failed_nights": 0 if well else creature.failed_nights + nights,
        "cooldowns": {spell: rests - nights for spell, rests in creature.cooldowns.items() if rests > nights},
    }


@record
class NightOver(Event[State]):
    """The night is over for everybody."""

    type: ClassVar[str] = "night_over"
    rest: RestId

    def evolve(self, state: State) -> State:
        return state.popped(self.rest)


@enforces(HR_REST_3)
def sleep_terms(night: Night, creature: str) -> tuple[Term, ...]:
    """Return the terms that the circumstances of *night* add to the sleeping check of *creature*."""
    amounts = (
        (SHELTERS[night.shelter], f"shelter: {night.shelter}"),
        (BEDS[night.bedding], f"bed: {night.bedding}"),
        (WARMTHS[night.warmth], f"warmth: {night.warmth}"),
        (WATCH if creature in night.watch else 0, "keeping watch"),
        (DREAMWORT if creature in night.dreamwort else 0, "dreamwort"),
    )
    times = 2 if creature in night.sleepdraught else 1
    return tuple(
        Term(amount=times * amount, what=what, rule="HR-REST-3") for amount, what in amounts if amount
    )


def sleeps_well(night: Night, creature: str) -> bool:
    """Return whether a creature needs no sleeping check: shelter, bed, warmth, and a whole night."""
    comfort = (night.shelter, night.bedding, night.warmth) == ("structure", "bed", "comfortable")
    return comfort and creature not in night.watch


def wake_rested(state: State, creature: str, check: int | None) -> Emits[State]:
    """Emit a good night: the heart die, and all that a good night heals and charges."""
    sheet = state.creatures[creature].sheet
    state = yield Rested(
        creature=creature,
        rest="long",
        success=True,
        heart_die=sheet.heart_die,
        check=check,
        day=day(state.clock_s),
        because=("HR-REST-2", "HR-REST-4"),
    )
    return (yield from recover(state, creature, 1))


@enforces(HR_REST_4)
def recover(state: State, creature: str, nights: int) -> Emits[State]:
    """Emit what good *nights* in a row do: treated wounds ease by as many ranks, the rest is as after one."""
    wounds = tuple(w for w in state.creatures[creature].wounds if heals_by_itself(state, w))
    if wounds:
        state = yield ease(creature, wounds, nights, ("HR-REST-4", "HR-WND-8", "A-27"))
    for condition in SLEEPLESS:
        if state.creatures[creature].has(condition):
            state = yield ConditionLost(creature=creature, condition=condition, because=("HR-REST-5",))
    state = yield from recharge(state, creature, "heart", "major")
    found = state.creatures[creature]
    return (yield from heal(state, creature, found.hp_cap - found.hp))


@enforces(HR_REST_5)
def wake_tired(state: State, chance: Chance, path: str, creature: str, check: int) -> Emits[State]:
    """Emit a bad night: healing of half of what is missing, and one to three hindering levels."""
    nights = state.creatures[creature].failed_nights + 1
    found: tuple[str, ...] = SLEEPLESS
    if nights < len(SLEEPLESS):
        roll: Roll
        state, roll = yield from chance.throw(
            state,
            owner=creature,
            stream=f"{creature}/sleepless",
            purpose={"what": "bad night", "rest": path},
            pool=(PoolDie(role="sleepless", sides=6),) * nights,
        )
        found = tuple(SLEEPLESS[(die.face - 1) // 2] for die in roll.dice)
    state = yield Rested(
        creature=creature,
        rest="long",
        success=False,
        heart_die=state.creatures[creature].heart_die,
        check=check,
        day=day(state.clock_s),
        because=("HR-REST-2", "HR-REST-5"),
    )
    for condition in found:
        state = yield from gain(state, creature, condition, 1, None)
    state = yield from recharge_hearts(state, creature)
    sleeper = state.creatures[creature]
    return (yield from heal(state, creature, (sleeper.hp_cap - sleeper.hp) // 2))


@enforces(HR_REST_1)
def rest_short(state: State, creature: str) -> Emits[State]:
    """Emit a short rest, which brings the heart die back to its maximum."""
    die = state.creatures[creature].sheet.heart_die
    state = yield Rested(creature=creature, rest="short", success=True, heart_die=die)
    return (yield from recharge_hearts(state, creature))


def recharge_hearts(state: State, creature: str) -> Emits[State]:
    """Emit that a rest shorter than a night charges heart abilities again, if the house says so."""
    if state.house.heart_recharge == "long_rest":
        return state
    return (yield from recharge(state, creature, "heart"))


def present(state: State) -> Iterator[Creature]:
    """Yield everybody who is here and alive."""
    return (creature for creature in state.creatures.values() if creature.is_present)


@enforces(HR_REST_2)
@record
class Rest(Command[State]):
    """Rest for ten minutes, or once a day for a night of at least seven hours."""

    type: ClassVar[str] = "rest"
    sentence: ClassVar[Sentence] = {
        "rest=short": "Rest for ten minutes",
        "rest=long": "Rest for a night",
        "": "Rest",
    }
    rest: Literal["short", "long"]
    """The rest: its length, or its id."""
    creatures: tuple[CreatureId, ...] = ()
    """Who rests; empty is everybody alive."""
    hours: HoursPassed = 8
    night: Night = Night()
    """How the night is spent."""

    def check(self, view: State) -> None:
        gm(self)
        check_at_rest(view, "creatures rest")
        for name in (*self.creatures, *self.night.watch, *self.night.dreamwort, *self.night.sleepdraught):
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")
        for creature in present(view):
            check_out_of_peril(creature, "let time pass at rest", "HR-COND-28")
        for creature in self._resting(view):
            if not creature.is_present:
                raise Refused("dead", f"{creature.id} is dead or has left", "HR-ZERO-4")
            if self.rest == "long" and creature.last_long_rest_day == day(self._ends(view)):
                raise Refused(
                    "already_rested", f"{creature.id} has had its long rest of the day", HR_REST_2.id
                )
        if self.rest == "long" and not LEAST_HOURS <= self.hours <= MOST_HOURS:
            raise Refused(
                "params_missing", f"a long rest takes {LEAST_HOURS} to {MOST_HOURS} hours", HR_REST_2.id
            )

    def _ends(self, state: State) -> int:
        return state.clock_s + (self.hours * HOUR_S if self.rest == "long" else SHORT_S)

    def _resting(self, state: State) -> tuple[Creature, ...]:
        if self.creatures:
            return tuple(state.creatures[name] for name in dict.fromkeys(self.creatures))
        return tuple(present(state))

    def decide(self, state: State) -> Emits[State]:
        names = tuple(creature.id for creature in self._resting(state))
        seconds = self._ends(state) - state.clock_s
        state = yield from pass_time(state, seconds, f"{self.rest} rest", ("HR-REST-1", "HR-REST-2"))
        if self.rest == "long":
            path = state.numbered("night")
            return (yield RestBegun(rest=path, night=self.night, sleepers=names))
        for name in names:
            state = yield from rest_short(state, name)
        return state

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        everybody = tuple(present(view))
        if any(is_in_peril(creature) for creature in everybody):
            return
        if everybody:
            yield Offer(type=cls.type, given={"rest": "short"})
        morning = day(view.clock_s + cls.hours * HOUR_S)
        rested = tuple((c.id,) for c in everybody if c.last_long_rest_day != morning)
        if rested:
            yield Offer(type=cls.type, given={"rest": "long"}, choices={"creatures": rested, "night": NIGHTS})
