"""Keep the campaign clock, and let healing potions work when their hour is over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush.body.actions import (
    AbilityUsed,
    afford_free_first,
    free_first_price,
    has_action,
    is_airless,
    recharge,
)
from service.rules.heartrush.body.conditions import fade_with_time, run_out
from service.rules.heartrush.body.lasting import end_with_time
from service.rules.heartrush.body.permission import check_settled, taking_action
from service.rules.heartrush.body.wounds import ease, heal, ten_minutes
from service.rules.heartrush.creatures.state import DAY_S, MONTH_DAYS, WEEK_DAYS, Creature, State
from service.rules.heartrush.values import LATEST_S
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.values import CreatureId, Reason, Seconds

# --- healing potions -----------------------------------------------------------------------------------
# An object interaction now, and an hour later smaller wounds and hit points.

WORKS_AFTER_S: Final = 3600
HEALS: Final = 20
BECAUSE: Final = ("HR-REST-6",)


@record
class PotionDrunk(Event[State]):
    """A potion is drunk; it works when the campaign clock shows so many seconds."""

    type: ClassVar[str] = "potion_drunk"
    creature: CreatureId
    works_at_s: Seconds
    """The campaign second at which it works."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        potions_at_s = (*creature.potions_at_s, self.works_at_s)
        return state.with_creature(self.creature, potions=creature.potions - 1, potions_at_s=potions_at_s)


@record
class PotionWorked(Event[State]):
    """A potion that was drunk an hour ago works now."""

    type: ClassVar[str] = "potion_worked"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        rest = state.creatures[self.creature].potions_at_s[1:]
        return state.with_creature(self.creature, potions_at_s=rest)


def potions_work(state: State) -> Emits[State]:
    """Emit what every potion does whose hour is over: each wound a rank smaller, and 20 hit points."""
    for name in state.creatures:
        while due(state, name):
            state = yield PotionWorked(creature=name, because=BECAUSE)
            wounds = state.creatures[name].wounds
            if wounds:
                state = yield ease(name, wounds, 1, BECAUSE)
            state = yield from heal(state, name, HEALS, None)
    return state


def due(state: State, creature: str) -> bool:
    """Return whether a potion that *creature* drank works now."""
    found = state.creatures[creature].potions_at_s
    return bool(found) and found[0] <= state.clock_s


@record
class DrinkPotion(Command[State]):
    """Drink a potion: in combat an object interaction; an hour later wounds are smaller, and it heals 20."""

    type: ClassVar[str] = "drink_potion"
    sentence: ClassVar[str] = "Drink a potion"
    creature: CreatureId

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


# --- the campaign clock --------------------------------------------------------------------------------
# Seconds since its first midnight, moved by rounds, by rests and by the GM. Days, weeks and months are
# counted from the seconds; nothing but the seconds is stored.

MOST_DAYS: Final = 400
"""The most one command moves the clock."""


def day(clock_s: int) -> int:
    """Return the campaign day of *clock_s*; the first is 1."""
    return clock_s // DAY_S + 1


def week(clock_s: int) -> int:
    """Return the campaign week of *clock_s*; the first is 1."""
    return (day(clock_s) - 1) // WEEK_DAYS + 1


def month(clock_s: int) -> int:
    """Return the campaign month of *clock_s*, of 30 days; the first is 1."""
    return (day(clock_s) - 1) // MONTH_DAYS + 1


def at_rest(view: State) -> bool:
    """Return whether no combat runs: it has not begun, or it is over."""
    return view.phase in ("setup", "ended")


def is_in_peril(creature: Creature) -> bool:
    """Return whether time hurts *creature* round by round: it burns, or has no air."""
    return creature.has("burning") or is_airless(creature)


def check_out_of_peril(creature: Creature, what: str, rule: str) -> None:
    """Refuse *what* of a creature that burns or has no air: first the clock goes on, or somebody helps it."""
    if is_in_peril(creature):
        why = "burns" if creature.has("burning") else "has no air"
        raise Refused("in_peril", f"{creature.id} {why} and cannot {what}", rule)


def check_at_rest(view: State, what: str, rule: str | None = None) -> None:
    """Refuse *what* while combat runs, and while something is unresolved."""
    if not at_rest(view):
        raise Refused("in_combat", f"{what} outside combat", rule)
    check_settled(view)


@record
class ClockAdvanced(Event[State]):
    """Time passes on the campaign clock."""

    type: ClassVar[str] = "clock_advanced"
    seconds: Seconds
    clock_s: Seconds
    """What the clock shows now."""
    reason: Reason

    def evolve(self, state: State) -> State:
        return changed(state, clock_s=self.clock_s)


def pass_time(state: State, seconds: int, reason: str, because: tuple[str, ...]) -> Emits[State]:
    """Emit that time passes, and what comes of it."""
    before_s = state.clock_s
    state = yield ClockAdvanced(
        seconds=seconds, clock_s=min(LATEST_S, before_s + seconds), reason=reason, because=because
    )
    state = yield from time_passed(state, before_s)
    if not at_rest(state):
        return state
    state = yield from end_with_time(state, seconds)
    return (yield from fade_with_time(state, seconds, state.creatures))


def time_passed(state: State, before_s: int) -> Emits[State]:
    """Emit what the time since *before_s* does: who falls unconscious, and what a new day charges."""
    state = yield from run_out(state)
    state = yield from potions_work(state)
    state = yield from ten_minutes(state)
    if state.house.major_recharge == "day" and day(state.clock_s) > day(before_s):
        for creature in state.creatures:
            state = yield from recharge(state, creature, "major")
    return state
