"""Take turns: begin, pass and end them, and say in which order the group should act."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.kernel.messages import Awaited, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.acting.delays import due
from service.rules.rise.acting.offering import offered, sender
from service.rules.rise.acting.turns import (
    TurnEnding,
    TurnFrame,
    TurnPassed,
    begun,
    starting_turn,
    taking_turn,
)
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.permission import Act, in_phase
from service.rules.rise.state import State

RI_GROUP_6: Final = Rule(
    "RI-GROUP-6",
    "No fuss about order: who begins first acts first. Delayed effects come now or are held.",
    books.TIME.at("Deciding Action Order"),
)
RI_PHASE_6: Final = Rule(
    "RI-PHASE-6",
    "A phase closes when everybody able to act has acted or passed.",
    books.TIME.at("Resolving Actions"),
)


@record
class OrderWanted(Event[State]):
    """A seat of the group says in which order it wants the members to act."""

    type: ClassVar[str] = "order_wanted"
    seat: str
    order: tuple[str, ...]

    def evolve(self, state: State) -> State:
        return changed(state, orders=with_key(state.orders, self.seat, self.order))


@enforces(RI_GROUP_6)
@record
class BeginTurn(Act):
    """Begin the turn of a creature; its delayed effects come now, or are held."""

    type: ClassVar[str] = "begin_turn"
    hold_delayed: bool = False

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        if creature.budget.turn == "open":
            raise Refused("turn_split", f"the turn of {self.creature} cannot be paused", "RI-DELAY-3")
        taking_turn(view, self)

    def decide(self, state: State) -> Emits[State]:
        return (yield from begun(state, self.creature, hold_delayed=self.hold_delayed))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if may_begin(view, awaited):
            yield Offer(type=cls.type, creature=awaited.creature, choices={"hold_delayed": (False, True)})


def may_begin(view: State, awaited: Awaited) -> bool:
    """Tell whether the creature of *awaited* may begin its turn now."""
    try:
        starting_turn(view, view.creatures[awaited.creature or ""])
    except Refused:
        return False
    return True


@enforces(RI_PHASE_6)
@record
class PassTurn(Act):
    """Pass the turn of a creature, without another action."""

    type: ClassVar[str] = "pass_turn"

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        if creature.budget.turn == "open":
            points_picked(view, creature)

    def decide(self, state: State) -> Emits[State]:
        state = yield TurnPassed(creature=self.creature)
        state = yield from begun(state, self.creature)
        return (yield TurnEnding(creature=self.creature))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if may_begin(view, awaited):
            yield Offer(type=cls.type, creature=awaited.creature)


def points_picked(view: State, creature: Creature) -> None:
    """Refuse to end a turn in which a delayed effect was held and never came, where no default helps."""
    left = due(view, creature)
    if left and not view.house.auto_default:
        raise Refused("delayed_point_unset", f"{left[0].ability} has not come yet", "RI-DELAY-2")


@record
class EndTurn(Act):
    """End the creature's turn: what it has not spent of its round is lost."""

    type: ClassVar[str] = "end_turn"

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        if creature.budget.turn == "not_started":
            raise Refused("turn_not_begun", f"{self.creature} has not begun its turn", "RI-ACT-8")
        taking_turn(view, self)
        points_picked(view, creature)

    def decide(self, state: State) -> Emits[State]:
        return (yield TurnEnding(creature=self.creature, because=("RI-ROUND-3",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "")
        yield from offered(command, view) if isinstance(view.top, TurnFrame) else ()


@record
class SetOrder(Act):
    """Say in which order the group should act; members whose seats disagree cannot begin."""

    type: ClassVar[str] = "set_order"
    order: tuple[str, ...] = ()

    def check(self, view: State) -> None:
        in_phase(view, self, "action")
        for name in self.order:
            if name not in view.groups[view.here]:
                raise Refused("not_in_group", f"{name} is not in {view.here}", "RI-GROUP-1")

    def decide(self, state: State) -> Emits[State]:
        return (yield OrderWanted(seat=self.by.seat, order=self.order, because=("RI-GROUP-4",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        """Yield what settles an order: no wish, that this member is next, and what another seat wants."""
        first = awaited.creature or ""
        rest = tuple([name for name in view.groups[view.here] if name != first])
        for order in dict.fromkeys([(), (first, *rest), *view.orders.values()]):
            command = cls(by=sender(view, awaited), creature=first, order=order)
            yield from offered(command, view, order=order)
