"""Hide creatures in Heart Rush: a creature that is seen arrives at once, where it was hidden."""

from __future__ import annotations

from typing import ClassVar

from service.rules.heartrush.arrivals import CreatureAdded, check_entry
from service.rules.heartrush.entries import spelled_out, with_sheet
from service.rules.heartrush.sheets.sheet import Entry
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits
from service.rules.kernel.records import changed, record
from service.rules.secrecy import hidden_creatures
from service.rules.secrecy.hiding import HidingRules
from service.rules.space.grid import free_place


@record
class CreatureHidden(hidden_creatures.CreatureHidden[State]):
    """The GM keeps a creature hidden: which, and where; shown to the GM alone."""

    entry: Entry


@record
class HideCreature(hidden_creatures.HideCreature[State]):
    """Keep a creature hidden: others learn that there is one, and no more until it is seen."""

    event_type: ClassVar[type[CreatureHidden]] = CreatureHidden
    entry: Entry


class Den(HidingRules):
    """How hidden creatures join a fight of this book."""

    def whole(self, entry: Entry) -> Entry:
        return with_sheet(entry)

    def check(self, view: State, entry: Entry) -> None:
        check_entry(view, entry)

    def join(self, state: State, entry: Entry) -> Emits[State]:
        place = free_place(
            entry.position,
            state.room_for(entry).side,
            lambda cell: state.ground(cell) != "wall" and not state.standing_at(cell),
        )
        return (yield CreatureAdded(entry=spelled_out(changed(entry, position=place)), because=("HR-SVC-5",)))
