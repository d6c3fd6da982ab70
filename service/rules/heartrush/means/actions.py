"""Use the actions everybody has: what each costs, and those that are over at once.

One action a creature a round; dash, object and call out are free the first time. A use is paid when it is
declared; one that is no instant hands priority over when it has resolved.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.creatures.strain import is_airless, strained
from service.rules.heartrush.means.rush import afford_rush
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.kernel.messages import Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces

HR_GEN_2: Final = Rule(
    "HR-GEN-2",
    "Whatever a creature does by the rules is an ability: it is paid, and unless an instant it resolves.",
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
ADJACENT_FT: Final = 5
EXERTIONS: Final = ("dash", "sidestep", "object", "help", "break_free", "shake_off", "steady", "douse")
"""Actions that take breath outside combat, where they cost nothing."""


@enforces(HR_GEN_2)
@record
class AbilityUsed(Event[State]):
    """A creature uses an ability: it is paid, and unless it is an instant, priority waits for it."""

    type: ClassVar[str] = "ability_used"
    creature: str
    ability: str
    paid: Payment
    instant: bool = False

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
        """Tell whether it takes breath: an action or a movement, also where it costs nothing."""
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
        raise Refused("action_spent", f"{creature.id} has no action left this round")
    return "action"


@enforces(HR_ACT_3)
def afford_free_first(creature: Creature, ability: str) -> Payment:
    """Return the payment for *ability*: free the first time in a round, the action after that."""
    return "free" if getattr(creature, FREE_FIELDS[ability]) else afford_action(creature)


@enforces(HR_ACT_4)
def afford_action_or_rush(creature: Creature, pay: Literal["action", "rush"] | None) -> Payment:
    """Return the payment `action` or `rush` as *pay* says; refuse what the creature cannot pay."""
    if creature.action < 1 and creature.rush < 1:
        raise Refused("cannot_pay", f"{creature.id} has neither action nor rush left")
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
    """Tell whether *creature* could pay for an action now."""
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
    """Tell whether *creature* could pay for a reaction: able, with an action or rush left."""
    return is_able(creature) and (creature.action > 0 or creature.rush > 0)
