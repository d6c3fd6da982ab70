"""Settle what the end of a round brings: fire, want of air, and breath."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from service.rules.heartrush.body.actions import strained
from service.rules.heartrush.body.conditions import ConditionLost
from service.rules.heartrush.body.damage import burn
from service.rules.heartrush.creatures.size_and_bonds import waters
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.surviving.hazards import spend_breath
from service.rules.heartrush.values import UpkeepId
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.values import CreatureId
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame, opened_by

# A frame with a queue, for each thing may hurt, and a hurt creature may have to be asked.

What = Literal["burning", "suffocating", "breath"]


@record
class DeclaredUpkeep:
    """What a round's end brings to whom, and whether a round ends."""

    queue: tuple[tuple[CreatureId, What], ...]
    """What is still to be settled, in order: each is a creature and what it undergoes."""
    ends_round: bool = True
    """Whether a round of the fight ends; else a round's time passes outside combat."""


@record
class Due(DeclaredUpkeep, Frame[State]):
    """The end of a round under way: what is still to be settled, one thing after the other."""

    kind: ClassVar[str] = "round_end"

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if not self.queue:
            because = ("HR-PRIO-4",) if self.ends_round else ("HR-COND-28",)
            return (yield RoundSettled(upkeep=self.path, because=because))
        creature, what = self.queue[0]
        state = yield UpkeepTaken(upkeep=self.path, creature=creature, what=what, because=_WHY[what])
        found = state.creatures[creature]
        if not found.is_present:
            return state
        if what == "breath":
            return (yield from spend_breath(state, creature))
        if what == "suffocating":
            return (yield Suffocates(creature=creature, because=_WHY[what]))
        if waters(state, found):
            return (yield ConditionLost(creature=creature, condition="burning", because=_WHY[what]))
        return (yield from burn(state, creature, found.level("burning")))


_WHY: Final[Mapping[What, tuple[str, ...]]] = MappingProxyType(
    {
        "burning": ("HR-COND-19",),
        "suffocating": ("HR-COND-10",),
        "breath": ("HR-BREATH-1", "A-57"),
    }
)


@record
class RoundEnding(DeclaredUpkeep, Event[State]):
    """A round ends, or its time outside combat, and brings this to these creatures first."""

    type: ClassVar[str] = "round_ending"
    upkeep: UpkeepId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, Due, self.upkeep))


@record
class UpkeepTaken(Event[State]):
    """One thing that a round's end brings is settled now."""

    type: ClassVar[str] = "upkeep_taken"
    upkeep: UpkeepId
    creature: CreatureId
    what: What
    """What it is about."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.upkeep, Due)
        return state.put(changed(frame, queue=frame.queue[1:]))


@record
class Suffocates(Event[State]):
    """A creature without air suffers at the end of the round."""

    type: ClassVar[str] = "suffocates"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return strained(state, self.creature)


@record
class RoundSettled(Event[State]):
    """Everything that a round's end brings is settled."""

    type: ClassVar[str] = "round_settled"
    upkeep: UpkeepId

    def evolve(self, state: State) -> State:
        ends_round = state.frame(self.upkeep, Due).ends_round
        state = state.popped(self.upkeep)
        return changed(state, phase="round_over") if ends_round else state


def due(state: State) -> tuple[tuple[str, What], ...]:
    """Return what the end of this round brings, creature by creature."""
    found: list[tuple[str, What]] = []
    for creature in state.creatures.values():
        if not creature.conditions and creature.breath is None:
            continue
        if not creature.is_present:
            continue
        if creature.has("burning"):
            found.append((creature.id, "burning"))
        if creature.has("suffocating"):
            found.append((creature.id, "suffocating"))
        elif creature.breath is not None:
            found.append((creature.id, "breath"))
    return tuple(found)


def begin_upkeep(state: State, queue: tuple[tuple[str, What], ...]) -> Emits[State]:
    """Emit that a round ends with these things to settle."""
    return (yield RoundEnding(upkeep=f"r{state.round}/end", queue=queue, because=("HR-PRIO-4",)))
