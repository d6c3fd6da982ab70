"""Let creatures arrive late: checked like an opening's, and in the fight from the moment they stand there."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from service.rules.heartrush.abilities.catalogue import named
from service.rules.heartrush.entries import Opening, creature_of, entry_faults, sheet_of, spelled_out
from service.rules.heartrush.opening_faults import ability_name_faults, creature_faults
from service.rules.heartrush.permission import gm
from service.rules.heartrush.rounds.clock import at_rest
from service.rules.heartrush.sheets.sheet import Entry, side_of
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.space.grid import cells
from service.rules.table.seats import SeatChanged
from service.rules.table.table import GM

HR_SVC_5: Final = Rule(
    "HR-SVC-5",
    "Who arrives late has an action and one rush point, no active rounds, and priority by its side alone.",
    RULING,
    settles=("A-30",),
)


MOST_CREATURES: Final = 100


@record
class CreatureAdded(Event[State]):
    """A creature has arrived; in combat it has its action, its free firsts and one rush point at once."""

    type: ClassVar[str] = "creature_added"
    entry: Entry

    def evolve(self, state: State) -> State:
        creature = creature_of(self.entry, state.clock_s)
        if not at_rest(state):
            creature = changed(
                creature, action=1, rush=1, free_dash=True, free_object=True, free_callout=True
            )
        creatures = with_key(state.creatures, creature.id, creature)
        abilities = {**named((creature.sheet,), ()), **state.abilities}
        return changed(state, creatures=creatures, abilities=abilities)


@enforces(HR_SVC_5)
@record
class AddCreature(Command[State]):
    """Add a creature to a fight that has begun, and give it to a player's seat or to the GM."""

    type: ClassVar[str] = "add_creature"
    entry: Entry
    seat: str | None = None
    """The player's seat that controls it; null is the GM."""

    def check(self, view: State) -> None:
        gm(self)
        check_entry(view, self.entry)
        check_room(view, self.entry)
        if self.seat is not None and self.seat != GM:
            seat = view.seats.get(self.seat)
            if seat is None or seat.closed or seat.role != "player":
                raise Refused("no_such_seat", f"there is no open player's seat {self.seat}", "TABLE-SEAT-1")

    def decide(self, state: State) -> Emits[State]:
        entry = spelled_out(self.entry)
        state = yield CreatureAdded(entry=entry)
        if self.seat is None or self.seat == GM:
            return state
        after: State = yield from seated(state, self.seat, sheet_of(entry).id)
        return after


def check_entry(view: State, entry: Entry) -> None:
    """Refuse what is no creature of this fight: a sheet or a place that cannot be, or an id that is taken."""
    opening = Opening(
        sides=view.sides, player_side=view.player_side, creatures=(entry,), terrain=view.terrain
    )
    for pointer, fault in (*entry_faults(entry, "/creatures/0"),):
        raise Refused("opening_not_possible", f"{pointer}: {fault}")
    for pointer, fault in (*creature_faults(opening), *ability_name_faults(opening, view.abilities)):
        raise Refused("opening_not_possible", f"{pointer}: {fault}")
    sheet = sheet_of(entry)
    if sheet.id in view.creatures:
        raise Refused("creature_taken", f"there is a creature {sheet.id} already")
    if len(view.creatures) >= MOST_CREATURES:
        raise Refused("opening_not_possible", f"at most {MOST_CREATURES} creatures take part")


def check_room(view: State, entry: Entry) -> None:
    """Refuse a place where somebody stands."""
    for cell in cells(entry.position, side_of(sheet_of(entry).size)):
        if view.standing_at(cell):
            raise Refused("space_occupied", f"{view.standing_at(cell)[0].id} stands at {cell}")


def seated(state: State, seat: str, creature: str) -> Emits[Any]:
    """Tell that *seat* controls *creature* besides those it has."""
    creatures = (*state.seats[seat].creatures, creature)
    return (yield SeatChanged(seat=seat, creatures=creatures, because=("TABLE-SEAT-1",)))
