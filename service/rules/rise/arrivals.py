"""Bring creatures into a fight that has begun: they are announced at once, and join with the next phase."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.kernel.messages import Command, Emits, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.openings import Id
from service.rules.rise.creatures.entries import Arrival, Entry, spelled_out
from service.rules.rise.opening import Opening, faults
from service.rules.rise.permission import gm
from service.rules.rise.phases.joining import CreatureArriving, is_player, join
from service.rules.rise.state import State
from service.rules.table.table import GM

RI_GM_5: Final = Rule(
    "RI-GM-5",
    "Who comes late joins with the next phase, where it was put or in the nearest place that is free.",
    RULING,
)


MOST_CREATURES = 100


@enforces(RI_GM_5)
@record
class AddCreature(Command[State]):
    """Add a creature to the fight, as the GM; it joins with the next phase."""

    type: ClassVar[str] = "add_creature"
    entry: Entry
    seat: Id | None = None
    """The player's seat that controls it; null is the GM."""

    def check(self, view: State) -> None:
        gm(self)
        check_running(view)
        check_entry(view, self.entry)
        if self.seat is not None and self.seat != GM and not is_player(view, self.seat):
            raise Refused("no_such_seat", f"there is no open player's seat {self.seat}", "TABLE-SEAT-1")

    def decide(self, state: State) -> Emits[State]:
        return (yield from announced(state, Arrival(entry=spelled_out(self.entry), seat=self.seat)))


def check_running(view: State) -> None:
    """Refuse where no phase comes any more."""
    if view.is_over:
        raise Refused("wrong_step", "combat is over", "RI-ROUND-5")


def check_entry(view: State, entry: Entry) -> None:
    """Refuse what is no creature of this fight: a sheet or a place that cannot be, or an id that is taken."""
    alone = Opening(creatures=(entry,), options=view.options, terrain=view.terrain)
    for pointer, fault in faults(alone):
        raise Refused("opening_not_possible", f"{pointer}: {fault}", "RI-GM-5")
    if view.is_named(entry.sheet.id):
        raise Refused("creature_taken", f"there is a creature {entry.sheet.id} already", "RI-GM-5")
    if len(view.creatures) + len(view.arriving) >= MOST_CREATURES:
        raise Refused("opening_not_possible", f"at most {MOST_CREATURES} creatures take part", "RI-GM-5")


def announced(state: State, arrival: Arrival) -> Emits[State]:
    """Tell that somebody comes: at once before the fight begins, and with the next phase in its course."""
    if state.stage == "setup":
        after: State = yield from join(state, arrival)
        return after
    return (yield CreatureArriving(arrival=arrival, because=("RI-GM-5",)))
