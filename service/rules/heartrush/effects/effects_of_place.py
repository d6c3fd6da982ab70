"""List the kinds of effect that put a creature somewhere else: placed, pushed, dragged."""

from __future__ import annotations

from typing import ClassVar

from service.rules.heartrush.body.operations import MOST, EffectsFrame, OnCreature, no_such
from service.rules.heartrush.creatures.adjacency import is_walled_off
from service.rules.heartrush.creatures.size_and_bonds import Moved
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.moving.bonds import look_at_bonds
from service.rules.heartrush.moving.forced_movement import PushBegun
from service.rules.heartrush.moving.movement import walk
from service.rules.heartrush.moving.paths import is_walled, may_stop
from service.rules.heartrush.values import EndPlace, PushDirection
from service.rules.kernel.messages import Emits
from service.rules.kernel.records import changed, record
from service.rules.kernel.values import Code, Feet
from service.rules.rolls.chance import Chance
from service.rules.space.grid import FEET, Cell
from service.rules.table.unchanged import Why


@record
class Place(OnCreature):
    """Put a creature somewhere, without a way between and without provoking anybody."""

    kind: ClassVar[str] = "move"
    unmet: ClassVar[Why] = "not_possible"
    to: Code | Cell
    """The cell. In an ability also `$` and a parameter's name: the cell that its user says."""

    def fault(self, view: State) -> str | None:
        fault = no_such(view, self.creature, dead=True)
        if fault:
            return fault
        if isinstance(self.to, str):
            return "a cell"
        mover = view.creatures[self.creature]
        return f"there is a wall at {self.to}" if is_walled(view, mover, self.to) else None

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        assert isinstance(self.to, tuple), "the place is filled"
        if frame.source is not None and not is_reached(state, state.creatures[self.creature], self.to):
            return state
        state = yield Moved(
            creature=self.creature, path=(self.to,), feet=0, how="placed", because=frame.rules
        )
        return (yield from look_at_bonds(state))


def is_reached(state: State, mover: Creature, at: Cell) -> bool:
    """Return whether an ability may put *mover* at *at*: there is room, and no closed wall between."""
    return may_stop(state, mover, at) and not is_walled_off(state, mover, changed(mover, position=at))


@record
class Push(OnCreature):
    """Push a creature in a direction, or straight away from the cause; what is in the way counts."""

    kind: ClassVar[str] = "push"
    feet: Feet
    direction: PushDirection | None = None

    def fault(self, view: State) -> str | None:
        if self.direction is None:
            return "a direction, because no creature pushes it"
        if self.feet < FEET or self.feet % FEET or self.feet > MOST:
            return "feet in steps of 5, from 5 on"
        if self.direction == (0, 0) or any(abs(axis) > 1 for axis in self.direction):
            return "a direction is one of the eight steps"
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        step = self.direction or state.away(self.creature, frame.source or self.creature)
        return (
            yield PushBegun(
                push=frame.path_of("push"),
                creature=self.creature,
                by=frame.source,
                step=step,
                feet=self.feet,
                follow=None,
                because=frame.rules,
            )
        )


@record
class Drag(OnCreature):
    """Move the user 5 ft and whom it holds into the cell it leaves; one that drags itself just moves."""

    kind: ClassVar[str] = "drag"
    unmet: ClassVar[Why] = "not_possible"
    to: EndPlace

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        assert frame.source is not None
        assert isinstance(self.to, tuple), "the place is filled"
        if not is_reached(state, state.creatures[frame.source], self.to):
            return state
        return (yield from walk(state, frame.source, (self.to,), how="sidestep"))
