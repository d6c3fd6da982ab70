"""Let creatures fall: over a ledge by themselves, and by the GM's word."""

from __future__ import annotations

from typing import ClassVar, Final, Protocol

from service.rules.heartrush import books
from service.rules.heartrush.body.damage import hurt
from service.rules.heartrush.body.permission import Sent, gm
from service.rules.heartrush.creatures.ledges import drop_ft
from service.rules.heartrush.creatures.size_and_bonds import WAYS, climbers_on
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.rolling.checks import CheckAsked, Checking, CheckResult
from service.rules.heartrush.values import FallId
from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Feet, HitPoints
from service.rules.rolls.chance import Chance
from service.rules.space.grid import FEET, Cell
from service.rules.table.stack import opened_by

HR_FALL_1: Final = Rule(
    "HR-FALL-1",
    "A creature that falls 5 ft or more saves with agility against the feet; what the roll lacks is damage.",
    books.BASICS.at("Falling"),
)


BY_LEDGE: Final = ("HR-FALL-2", "HR-FALL-1")


class Striking(Sent, Protocol):
    """A command by which the GM lets something befall a creature."""

    @property
    def creature(self) -> str:
        """Whom it befalls."""


def struck(view: State, command: Striking) -> Creature:
    """Return the creature that something befalls, by the GM's word; refuse one that is not there."""
    gm(command)
    found = view.creatures.get(command.creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {command.creature}", "TABLE-SEAT-1")
    if not found.is_present:
        raise Refused("target_dead", f"{command.creature} is {found.status}", "HR-ENV-9")
    return found


@record
class DeclaredFall:
    """Who falls, and how many feet."""

    creature: CreatureId
    feet: Feet


@record
class FallFrame(DeclaredFall, Checking):
    """A creature falls, and saves against the feet."""

    kind: ClassVar[str] = "fall"
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the save above it comes first"
        lacking = max(0, self.feet - self.checked.total)
        state = yield Landed(
            fall=self.path, creature=self.creature, feet=self.feet, damage=lacking, because=("HR-FALL-1",)
        )
        if not lacking:
            return state
        return (
            yield from hurt(state, f"{self.path}/damage", self.creature, lacking, source=None, cause="fall")
        )


@record
class Fell(DeclaredFall, Event[State]):
    """A creature falls."""

    type: ClassVar[str] = "fell"
    fall: FallId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, FallFrame, self.fall))


@record
class Landed(Event[State]):
    """A creature that fell has landed: what its save lacked is its damage."""

    type: ClassVar[str] = "landed"
    fall: FallId
    creature: CreatureId
    feet: Feet
    damage: HitPoints
    """The damage that the fall does."""

    def evolve(self, state: State) -> State:
        return state.popped(self.fall)


@record
class Fall(Command[State]):
    """Let a creature fall, as the GM: an agility save against the feet fallen, or the damage."""

    type: ClassVar[str] = "fall"
    sentence: ClassVar[str] = "Let {creature} fall"
    creature: CreatureId
    feet: Feet

    def check(self, view: State) -> None:
        struck(view, self)
        if self.feet < FEET:
            raise Refused("params_missing", f"a fall is {FEET} ft deep or more")

    def decide(self, state: State) -> Emits[State]:
        return (yield from fall(state, self.creature, self.feet, ("HR-FALL-1",)))


@enforces(HR_FALL_1)
def fall(state: State, creature: str, feet: int, because: tuple[str, ...]) -> Emits[State]:
    """Emit that *creature* falls *feet*, and the save that it makes."""
    path = state.numbered("fall")
    state = yield Fell(fall=path, creature=creature, feet=feet, because=because)
    return (
        yield CheckAsked(
            check=f"{path}/save",
            creature=creature,
            ability="agility",
            cn=feet,
            what="fall",
            save=True,
        )
    )


def fall_over(state: State, before: Creature, new: Cell, *, climbing: bool) -> Emits[State]:
    """Emit the fall of a creature that stepped to *new* from where it was *before*, and of its climbers.

    Nothing follows where no ledge was crossed.
    """
    feet = drop_ft(state, before, before.position, new, climbing=climbing)
    if not feet:
        return state
    fallen = state.creatures[before.id]
    carried = [rider.id for rider in climbers_on(state, fallen)] if WAYS["carried"].falls else []
    for name in (*carried, fallen.id):
        state = yield from fall(state, name, feet, BY_LEDGE)
    return state
