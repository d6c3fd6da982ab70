"""See to the breath of creatures whose heads come under water, or out of it.

What the map says of a creature's place is compared with what was last seen to: whenever nothing else is
unfinished, in combat and out of it, however it came there.
"""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.heartrush.body.actions import is_airless
from service.rules.heartrush.body.conditions import ConditionLost
from service.rules.heartrush.creatures.size_and_bonds import is_submerged
from service.rules.heartrush.creatures.state import Creature, State, is_able_if_aware
from service.rules.heartrush.surviving.hazards import ask_breath, out_of_breath
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId

HR_BREATH_3: Final = Rule(
    "HR-BREATH-3",
    "Whose head comes under water holds its breath, or suffocates if it cannot; above water it breathes.",
    RULING,
    left_open="the ledger has breath that is held by command, and not who comes under water",
)


HR_BREATH_4: Final = Rule(
    "HR-BREATH-4",
    "Who falls unconscious, or is stunned or incapacitated, holds its breath no longer.",
    RULING,
    left_open="the ledger has breath that is held, and not who cannot hold it any longer",
)


@record
class BreathLost(Event[State]):
    """A creature cannot hold its breath any more."""

    type: ClassVar[str] = "breath_lost"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, breath=None)


@record
class WentUnder(Event[State]):
    """The head of a creature is under water now."""

    type: ClassVar[str] = "went_under"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, under_water=True)


@record
class CameUp(Event[State]):
    """The head of a creature is above water again, and it breathes."""

    type: ClassVar[str] = "came_up"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, under_water=False, breath=None)


def _to_breathe(state: State) -> Creature | None:
    """Return the first creature whose breath is to be seen to, None if none is."""
    if not state.dice_sealed:
        return None
    is_wet = bool(state.terrain)  # without it nobody is under water
    for creature in state.creatures.values():
        if creature.is_present and (
            creature.under_water != (is_wet and is_submerged(state, creature)) or has_to_gasp(creature)
        ):
            return creature
    return None


@enforces(HR_BREATH_4)
def has_to_gasp(creature: Creature) -> bool:
    """Return whether *creature* holds its breath and cannot any more: unconscious, stunned, incapacitated."""
    return creature.breath is not None and not is_able_if_aware(creature)


def is_anybody_to_breathe(state: State) -> bool:
    """Return whether the head of any creature has come under water, or out of it."""
    return _to_breathe(state) is not None


@enforces(HR_BREATH_3)
def see_to_breath(state: State) -> Emits[State]:
    """Emit what water over its head, or none any more, does to the breath of the first such creature."""
    creature = _to_breathe(state)
    assert creature is not None, "somebody is to breathe"
    if creature.under_water == is_submerged(state, creature):
        return (yield from gasp(state, creature))
    if creature.under_water:
        state = yield CameUp(creature=creature.id)
        if creature.has("suffocating"):
            state = yield ConditionLost(creature=creature.id, condition="suffocating")
        return state
    state = yield WentUnder(creature=creature.id)
    if creature.sheet.breathes_water or is_airless(creature):
        return state
    if not is_able_if_aware(creature):
        return (yield from out_of_breath(state, creature.id))
    return (yield from ask_breath(state, creature.id))


def gasp(state: State, creature: Creature) -> Emits[State]:
    """Emit that a creature holds its breath no more, and suffocates where it cannot breathe."""
    state = yield BreathLost(creature=creature.id, because=(HR_BREATH_4.id,))
    under = creature.under_water and not creature.sheet.breathes_water
    return (yield from out_of_breath(state, creature.id)) if under else state
