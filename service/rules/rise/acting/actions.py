"""Pay for actions: standard, minor and free ones, the exchanges between them, and handling objects.

A creature's budget is kept by its own group. Each way to pay is checked on the view and emitted as one event.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import Budget, Creature
from service.rules.rise.rulings import ruled
from service.rules.rise.state import State

RI_PHASE_2: Final = Rule(
    "RI-PHASE-2",
    "The action phase holds one standard action and one minor action; the standard one is spent once.",
    books.TIME.at("The Action Phase"),
)
RI_ACT_3: Final = Rule(
    "RI-ACT-3",
    "One minor action comes with each action phase, and none with the movement phase.",
    books.TIME.at("Minor Actions"),
)
RI_ACT_4: Final = Rule(
    "RI-ACT-4",
    "An unused standard action may be given for one movement or one more minor action, and nothing else.",
    (books.TIME.at("The Action Phase"), books.TIME.at("Minor Actions")),
    settles=("C-48",),
)
RI_ACT_5: Final = Rule(
    "RI-ACT-5",
    "The same minor action is not used twice in a round unless it says so itself.",
    books.TIME.at("Minor Actions"),
    settles=("C-24",),
)
RI_ACT_9: Final = Rule(
    "RI-ACT-9",
    "A turn holds a standard and a minor action, two different minors, or a movement and a minor.",
    (books.TIME.at("The Action Phase"), books.TIME.at("Minor Actions")),
)
RI_ACT_1: Final = Rule(
    "RI-ACT-1",
    "There are standard, minor and free actions, and movement beside them; every use is paid with one.",
    (books.TIME.at("Actions"), books.CODEX_COMBAT),
)
RI_ACT_7: Final = Rule(
    "RI-ACT-7",
    "Free actions are as many as is reasonable; an ability may set its own limit.",
    books.TIME.at("Free Actions"),
    settles=("C-25",),
)


Pay = Literal["standard", "minor", "free", "movement"]
PAID_WITH: Final[Mapping[str, Pay]] = MappingProxyType(
    {"movement": "movement", "free": "free", "none": "free"}
)
"""Usages that are always paid in one way."""
MANIPULATIONS = 3
"""How often a creature may handle objects in a round."""


@record
class ActionPaid(Event[State]):
    """A creature paid for what it does."""

    type: ClassVar[str] = "action_paid"
    creature: str
    pay: Pay
    what: str

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, budget=paid(state.creatures[self.creature].budget, self))


def paid(budget: Budget, event: ActionPaid) -> Budget:
    """Return *budget* after a payment."""
    if event.pay == "free":
        return changed(budget, free=with_key(budget.free, event.what, budget.free.get(event.what, 0) + 1))
    if event.pay == "movement":
        return changed(budget, standard="traded_movement")
    if event.what.startswith("minor:"):
        minors = (*budget.minors, event.what.removeprefix("minor:"))
        return changed(
            budget, minors=minors, standard="traded_minor" if event.pay == "standard" else budget.standard
        )
    return changed(budget, standard="used")


@enforces(RI_PHASE_2)
def check_standard(creature: Creature) -> None:
    """Refuse a creature that has spent its standard action."""
    if creature.budget.standard != "unused":
        raise Refused("standard_action_spent", f"{creature.id} has spent its standard action")


@enforces(RI_ACT_3)
def check_minor(creature: Creature) -> None:
    """Refuse a creature that has spent its minor actions of the round."""
    allowed = 2 if creature.budget.standard == "traded_minor" else 1
    if len(creature.budget.minors) >= allowed:
        raise Refused("minor_action_spent", f"{creature.id} has spent its minor action")


@enforces(RI_ACT_4)
def check_trade(creature: Creature, wanted: Pay) -> None:
    """Refuse a trade of the standard action that is not for a movement or a minor action."""
    if wanted not in ("movement", "minor"):
        raise Refused("no_such_trade", f"a standard action buys no {wanted} action")
    check_standard(creature)


@enforces(RI_ACT_5)
def check_new_minor(creature: Creature, ability: str, *, repeatable: bool) -> None:
    """Refuse a minor action that *creature* has used this round, unless it is *repeatable*."""
    if not repeatable and ability in creature.budget.minors:
        raise Refused("same_minor_action_twice", f"{creature.id} has used {ability} this round")


def check_pay(creature: Creature, usage: str, pay: str, ability: str, *, repeatable: bool = False) -> None:
    """Refuse unless *creature* can pay for an ability of this usage in this way."""
    if usage == "standard":
        if pay != "standard":
            no_bargain(ability, pay)
        check_standard(creature)
    elif usage == "minor":
        check_new_minor(creature, ability, repeatable=repeatable)
        if pay == "standard":
            check_trade(creature, "minor")
        elif pay == "minor":
            check_minor(creature)
        else:
            no_bargain(ability, pay)
    elif usage == "movement" or (usage == "move_or_standard" and pay == "movement"):
        check_trade(creature, "movement")
    elif usage == "move_or_standard":
        check_standard(creature)
    elif usage not in ("free", "none"):
        raise Refused("unknown_action_type", f"{ability} is no action", "RI-ACT-1")


@enforces(RI_ACT_9)
def no_bargain(ability: str, pay: str) -> None:
    """Refuse to pay for *ability* with an action that cannot pay for it."""
    raise Refused("no_such_trade", f"{ability} cannot be paid with a {pay} action")


@enforces(RI_ACT_1)
def pay_for(creature: str, usage: str, pay: Pay, ability: str) -> Emits[State]:
    """Emit the payment for a use of *ability*."""
    what = f"minor:{ability}" if usage == "minor" else ability
    return (yield ActionPaid(creature=creature, pay=PAID_WITH.get(usage, pay), what=what))


@enforces(RI_ACT_7)
def check_free(view: State, creature: Creature, ability: str, limit: int | None) -> None:
    """Refuse a free action beyond its own limit, or one that the GM ruled unreasonable."""
    many = sum(creature.budget.free.values()) >= view.house.free_actions_warn
    if many and ruled(view, "free_action_reasonable", creature.id) == "no":
        raise Refused("free_action_unreasonable", f"{creature.id} has done enough for nothing this round")
    if limit is not None and creature.budget.free.get(ability, 0) >= limit:
        raise Refused("free_ability_limit", f"{creature.id} has used {ability} as often as it may this round")
