"""Count how often abilities may be used: rush for minor ones, charges for heart and major, then the clock.

Costs are paid at declaration, whatever becomes of the use.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.means.actions import afford_action
from service.rules.heartrush.means.rush import afford_rush
from service.rules.heartrush.sheets.abilities import Ability, Spell, costs_action
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_ABIL_3: Final = Rule(
    "HR-ABIL-3",
    "The n-th use of a minor ability in an encounter costs n rush points, each ability counted apart.",
    (books.COMBAT.at("Minor Abilities"), books.BASICS.at("Frequency Tags")),
    settles=("A-31",),
)
HR_ABIL_5: Final = Rule(
    "HR-ABIL-5",
    "A major ability is used once; only one that says so takes rush points on top, any number.",
    (books.COMBAT.at("Major Abilities"), books.BASICS.at("Frequency Tags")),
    settles=("A-75",),
)
HR_ABIL_6: Final = Rule(
    "HR-ABIL-6",
    "A weekly ability may be used again seven campaign days after its last use.",
    books.BASICS.at("Frequency Tags"),
)
HR_ABIL_7: Final = Rule(
    "HR-ABIL-7",
    "A monthly ability may be used again thirty campaign days after its last use.",
    books.BASICS.at("Frequency Tags"),
)
HR_ABIL_4: Final = Rule(
    "HR-ABIL-4",
    "A heart ability is used once for each long rest, or again after a wound; charges do not add up.",
    books.BASICS.at("Frequency Tags"),
    settles=("A-32", "A-33"),
)
HR_ABIL_11: Final = Rule(
    "HR-ABIL-11",
    "Costs are paid at declaration; a use that finds nothing to act on later fizzles, unrefunded.",
    RULING,
)


DAY_S: Final = 86_400
WEEK_DAYS: Final = 7
MONTH_DAYS: Final = 30
_CHARGED: Final = ("heart", "major")


@record
class CostPaid(Event[State]):
    """A use of an ability was paid: rush, and what its frequency counts."""

    type: ClassVar[str] = "cost_paid"
    creature: str
    ability: str
    frequency: Literal["minor", "heart", "major", "weekly", "monthly"]
    rush: int
    at_s: int

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        changes: dict[str, object] = {"rush": creature.rush - self.rush}
        if self.frequency == "minor":
            changes["uses"] = with_key(creature.uses, self.ability, creature.uses.get(self.ability, 0) + 1)
        elif self.frequency in _CHARGED:
            changes["spent"] = (*creature.spent, self.ability)
        else:
            changes["last_used"] = with_key(creature.last_used, self.ability, self.at_s)
        return state.with_creature(self.creature, **changes)


@record
class HeartRecharged(Event[State]):
    """Abilities that were spent may be used again."""

    type: ClassVar[str] = "heart_recharged"
    creature: str
    abilities: tuple[str, ...]

    def evolve(self, state: State) -> State:
        spent = tuple(one for one in state.creatures[self.creature].spent if one not in self.abilities)
        return state.with_creature(self.creature, spent=spent)


def in_combat(state: State) -> bool:
    """Tell whether there is an encounter for abilities to count in."""
    return state.phase not in ("setup", "ended")


@enforces(HR_ABIL_3)
def minor_cost(creature: Creature, ability: str) -> int:
    """Return the rush points of the next use of a minor ability in this encounter."""
    return creature.uses.get(ability, 0) + 1


def rush_cost(creature: Creature, ability: Ability, extra: int) -> int:
    """Return the rush a use costs, what is added to it included."""
    return extra + (minor_cost(creature, ability.id) if ability.frequency == "minor" else 0)


@enforces(HR_ABIL_5)
def check_extra(ability: Ability, extra: int) -> None:
    """Refuse extra rush points for an ability that takes none."""
    if extra < 0 or (extra and not ability.rush_extra):
        raise Refused("params_missing", f"{ability.id} takes no extra rush")


def check_minor(state: State, ability: Ability) -> None:
    """Refuse a minor ability outside an encounter."""
    if ability.frequency == "minor" and not in_combat(state):
        raise Refused("no_encounter", f"{ability.id} is used in encounters alone", "HR-ABIL-3")


@enforces(HR_ABIL_6)
def week_over(state: State, creature: Creature, ability: str) -> bool:
    """Tell whether the week of a weekly ability is over."""
    return _days_since(state, creature, ability) >= WEEK_DAYS


@enforces(HR_ABIL_7)
def month_over(state: State, creature: Creature, ability: str) -> bool:
    """Tell whether the month of a monthly ability is over."""
    return _days_since(state, creature, ability) >= MONTH_DAYS


def _days_since(state: State, creature: Creature, ability: str) -> int:
    """Return the days from the day of the last use to today; a month where there was none."""
    last = creature.last_used.get(ability)
    return MONTH_DAYS if last is None else state.clock_s // DAY_S - last // DAY_S


@enforces(HR_ABIL_4)
def is_charged(state: State, creature: Creature, ability: Ability) -> bool:
    """Tell whether *creature* may use *ability* by its frequency."""
    if ability.frequency in _CHARGED:
        return ability.id not in creature.spent
    if ability.frequency == "weekly":
        return week_over(state, creature, ability.id)
    return ability.frequency != "monthly" or month_over(state, creature, ability.id)


def afford(state: State, creature: Creature, ability: Ability, extra: int) -> None:
    """Refuse a use that cannot be paid: the action, then rush, then its frequency."""
    if in_combat(state) and costs_action(ability):
        afford_action(creature)
    if not is_charged(state, creature, ability):
        raise Refused("frequency_exhausted", f"{ability.id} was used and waits for its recharge", "HR-ABIL-4")
    check_extra(ability, extra)
    afford_rush(creature, rush_cost(creature, ability, extra))


def can_afford(state: State, creature: Creature, definition: Ability | Spell) -> bool:
    """Tell whether *creature* could pay for *definition* now."""
    if costs_action(definition) and creature.action < 1:
        return False
    if isinstance(definition, Spell):
        return not creature.spell_cast and definition.id not in creature.cooldowns
    return is_charged(state, creature, definition) and creature.rush >= rush_cost(creature, definition, 0)


@enforces(HR_ABIL_11)
def pay(state: State, creature: str, ability: Ability, extra: int) -> Emits[State]:
    """Emit the payment for a use of *ability*, at its declaration."""
    frequency = ability.frequency
    assert frequency != "passive", "passives are not used"
    return (
        yield CostPaid(
            creature=creature,
            ability=ability.id,
            frequency=frequency,
            rush=rush_cost(state.creatures[creature], ability, extra),
            at_s=state.clock_s,
        )
    )


def recharge(state: State, creature: str, *frequencies: str) -> Emits[State]:
    """Tell that the spent abilities of these frequencies are charged again, if there are any."""
    spent = state.creatures[creature].spent
    known = tuple(name for name in spent if _frequency(state, name) in frequencies)
    if not known:
        return state
    return (yield HeartRecharged(creature=creature, abilities=known, because=("HR-ABIL-4", "A-32")))


def _frequency(state: State, ability: str) -> str:
    found = state.abilities.get(ability)
    return found.frequency if isinstance(found, Ability) else "heart"


def wounded(state: State, creature: str) -> Emits[State]:
    """Tell that a wound charges its owner's heart abilities."""
    return (yield from recharge(state, creature, "heart")) if state.creatures[creature].spent else state
