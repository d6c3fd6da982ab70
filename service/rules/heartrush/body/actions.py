"""Pay for what one does: actions, rush points, charges, and breath."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.creatures.abilities import Ability, Spell, costs_action
from service.rules.heartrush.creatures.size_and_bonds import WAYS
from service.rules.heartrush.creatures.state import DAY_S, MONTH_DAYS, WEEK_DAYS, Creature, State, is_able
from service.rules.heartrush.values import AbilityIds, AbilityName, IsInstant
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, Points, Seconds
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame

# --- exertions without air -----------------------------------------------------------------------------
# To be paid for when what it was used for is over. What it costs is emitted by the ruleset's `Exertion` (in
# `hazards.py`); this file only knows that it is owed, so that whatever uses an ability can leave it.


class Exertion:
    """What an exertion without air costs."""

    def tell(self, state: State, chance: Chance, frame: StrainFrame) -> Emits[State]:
        """Emit it, and that *frame* is done."""
        raise NotImplementedError


@record
class StrainFrame(Frame[State]):
    """One exertion without air: a round of breath, or a die of harm."""

    kind: ClassVar[str] = "strain"
    creature: CreatureId

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        (kind,) = state.families.listed(Exertion)
        return (yield from kind().tell(state, chance, self))


def is_airless(creature: Creature) -> bool:
    """Return whether *creature* breathes nothing now."""
    return creature.breath is not None or creature.has("suffocating")


def strained(state: State, creature: str) -> State:
    """Return the state with an exertion of *creature* on the stack."""
    number = state.rulings + 1
    frame = StrainFrame(path=f"r{state.round}/strain/{creature}-{number}", creature=creature)
    return changed(state, rulings=number).pushed(frame)


def winded(state: State, creature: str, how: str) -> State:
    """Return the state after a move that is not paid for: without air most ways cost breath too."""
    is_felt = WAYS[how].breath and is_airless(state.creatures[creature])
    return strained(state, creature) if is_felt else state


def stream_of(creature: str) -> str:
    """Return the stream of the dice of suffocation."""
    return f"{creature}/suffocation"


# --- rush points ---------------------------------------------------------------------------------------
# One at the start, more with each active round, none kept over a round.

HR_RUSH_1: Final = Rule(
    "HR-RUSH-1",
    "Each creature has one rush point at the start of combat; outside combat the pool is empty.",
    books.COMBAT.at("Rush Points"),
    settles=("A-30",),
)
HR_START_6: Final = Rule(
    "HR-START-6", "A creature begins combat with one rush point.", books.COMBAT.at("Rush Points")
)
HR_RUSH_2: Final = Rule(
    "HR-RUSH-2",
    "A new round gives a point for each earlier one with an engagement, opportunity attack or spell.",
    books.COMBAT.at("Rush Points"),
    settles=("A-29", "A-69"),
)
HR_RUSH_3: Final = Rule(
    "HR-RUSH-3", "Unspent points vanish at the end of every round.", books.COMBAT.at("Rush Points")
)
HR_RUSH_4: Final = Rule(
    "HR-RUSH-4",
    "Rush pays for minor abilities, extras of major ones, sidesteps and opportunity attacks.",
    books.COMBAT.at("Special Use Cases"),
)
HR_ENG_9: Final = Rule(
    "HR-ENG-9",
    "Taking part in an engagement, in whatever way, makes the round an active one.",
    books.COMBAT.at("Rush Points"),
)
HR_OA_4: Final = Rule(
    "HR-OA-4",
    "An opportunity attack makes the round an active one, and does not move priority.",
    books.COMBAT.at("Rush Points"),
)


@record
class RushGained(Event[State]):
    """Creatures gain rush points, as many as listed for each."""

    type: ClassVar[str] = "rush_gained"
    gains: Mapping[CreatureId, Points]
    """The rush points that each gains, by creature."""

    def evolve(self, state: State) -> State:
        creatures = {
            name: changed(creature, rush=creature.rush + self.gains.get(name, 0))
            for name, creature in state.creatures.items()
        }
        return changed(state, creatures=creatures)


@enforces(HR_START_6, HR_RUSH_1)
def first_rush(state: State) -> Emits[State]:
    """Emit the rush point of each creature at the start of combat."""
    return (yield RushGained(gains=dict.fromkeys(state.creatures, 1)))


@enforces(HR_RUSH_2)
def rush_of_round(state: State) -> Emits[State]:
    """Emit the rush points that each creature gains in a new round."""
    gains = {name: _gain(state, creature) for name, creature in state.creatures.items()}
    return (yield RushGained(gains={name: gain for name, gain in gains.items() if gain}))


def _gain(state: State, creature: Creature) -> int:
    if state.house.rush_formula == "round_number":
        return state.fight_round
    return min(len(creature.rounds_active), state.fight_round)


@enforces(HR_RUSH_3)
def lose_rush(creature: Creature) -> Creature:
    """Return *creature* without rush points."""
    return changed(creature, rush=0)


@enforces(HR_RUSH_4)
def afford_rush(creature: Creature, points: int) -> None:
    """Refuse a payment of more rush points than *creature* has."""
    if creature.rush < points:
        raise Refused(
            "insufficient_rush", f"{creature.id} has {creature.rush} rush, not {points}", HR_RUSH_4.id
        )


def active_in(creature: Creature, round_number: int) -> Creature:
    """Return *creature* with this round among those it was active in, once."""
    if round_number in creature.rounds_active:
        return creature
    return changed(creature, rounds_active=(*creature.rounds_active, round_number))


@enforces(HR_ENG_9, HR_OA_4)
def make_active(state: State, creature: str) -> State:
    """Return the state in which this round is an active one of *creature*."""
    active = active_in(state.creatures[creature], state.round)
    return state.with_creature(creature, rounds_active=active.rounds_active)


# --- actions -------------------------------------------------------------------------------------------
# What each costs, and those that are over at once. One action a creature a round; dash, object and call out
# are free the first time. A use is paid when it is declared; unless it is an instant, priority goes over when
# it has resolved.

HR_GEN_2: Final = Rule(
    "HR-GEN-2",
    "Everything that a creature does by the rules is an ability: it is declared, paid, and then resolved.",
    (books.COMBAT.at("Actions"), books.BASICS.at("Using Abilities")),
)
HR_PRIO_5: Final = Rule(
    "HR-PRIO-5",
    "Any ability used before the round is over starts the count of declines again.",
    books.COMBAT.at("Priority During Combat"),
)
HR_PRIO_7: Final = Rule(
    "HR-PRIO-7",
    "Instants need no priority, do not move it and, by default, do not reset the count of declines.",
    books.COMBAT.at("Instant Actions"),
    settles=("A-04",),
)
HR_ACT_1: Final = Rule(
    "HR-ACT-1",
    "A creature takes one action a round, besides any number of abilities within their own limits.",
    books.COMBAT.at("Actions"),
)
HR_ACT_3: Final = Rule(
    "HR-ACT-3",
    "Dash, object and call out are free the first time in a round; each repeat costs the action.",
    books.COMBAT.at("Actions"),
)
HR_ACT_4: Final = Rule(
    "HR-ACT-4",
    "Sidestep and opportunity attack cost the action or 1 rush point; the payer chooses.",
    books.COMBAT.at("Actions"),
    settles=("A-66",),
)


Payment = Literal["action", "rush", "free", "none"]
FREE_FIELDS: Final = {"dash": "free_dash", "object": "free_object", "call_out": "free_callout"}
SLIGHT: Final = ("dash", "sidestep", "call_out")
"""What a confused creature may do without having acted: moving is the other half of its choice."""
EXERTIONS: Final = ("dash", "sidestep", "object", "help", "break_free", "shake_off", "steady", "douse")
"""Actions that take breath outside combat, where they cost nothing."""


@enforces(HR_GEN_2)
@record
class AbilityUsed(Event[State]):
    """A creature uses an ability: it is paid, and unless it is an instant, priority waits for it."""

    type: ClassVar[str] = "ability_used"
    creature: CreatureId
    ability: AbilityName
    paid: Payment
    """What was paid."""
    instant: IsInstant = False

    def evolve(self, state: State) -> State:
        before = state.creatures[self.creature]
        if not state.paused():  # outside combat there are no rounds to count in
            state = state.with_creature(self.creature, **self._payment(before))
        if is_airless(before) and self._is_exertion(state):
            state = strained(state, self.creature)
        if self.instant or state.phase in ("precombat", "setup", "ended"):
            return _leave_priority(state)
        if state.phase == "turn":
            return changed(state, acted_this_round=True)
        return _begin_anew(state, state.creatures[self.creature])

    def _is_exertion(self, state: State) -> bool:
        """Return whether it takes breath: an action or a movement, also where it costs nothing."""
        if self.ability == "call_out":
            return False
        return self.paid != "none" or (state.paused() and self.ability in EXERTIONS)

    def _payment(self, creature: Creature) -> dict[str, object]:
        spent: dict[str, object] = {"dashed": True} if self.ability == "dash" else {}
        if self.paid == "action":
            spent["action"] = creature.action - 1
        elif self.paid == "rush":
            spent["rush"] = creature.rush - 1
        elif self.paid == "free":
            spent[FREE_FIELDS[self.ability]] = False
        if creature.meditates:
            spent["meditates"] = False
        if self.ability not in SLIGHT:
            spent["acted"] = True
        return spent


@enforces(HR_PRIO_5)
def _begin_anew(state: State, actor: Creature) -> State:
    """Return the state in which the side of *actor* resolves an ability and no decline counts."""
    return changed(
        state,
        phase="resolving",
        priority_side=None,
        last_actor_side=actor.side,
        last_actor=actor.id,
        passes=0,
        auto_passes=0,
        acted_this_round=True,
        member_passed=(),
        starter=None,
    )


@enforces(HR_PRIO_7)
def _leave_priority(state: State) -> State:
    """Return the state after an instant: priority stays, and so do declines unless the house resets them."""
    if state.phase == "priority" and state.house.instant_resets_passes:
        return changed(state, passes=0, auto_passes=0)
    return state


@enforces(HR_ACT_1)
def afford_action(creature: Creature) -> Payment:
    """Return the payment `action`; refuse a creature that has no action left this round."""
    if creature.action < 1:
        raise Refused("action_spent", f"{creature.id} has no action left this round", HR_ACT_1.id)
    return "action"


@enforces(HR_ACT_3)
def afford_free_first(creature: Creature, ability: str) -> Payment:
    """Return the payment for *ability*: free the first time in a round, the action after that."""
    return "free" if getattr(creature, FREE_FIELDS[ability]) else afford_action(creature)


@enforces(HR_ACT_4)
def afford_action_or_rush(creature: Creature, pay: Literal["action", "rush"] | None) -> Payment:
    """Return the payment `action` or `rush` as *pay* says; refuse what the creature cannot pay."""
    if creature.action < 1 and creature.rush < 1:
        raise Refused("cannot_pay", f"{creature.id} has neither action nor rush left", HR_ACT_4.id)
    if pay == "rush" or (pay is None and creature.action < 1):
        afford_rush(creature, 1)
        return "rush"
    return afford_action(creature)


def action_price(state: State, creature: Creature) -> Payment:
    """Return how an action is paid: with the one of the round, or not at all outside combat."""
    return "none" if state.paused() else afford_action(creature)


def free_first_price(state: State, creature: Creature, ability: str) -> Payment:
    """Return how an action is paid that is free the first time in a round."""
    return "none" if state.paused() else afford_free_first(creature, ability)


def careful_price(state: State, creature: Creature, pay: Literal["action", "rush"] | None) -> Payment:
    """Return how a sidestep is paid; outside combat there is nothing to pay with."""
    if not state.paused():
        return afford_action_or_rush(creature, pay)
    if pay is not None:
        raise Refused("cannot_pay", "outside combat a sidestep costs nothing", "HR-ABIL-9")
    return "none"


def has_action(state: State, creature: Creature) -> bool:
    """Return whether *creature* could pay for an action now."""
    return state.paused() or creature.action > 0


def with_fresh_round(creature: Creature, **changes: object) -> Creature:
    """Return *creature* with nothing counted yet in this round: no feet, no dash, no shot, no spell."""
    return changed(
        creature,
        moved_ft=0,
        dashed=False,
        used_reach=False,
        ranged_stance_taken=False,
        shrugs=0,
        spell_cast=False,
        cast_at_ft=0,
        meditates=False,
        acted=False,
        **changes,
    )


def can_answer(creature: Creature) -> bool:
    """Return whether *creature* could pay for a reaction: able, with an action or rush left."""
    return is_able(creature) and (creature.action > 0 or creature.rush > 0)


# --- charges -------------------------------------------------------------------------------------------
# Rush for minor ones, charges for heart and major, then the clock. Costs are paid at declaration, whatever
# becomes of the use.

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


_CHARGED: Final = ("heart", "major")


@record
class CostPaid(Event[State]):
    """A use of an ability was paid: rush, and what its frequency counts."""

    type: ClassVar[str] = "cost_paid"
    creature: CreatureId
    ability: AbilityName
    frequency: Literal["minor", "heart", "major", "weekly", "monthly"]
    """How often it may be used."""
    rush: Points
    """The rush points that were paid."""
    at_s: Seconds
    """The campaign second at which it was paid."""

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
    creature: CreatureId
    abilities: AbilityIds

    def evolve(self, state: State) -> State:
        spent = tuple(one for one in state.creatures[self.creature].spent if one not in self.abilities)
        return state.with_creature(self.creature, spent=spent)


def in_combat(state: State) -> bool:
    """Return whether there is an encounter for abilities to count in."""
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
        raise Refused("params_missing", f"{ability.id} takes no extra rush", HR_ABIL_5.id)


def check_minor(state: State, ability: Ability) -> None:
    """Refuse a minor ability outside an encounter."""
    if ability.frequency == "minor" and not in_combat(state):
        raise Refused("no_encounter", f"{ability.id} is used in encounters alone", "HR-ABIL-3")


@enforces(HR_ABIL_6)
def week_over(state: State, creature: Creature, ability: str) -> bool:
    """Return whether the week of a weekly ability is over."""
    return _days_since(state, creature, ability) >= WEEK_DAYS


@enforces(HR_ABIL_7)
def month_over(state: State, creature: Creature, ability: str) -> bool:
    """Return whether the month of a monthly ability is over."""
    return _days_since(state, creature, ability) >= MONTH_DAYS


def _days_since(state: State, creature: Creature, ability: str) -> int:
    """Return the days from the day of the last use to today; a month where there was none."""
    last = creature.last_used.get(ability)
    return MONTH_DAYS if last is None else state.clock_s // DAY_S - last // DAY_S


@enforces(HR_ABIL_4)
def is_charged(state: State, creature: Creature, ability: Ability) -> bool:
    """Return whether *creature* may use *ability* by its frequency."""
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
    """Return whether *creature* could pay for *definition* now."""
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
    """Emit that the spent abilities of these frequencies are charged again, if there are any."""
    spent = state.creatures[creature].spent
    known = tuple(name for name in spent if _frequency(state, name) in frequencies)
    if not known:
        return state
    return (yield HeartRecharged(creature=creature, abilities=known, because=("HR-ABIL-4", "A-32")))


def _frequency(state: State, ability: str) -> str:
    found = state.abilities.get(ability)
    return found.frequency if isinstance(found, Ability) else "heart"


def wounded(state: State, creature: str) -> Emits[State]:
    """Emit that a wound charges its owner's heart abilities."""
    return (yield from recharge(state, creature, "heart")) if state.creatures[creature].spent else state
