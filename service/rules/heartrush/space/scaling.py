"""Check whether a climb can be made at all before anybody leaves the ground for it."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.heartrush.checks.checks import CheckAsked, Checked, Checking
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import record
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame

BECAUSE: Final = ("HR-ENV-6",)


@record
class ScalingFrame(Checking):
    """A climb that waits for its check."""

    kind: ClassVar[str] = "scaling"
    movement: str
    creature: str
    checked: Checked | None = None

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the check above it comes first"
        return (
            yield ClimbChecked(
                scaling=self.path,
                movement=self.movement,
                creature=self.creature,
                success=self.checked.success,
                because=BECAUSE,
            )
        )


@record
class ClimbAsked(Event[State]):
    """A creature wants to climb where that takes a check."""

    type: ClassVar[str] = "climb_asked"
    scaling: str
    movement: str
    creature: str

    def evolve(self, state: State) -> State:
        return state.pushed(ScalingFrame(path=self.scaling, movement=self.movement, creature=self.creature))


@record
class ClimbChecked(Event[State]):
    """A creature can climb on, or stays where it is and loses the rest of its movement."""

    type: ClassVar[str] = "climb_checked"
    scaling: str
    movement: str
    creature: str
    success: bool

    def evolve(self, state: State) -> State:
        state = state.popped(self.scaling)
        changes: dict[str, object] = {"climbed": True} if self.success else {"left": ()}
        return state.with_frame(self.movement, Frame, **changes)


def ask_climb(movement: str, creature: str, cn: int, walked: int) -> Emits[State]:
    """Tell that *creature* checks its might before it climbs, *walked* cells into its movement."""
    path = f"{movement}/climb-{walked}"
    yield ClimbAsked(scaling=path, movement=movement, creature=creature, because=BECAUSE)
    return (
        yield CheckAsked(
            check=f"{path}/check",
            creature=creature,
            ability="might",
            cn=cn,
            what="climb",
            needs=("motion",),
            because=BECAUSE,
        )
    )
