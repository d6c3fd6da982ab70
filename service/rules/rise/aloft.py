"""Keep flyers in the air, or let them fall: what does not move in a phase comes down at its end."""

from __future__ import annotations

from typing import ClassVar

from service.rules.messages import Event, Tale
from service.rules.records import record
from service.rules.rise.state import Condition, Creature, State, is_able
from service.rules.rulebook import rule

FALL_FT = 300
"""How far a phase's fall goes."""


@record
class TookOff(Event[State]):
    """A creature is in the air."""

    type: ClassVar[str] = "took_off"
    creature: str
    jumped: bool = False

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, aloft="jumping" if self.jumped else "flying")


@record
class Fell(Event[State]):
    """A creature falls out of the air and lies where it comes down."""

    type: ClassVar[str] = "fell"
    creature: str
    feet: int

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        conditions = (*creature.conditions, Condition(name="prone", source=self.creature))
        return state.with_creature(self.creature, aloft=None, conditions=conditions)


@record
class WillFall(Event[State]):
    """A creature that jumped is in mid-air; it comes down with the next phase."""

    type: ClassVar[str] = "mid_air"
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, aloft="falling")


@rule("RI-ORDER-5", "R4/R5 Aerial, CH5", settles=("C-43",))
def come_down(state: State) -> Tale[State]:
    """Falls are seen to at the end of each phase; they are no movement of one's own."""
    for name, creature in state.creatures.items():
        if creature.aloft == "jumping" and state.stage == "movement_end":
            state = yield from hang(name)
        elif creature.aloft is not None and not stays_up(creature):
            state = yield Fell(creature=name, feet=FALL_FT)
    return state


@rule("RI-MOVE-9", "R4")
def stays_up(creature: Creature) -> bool:
    """Whoever flies or glides has to move in both phases, or falls 300 feet; what floats does not."""
    if creature.dead or creature.defeated:
        return False
    return creature.sheet.floats or (
        creature.aloft == "flying" and creature.location_changed and is_able(creature)
    )


@rule("RI-MOVE-10", "R4")
def hang(creature: str) -> Tale[State]:
    """Whoever jumps into the air in the movement phase begins to fall only in the next."""
    return (yield WillFall(creature=creature))
