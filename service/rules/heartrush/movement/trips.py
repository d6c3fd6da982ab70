"""Trip what loses its footing beside you as it moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.harm.conditions import gain
from service.rules.heartrush.means.actions import (
    AbilityUsed,
    afford_action,
)
from service.rules.heartrush.permission import acting, answering, is_unbarred
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.heartrush.windows.windows import InstantDeclared, StackItem, WindowFrame, fizzle
from service.rules.kernel.messages import Awaited, Command, Emits, Offer, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.space.grid import FEET, Cell, distance

HR_SIZE_6: Final = Rule(
    "HR-SIZE-6",
    "A knockdown works on what is at most one size larger than its user.",
    books.BASICS.at("Size"),
)
HR_ACT_13: Final = Rule(
    "HR-ACT-13",
    "An unsteady creature, at most one size larger, falls prone in a space next to you it moves through.",
    books.COMBAT.at("Trip"),
    settles=("A-70",),
)


@record
class TripItem(StackItem):
    """A declared trip, and whom it is meant for."""

    kind: ClassVar[str] = "trip"
    target: str

    def resolve(self, state: State, window: str) -> Emits[State]:
        if state.creatures[self.target].has("prone"):
            return (yield from fizzle(self.creature, self.ability, "it lies already"))
        return (yield from gain(state, self.target, "prone", 1, self.creature))


@enforces(HR_SIZE_6)
def at_most_one_size_larger(creature: Creature, than: Creature) -> bool:
    """Tell whether *creature* is at most one size larger than *than*."""
    return creature.rank <= than.rank + 1


def trip_trigger(state: State, mover: Creature, at: Cell) -> tuple[str, ...]:
    """Return who may trip *mover* as it comes to *at*: the able beside it with their action left."""
    if state.paused() or not mover.level("off_balanced") or mover.has("prone"):
        return ()
    return tuple(
        other.id
        for other in state.creatures.values()
        if other.id != mover.id
        and is_able(other)
        and other.action > 0
        and is_unbarred(state, other, "trip")
        and at_most_one_size_larger(mover, other)
        and distance(at, mover.space, other.position, other.space, "chebyshev") == FEET
    )


@enforces(HR_ACT_13)
@record
class Trip(Command[State]):
    """Trip an off-balanced creature, at most one size larger, that moves through an adjacent space."""

    type: ClassVar[str] = "trip"
    creature: str
    target: str
    prompt: str | None = None

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        target = view.creatures.get(self.target)
        if target is None or not target.level("off_balanced"):
            raise Refused("no_trip_trigger", f"{self.target} keeps its footing")
        if not at_most_one_size_larger(target, creature):
            raise Refused("target_too_large", f"{self.target} is too large for {self.creature}", "HR-SIZE-6")
        if self.prompt is None:
            raise Refused("no_trip_trigger", f"{self.target} does not move")
        answering(view, self, late="window_closed")
        afford_action(creature)
        frame = view.top_frame(WindowFrame)
        if frame.subject != self.target or self.prompt != f"{frame.path}/{self.creature}":
            raise Refused("no_trip_trigger", f"{frame.path} is about {frame.subject}")

    def decide(self, state: State) -> Emits[State]:
        assert self.prompt is not None
        yield AbilityUsed(creature=self.creature, ability=self.type, paid="action", instant=True)
        item = TripItem(creature=self.creature, ability=self.type, target=self.target)
        return (yield InstantDeclared(window=self.prompt.rpartition("/")[0], item=item))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if isinstance(frame, WindowFrame) and view.creatures[awaited.creature or ""].action:
            yield Offer(
                type=cls.type,
                creature=awaited.creature,
                prompt=awaited.prompt,
                given={"target": frame.subject},
            )
