"""Hold hidden creatures, which only the GM knows, outside the creatures of the fight.

A hidden creature is the entry of an arrival, sealed for the GM under its number. A book says which space its
creatures occupy; a creature that would share that space discovers the hidden one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from service.rules.kernel.messages import Emits
from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.kernel.values import Code, Count, CreatureId
from service.rules.space.grid import Cell, cells, heights_apart
from service.rules.table.table import Table


class OccupiedSpace(NamedTuple):
    """The space that a creature occupies: first cell, width in cells, and feet above the ground."""

    at: Cell
    side: int
    height: int = 0

    def shares(self, other: OccupiedSpace) -> bool:
        """Return whether two spaces have a cell in common at the same height."""
        if heights_apart(self.height, self.side, other.height, other.side):
            return False
        taken = cells(other.at, other.side)
        return any(cell in taken for cell in cells(self.at, self.side))


class HidingRules:
    """A book's rules of hidden creatures: which are possible, and how one joins the fight."""

    def whole(self, entry: Any) -> Any:  # noqa: ANN401 - an entry of any book
        """Return *entry* with its whole sheet, as the state stores it."""
        return entry

    def check_running(self, view: Any) -> None:  # noqa: ANN401 - of any book
        """Raise `Refused` if nobody can join the fight any more."""

    def check(self, view: Any, entry: Any) -> None:  # noqa: ANN401 - of any book
        """Raise `Refused` if *entry* could not join this fight, for example because its id is taken."""
        raise NotImplementedError

    def join(self, state: Any, entry: Any) -> Emits[Any]:  # noqa: ANN401 - of any book
        """Emit that *entry* joins the fight, in its place or the nearest free one."""
        raise NotImplementedError


@record
class HidingTable(Table):
    """A table with hidden creatures."""

    creatures: Mapping[CreatureId, Any] = EMPTY
    hidden_creatures: Mapping[Code, Any] = EMPTY
    """Creatures that only the GM knows, by number; they take no part (see `hidden_creatures.py`)."""
    hidden: Count = 0
    """The number of creatures that were hidden so far, which is the number of the last one."""

    @property
    def hiding_rules(self) -> HidingRules:
        """The ruleset's `HidingRules`."""
        (kind,) = self.families.listed(HidingRules)
        return kind()

    def room_of(self, creature: Any) -> OccupiedSpace | None:  # noqa: ANN401 - of any book
        """Return the space that a creature occupies, None if it occupies none."""
        raise NotImplementedError

    def room_for(self, entry: Any) -> OccupiedSpace:  # noqa: ANN401 - of any book
        """Return the space that the creature of *entry*, which has its whole sheet, will occupy."""
        raise NotImplementedError

    def is_named(self, name: str) -> bool:
        """Return whether a creature of the fight, or an arrival, has this id."""
        return name in self.creatures

    def known_hidden(self) -> Mapping[str, Any]:
        """Return the entries of hidden creatures that this view may read, by number."""
        return {
            number: unsealed(entry) for number, entry in self.hidden_creatures.items() if not is_closed(entry)
        }

    def hidden_creature_in(self, room: OccupiedSpace) -> str | None:
        """Return the number of the first hidden creature in *room*, None if there is none."""
        if not self.hidden_creatures:
            return None
        known = self.known_hidden().items()
        return next((number for number, entry in known if self.room_for(entry).shares(room)), None)

    def trespass(self, before: Self) -> tuple[str, str] | None:
        if not self.hidden_creatures or self.creatures is before.creatures:
            return None
        for name, creature in self.creatures.items():
            was = before.creatures.get(name)
            if was is None or was is creature:
                continue
            room = self.room_of(creature)
            hidden_creature = None if room in (None, self.room_of(was)) else self.hidden_creature_in(room)
            if hidden_creature is not None:
                return hidden_creature, name
        return None
