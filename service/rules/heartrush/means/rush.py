"""Count rush points: one at the start, more with each active round, none kept over a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces

HR_RUSH_1: Final = Rule(
    "HR-RUSH-1",
    "Each creature has one rush point at the start of combat; outside combat the pool is empty.",
    books.COMBAT.at("Rush Points"),
    settles=("A-30",),
)
HR_START_6: Final = Rule(
    "HR-START-6", "A creature begins combat with one rush point.", books.COMBAT.at("Rush Points")
)
HR_RUSH_2: Final = Rule(
    "HR-RUSH-2",
    "A new round gives a point for each earlier one with an engagement, opportunity attack or spell.",
    books.COMBAT.at("Rush Points"),
    settles=("A-29", "A-69"),
)
HR_RUSH_3: Final = Rule(
    "HR-RUSH-3", "Unspent points vanish at the end of every round.", books.COMBAT.at("Rush Points")
)
HR_RUSH_4: Final = Rule(
    "HR-RUSH-4",
    "Rush pays for minor abilities, extras of major ones, sidesteps and opportunity attacks.",
    books.COMBAT.at("Special Use Cases"),
)
HR_ENG_9: Final = Rule(
    "HR-ENG-9",
    "Taking part in an engagement, in whatever way, makes the round an active one.",
    books.COMBAT.at("Rush Points"),
)
HR_OA_4: Final = Rule(
    "HR-OA-4",
    "An opportunity attack makes the round an active one, and does not move priority.",
    books.COMBAT.at("Rush Points"),
)


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


@enforces(HR_START_6, HR_RUSH_1)
def first_rush(state: State) -> Emits[State]:
    """Emit the rush point of each creature at the start of combat."""
    return (yield RushGained(gains=dict.fromkeys(state.creatures, 1)))


@enforces(HR_RUSH_2)
def rush_of_round(state: State) -> Emits[State]:
    """Emit the rush points that each creature gains in a new round."""
    gains = {name: _gain(state, creature) for name, creature in state.creatures.items()}
    return (yield RushGained(gains={name: gain for name, gain in gains.items() if gain}))


def _gain(state: State, creature: Creature) -> int:
    if state.house.rush_formula == "round_number":
        return state.round
    return min(len(creature.rounds_active), state.round)


@enforces(HR_RUSH_3)
def lose_rush(creature: Creature) -> Creature:
    """Return *creature* without rush points."""
    return changed(creature, rush=0)


@enforces(HR_RUSH_4)
def afford_rush(creature: Creature, points: int) -> None:
    """Refuse a payment of more rush points than *creature* has."""
    if creature.rush < points:
        raise Refused("insufficient_rush", f"{creature.id} has {creature.rush} rush, not {points}")


def active_in(creature: Creature, round_number: int) -> Creature:
    """Return *creature* with this round among those it was active in, once."""
    if round_number in creature.rounds_active:
        return creature
    return changed(creature, rounds_active=(*creature.rounds_active, round_number))


@enforces(HR_ENG_9, HR_OA_4)
def make_active(state: State, creature: str) -> State:
    """Return the state in which this round is an active one of *creature*."""
    active = active_in(state.creatures[creature], state.round)
    return state.with_creature(creature, rounds_active=active.rounds_active)
