"""Groups that act apart: each has a world, which is a whole state sealed for the group's seats.

A world begins as a copy of the table and has its own stack and its own counts of rolls. Events that are
decided in a world are in the group's envelope, and they change that world only. The table's frame that opened
the worlds goes on when all their stacks are empty. Seats, options and the epoch are those of the table.

A world differs little from the table, so a view gives of each world what differs (`with_differences`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

from service.rules.kernel.messages import TABLE, Scope
from service.rules.kernel.records import EMPTY, Sealed, changed, derived, record, with_key
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.kernel.values import GroupId
from service.rules.table.table import Table

SHARED: Final = (
    "encounter",
    "edition",
    "digest",
    "options",
    "seats",
    "dice",
    "sealing",
    "epoch",
    "sealed_places",
    "screen",
    "round",
    "stopped",
    "closed",
    "contests",
    "amendment",
    "amendments",
    "amendments_dropped",
    "draft",
    "undisclosed_epochs",
    "seats_by_command",
    "continued",
    "origin",
    "line",
    "dice_moved_in",
    "last_exposed_epoch",
)
"""Fields that a world reads from the table, because they change for everybody at once."""


@record
class SplitTable(Table):
    """A table whose groups may act apart."""

    shared: ClassVar[tuple[str, ...]] = SHARED
    """The fields that a world reads from the table; a ruleset adds the public fields of its own state."""
    compared: ClassVar[tuple[str, ...]] = ()
    """The fields with records by id of which a view gives, of a world, the members that differ."""
    here: GroupId = TABLE
    """The place of this state: the table, or a group's id."""
    worlds: Mapping[GroupId, Any] = EMPTY
    """The worlds of groups that act apart, each `Sealed` for its group."""

    @property
    def apart(self) -> tuple[str, ...]:
        if self.closed:
            return ()
        return tuple([group for group, world in self.worlds.items() if not is_closed(world)])

    def entered(self, epoch: int) -> Self:
        """Return the table in another epoch; the groups' rolls in epochs that rulings opened stay counted."""
        rolls_in_other_epochs = dict(self.rolls_in_other_epochs)
        for world in self.worlds.values():
            if not is_closed(world):
                for key, count in unsealed(world).rolls_in_other_epochs.items():
                    rolls_in_other_epochs[key] = max(count, rolls_in_other_epochs.get(key, 0))
        return super(
            SplitTable,
            changed(self, rolls_in_other_epochs=rolls_in_other_epochs) if rolls_in_other_epochs else self,
        ).entered(epoch)

    def at(self, place: str) -> Self:
        if place == self.here:
            return self

        def made(table: SplitTable) -> Any:  # noqa: ANN401 - a state of the ruleset, as this one
            world = unsealed(table.worlds[place])
            return changed(world, **{name: getattr(table, name) for name in table.shared})

        world: Self = derived(self, f"at {place}", made)  # each fact, frame and prompt asks again
        return world

    def with_at(self, place: str, inner: Self) -> Self:
        if place == self.here:
            return inner
        return changed(self, worlds=with_key(self.worlds, place, changed(self.worlds[place], value=inner)))

    def current(self) -> Self:
        worlds = dict(self.worlds)
        for place, kept in self.worlds.items():
            if not is_closed(kept):
                inner = self.at(place)
                worlds[place] = changed(kept, value=inner) if isinstance(kept, Sealed) else inner
        return changed(self, worlds=worlds) if worlds else self

    def scope_at(self, place: str) -> Scope | None:
        if place == self.here:
            return None
        world: Sealed[Any] = self.worlds[place]
        return Scope(audience=world.audience, opens=world.opens, at=place)


Data = dict[str, Any]


def with_differences(table: SplitTable, state: Data) -> Data:
    """Return *state*, the data of *table*, with what differs from it in place of each world that is open."""
    if not state["worlds"]:
        return state
    worlds = {
        group: world if "sealed" in world else _difference(table, state, world)
        for group, world in state["worlds"].items()
    }
    return {**state, "worlds": worlds}


def _difference(table: SplitTable, state: Data, world: Data) -> Data:
    """Return the members of *world* that differ from those of *state*; of records by id, theirs."""
    found: Data = {}
    for name, value in world.items():
        outside = state[name]
        if value == outside:
            continue
        found[name] = _records(outside, value) if name in table.compared else value
    return found


def _records(outside: Data, inside: Data) -> Data:
    """Return the records of *inside* that differ, each as its members that differ; None if one is missing."""
    found: Data = {id_: None for id_ in outside if id_ not in inside}
    for id_, each in inside.items():
        other = outside.get(id_, {})
        differing = {name: value for name, value in each.items() if name not in other or other[name] != value}
        if differing:
            found[id_] = differing
    return found
