"""Know when a fight is over, and let the GM pause a round before it ends."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.rise.creatures.creature import is_able
from service.rules.rise.state import State
from service.rules.table.stack import Frame
from service.rules.table.table import GM

RI_ROUND_6: Final = Rule(
    "RI-ROUND-6",
    "Combat ends by itself after a round in which one side alone is left standing, or nobody is alive.",
    RULING,
)


SIDES = 2
"""Sides that a fight needs before it can be decided."""


@record
class CombatEnded(Event[State]):
    """Combat is over; what was unfinished is dropped."""

    type: ClassVar[str] = "combat_ended"
    reason: str

    def evolve(self, state: State) -> State:
        stacks = changed(state.stacks, table=state.stacks.table[:1])
        return changed(state, stage="ended", stacks=stacks, worlds=EMPTY, hidden_swift=EMPTY)


@record
class Paused(Event[State]):
    """Everything is announced, and the round has not ended: the GM says when it goes on."""

    type: ClassVar[str] = "paused"
    path: str

    def evolve(self, state: State) -> State:
        return changed(state, pauses=False).pushed(PauseFrame(path=self.path))


@record
class PauseEnded(Event[State]):
    """The round goes on."""

    type: ClassVar[str] = "pause_ended"
    path: str

    def evolve(self, state: State) -> State:
        return state.popped(self.path)


@record
class PauseFrame(Frame[State]):
    """A pause: nothing happens before the GM goes on."""

    kind: ClassVar[str] = "rise_pause"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return (Awaited(prompt=self.path, seat=GM, accepts=("go_on",)),)


def standing_sides(state: State) -> tuple[str, ...]:
    """Return the sides that have somebody who is able to act."""
    able = [c for c in state.creatures.values() if is_able(c)]
    return tuple(dict.fromkeys([creature.sheet.side for creature in able]))


@enforces(RI_ROUND_6)
def is_decided(state: State) -> bool:
    """Tell whether combat ends by itself after this round.

    It does not while somebody is still to come, hidden or not, nor where it began with one side.
    """
    if (
        state.goes_on
        or not state.round
        or not state.house.auto_end
        or state.arriving
        or state.hidden_creatures
    ):
        return False
    fighters = [c for c in state.creatures.values() if c.sheet.kind != "object"]
    if len(dict.fromkeys([creature.sheet.side for creature in fighters])) < SIDES:
        return False
    sides = standing_sides(state)
    return len(sides) == 1 or all(c.dead or c.defeated for c in fighters)


def end_by_itself(state: State) -> Emits[State]:
    """Tell that one side is left, or nobody."""
    sides = standing_sides(state)
    reason = f"{sides[0]} stands alone" if sides else "nobody stands"
    return (yield CombatEnded(reason=reason, because=("RI-ROUND-6",)))
