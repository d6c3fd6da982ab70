"""Let arriving creatures join as a phase begins: groups, and what is true for them, are fixed in it."""

from __future__ import annotations

from typing import Any, ClassVar

from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record, with_key
from service.rules.rise.creatures.entries import Arrival, Entry, creature_of
from service.rules.rise.creatures.sheet import side_of
from service.rules.rise.state import State
from service.rules.space.grid import free_place
from service.rules.table.seats import SeatChanged


@record
class CreatureArriving(Event[State]):
    """A creature is on its way: it joins when the next phase begins."""

    type: ClassVar[str] = "creature_arriving"
    arrival: Arrival

    def evolve(self, state: State) -> State:
        return changed(state, arriving=(*state.arriving, self.arrival))


@record
class CreatureAdded(Event[State]):
    """A creature joins: the first of those on their way, or one that comes before the fight begins."""

    type: ClassVar[str] = "creature_added"
    entry: Entry

    def evolve(self, state: State) -> State:
        creature = creature_of(self.entry)
        creatures = with_key(state.creatures, creature.id, creature)
        return changed(state, creatures=creatures, arriving=state.arriving[1:])


def is_player(state: State, seat: str) -> bool:
    """Tell whether *seat* is an open seat of a player."""
    known = state.seats.get(seat)
    return known is not None and not known.closed and known.role == "player"


def arrive(state: State) -> Emits[State]:
    """Tell that everybody who was on the way joins."""
    while state.arriving:
        state = yield from join(state, state.arriving[0])
    return state


def join(state: State, arrival: Arrival) -> Emits[Any]:
    """Tell that a creature joins, and who controls it; its place is free."""
    entry = arrival.entry
    place = free_place(
        (entry.position[0], entry.position[1]),
        side_of(entry.sheet.size),
        lambda cell: state.ground(cell) != "wall" and not state.standing_at(cell),
    )
    entry = changed(entry, position=place)
    state = yield CreatureAdded(entry=entry, because=("RI-GM-5",))
    if arrival.seat is None or not is_player(state, arrival.seat):
        return state
    creatures = (*state.seats[arrival.seat].creatures, entry.sheet.id)
    return (yield SeatChanged(seat=arrival.seat, creatures=creatures, because=("TABLE-SEAT-1",)))
