"""A creature went somewhere, willing or not."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.bonds import moved
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Event
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces

HR_MOVE_4: Final = Rule(
    "HR-MOVE-4",
    "Only willing movement lets enemies strike and counts as moved: no push, and no following after one.",
    books.COMBAT.at("Actions"),
)


@record
class Moved(Event[State]):
    """A creature walked: the cells it entered, in order."""

    type: ClassVar[str] = "moved"
    creature: str
    path: tuple[tuple[int, int], ...]
    feet: int
    how: str
    """`dash`, `sidestep`, `followed`, `dragged` or `placed`."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        willing = is_willing(self.how) and not state.paused()  # rounds count feet
        feet = creature.moved_ft + self.feet if willing else creature.moved_ft
        return moved(state, self.creature, self.path[-1], moved_ft=feet)


@enforces(HR_MOVE_4)
def is_willing(how: str) -> bool:
    """Tell whether a movement *how* is willing: a dash or a sidestep."""
    return how in ("dash", "sidestep")
