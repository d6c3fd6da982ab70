"""Count rush points: one at the start, more with each active round, none kept over a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import rule


@record
class RushGained(Event[State]):
    """Creatures gain rush points, as many as listed for each."""

    type: ClassVar[str] = "rush_gained"
    gains: Mapping[str, int]

    def evolve(self, state: State) -> State:
        creatures = {
            name: changed(creature, rush=creature.rush + self.gains.get(name, 0))
            for name, creature in state.creatures.items()
        }
        return changed(state, creatures=creatures)


@rule("HR-RUSH-1", "seed 000, Rush Points", settles=("A-30",))
def first_rush(state: State) -> Emits[State]:
    """Each creature has one rush point at the start of combat; outside combat the pool is empty."""
    return (
        yield RushGained(gains=dict.fromkeys(state.creatures, 1), because=("HR-START-6", "HR-RUSH-1", "A-30"))
    )


@rule("HR-START-6", "seed 000, Rush Points")
def rush_at_start() -> int:
    """A creature begins combat with one rush point."""
    return 1


@rule("HR-RUSH-2", "seed 000, Rush Points", settles=("A-29", "A-69"))
def rush_of_round(state: State) -> Emits[State]:
    """A new round gives a point for each earlier one with an engagement, opportunity attack or spell."""
    gains = {name: _gain(state, creature) for name, creature in state.creatures.items()}
    return (yield RushGained(gains={name: gain for name, gain in gains.items() if gain}))


def _gain(state: State, creature: Creature) -> int:
    if state.house.rush_formula == "round_number":
        return state.round
    return min(len(creature.rounds_active), state.round)


@rule("HR-RUSH-3", "seed 000, Rush Points")
def lose_rush(creature: Creature) -> Creature:
    """Unspent points vanish at the end of every round."""
    return changed(creature, rush=0)


@rule("HR-RUSH-4", "seed 000, Special Use Cases")
def afford_rush(creature: Creature, points: int) -> None:
    """Rush pays for minor abilities, extras of major ones, sidesteps and opportunity attacks."""
    if creature.rush < points:
        raise Refused("insufficient_rush", f"{creature.id} has {creature.rush} rush, not {points}")


def active_in(creature: Creature, round_number: int) -> Creature:
    """Return *creature* with this round among those it was active in, once."""
    if round_number in creature.rounds_active:
        return creature
    return changed(creature, rounds_active=(*creature.rounds_active, round_number))
