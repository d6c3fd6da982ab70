"""Handle objects: once a round for nothing, then for minor or standard actions, three times in all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from service.rules.messages import Event, Offer, Refused, Tale
from service.rules.records import changed, record
from service.rules.rise.actions import MANIPULATIONS, Pay, check_minor, check_standard, check_trade, pay_for
from service.rules.rise.permission import Act, able, in_phase
from service.rules.rise.state import Creature, State
from service.rules.rise.turns import begun, offered, sender, taking_turn
from service.rules.rulebook import rule
from service.rules.stack import TABLE, Awaited

Handling = Literal["draw", "stow", "drop", "open", "pick_up", "rummage", "heavy", "other"]
COSTS_MINOR = ("draw", "stow")
COSTS_STANDARD = ("rummage", "heavy")


@record
class ObjectManipulated(Event[State]):
    """A creature handled an object."""

    type: ClassVar[str] = "object_manipulated"
    creature: str
    what: Handling
    item: str
    free: bool

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        held = creature.held
        if self.what in ("draw", "pick_up") and self.item:
            held = (*held, self.item)
        if self.what in ("stow", "drop"):
            held = tuple([item for item in held if item != self.item])
        budget = creature.budget
        if self.what != "drop":
            budget = changed(
                budget,
                manipulations=budget.manipulations + 1,
                free_manipulation=budget.free_manipulation or self.free,
            )
        return state.with_creature(self.creature, held=held, budget=budget)


@rule("RI-UNIV-MANIP", "P22")
@record
class ManipulateObject(Act):
    """Handle an object: free once in a round, in either phase, then for a minor or standard action."""

    type: ClassVar[str] = "manipulate_object"
    what: Handling = "other"
    item: str = ""
    pay: Pay = "free"

    def check(self, view: State) -> None:
        creature = handling(view, self)
        if self.what == "drop":
            dropping(creature, self.item)
            return
        three_at_most(creature)
        if view.option("detailed_manipulation"):
            detailed(self.what, self.pay)
        if self.pay == "free":
            once_for_nothing(creature)
        else:
            paid_for(view, creature, self.pay)

    def decide(self, state: State) -> Tale[State]:
        if state.phase == "action":
            state = yield from begun(state, self.creature)
        if self.pay != "free" and self.what != "drop":
            usage = "minor" if self.pay == "minor" else "standard"
            state = yield from pay_for(self.creature, usage, self.pay, f"{self.type}-{self.what}")
        return (
            yield ObjectManipulated(
                creature=self.creature, what=self.what, item=self.item, free=self.pay == "free"
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        by, name = sender(view, awaited), awaited.creature or ""
        for pay in ("free", "minor"):
            command = cls(by=by, creature=name, what="open", pay=pay)
            yield from offered(command, view, what="open", pay=pay)


@rule("RI-PHASE-3", "P06", settles=("C-25",))
def handling(view: State, command: Act) -> Creature:
    """Free actions are allowed in both phases."""
    if view.phase == "movement":
        creature = in_phase(view, command, "movement")
        able(creature)
        if view.here == TABLE or view.top is None:
            raise Refused("wrong_step", f"{creature.id} has sealed its plans", "RI-ORDER-1")
        return creature
    return taking_turn(view, command)


@rule("RI-MAN-3", "EQ")
def dropping(creature: Creature, item: str) -> None:
    """Letting go of what one holds is not counted."""
    if item not in creature.held:
        raise Refused("invalid_target", f"{creature.id} holds no {item}")


@rule("RI-MAN-2", "EQ")
def three_at_most(creature: Creature) -> None:
    """Nobody handles objects more than three times in a round, however it is paid."""
    if creature.budget.manipulations >= MANIPULATIONS:
        raise Refused("object_manipulation_limit", f"{creature.id} has handled three objects this round")


@rule("RI-MAN-1", "P22")
def once_for_nothing(creature: Creature) -> None:
    """Handling an object is free once in a round."""
    if creature.budget.free_manipulation:
        raise Refused("free_manipulation_spent", f"{creature.id} has handled an object for free this round")


@rule("RI-MAN-4", "EQ", settles=("C-27",))
def detailed(what: str, pay: str) -> None:
    """By the later printing a sheathed thing takes a minor action, and searching a bag a standard one."""
    if what in COSTS_STANDARD and pay != "standard":
        raise Refused("needs_standard_action", f"to {what} takes a standard action")
    if what in COSTS_MINOR and pay == "free":
        raise Refused("needs_minor_action", f"to {what} takes a minor action")


def paid_for(view: State, creature: Creature, pay: str) -> None:
    """Refuse unless the action that is to pay for it is there; in the movement phase none is."""
    if view.phase != "action":
        raise Refused("wrong_phase", "only free actions come in the movement phase", "RI-PHASE-1")
    if pay == "minor":
        check_minor(creature)
    elif pay == "standard":
        check_standard(creature)
    else:
        check_trade(creature, "free")
