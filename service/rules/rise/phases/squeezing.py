"""Judge at the beginning of a phase which creatures squeeze."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Condition
from service.rules.rise.space.paths import is_wall, occupant
from service.rules.rise.state import State

RI_MOVE_8: Final = Rule(
    "RI-MOVE-8",
    "Whether creatures have to squeeze is judged when a phase begins, and at no other time.",
    books.CODEX_COMBAT,
)


@record
class SqueezingJudged(Event[State]):
    """These creatures squeeze in this phase: they have less room than they need."""

    type: ClassVar[str] = "squeezing_judged"
    creatures: tuple[str, ...]

    def evolve(self, state: State) -> State:
        for name, creature in state.creatures.items():
            kept = tuple([c for c in creature.conditions if c.name != "squeezing"])
            if name in self.creatures:
                kept = (*kept, Condition(name="squeezing", source=name, until="permanent"))
            if kept != creature.conditions:
                state = state.with_creature(name, conditions=kept)
        return state


def is_tight(state: State, creature: Creature) -> bool:
    """Tell whether *creature* shares its space with one of about its size, or stands half in a wall."""
    if creature.dead or creature.defeated:
        return False
    return is_wall(state, creature, creature.position) or (
        occupant(state, creature, creature.position) is not None
    )


@enforces(RI_MOVE_8)
def squeeze(state: State) -> Emits[State]:
    """Emit which creatures squeeze, if that has changed."""
    tight = tuple([name for name, creature in state.creatures.items() if is_tight(state, creature)])
    known = tuple([name for name, creature in state.creatures.items() if creature.has("squeezing")])
    return (yield SqueezingJudged(creatures=tight)) if tight != known else state
