"""Hide creatures in Rise: no group knows of them, and one that is seen joins with the next phase."""

from __future__ import annotations

from typing import ClassVar

from service.rules.kernel.messages import Emits
from service.rules.kernel.records import record
from service.rules.rise.arrivals import announced, check_entry, check_running
from service.rules.rise.creatures.entries import Arrival, Entry, spelled_out
from service.rules.rise.state import State
from service.rules.secrecy import hidden_creatures
from service.rules.secrecy.hiding import HidingRules


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

    def check_running(self, view: State) -> None:
        check_running(view)

    def check(self, view: State, entry: Entry) -> None:
        check_running(view)
        check_entry(view, entry)

    def join(self, state: State, entry: Entry) -> Emits[State]:
        return (yield from announced(state, Arrival(entry=spelled_out(entry))))
