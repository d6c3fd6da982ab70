"""Make zones: walls, rough ground, darkness and hazards, there for their own group at once, then for all.

What a zone does to others begins when it is announced; it hurts at the end of a phase for the first time.
"""

from __future__ import annotations

from typing import ClassVar

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.rise.attacks.areas import check_area, is_aimed
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import Ability, Zone
from service.rules.rise.space.sight import is_clear
from service.rules.rise.state import Placed, State
from service.rules.space.grid import Cell, cells


@record
class ZoneMade(Event[State]):
    """Ground is changed, as far as the makers know; for everybody else from the announcement on."""

    type: ClassVar[str] = "zone_made"
    placed: Placed

    def evolve(self, state: State) -> State:
        return changed(state, zones=(*state.zones, self.placed))


@record
class ZonesEnded(Event[State]):
    """The ground is again what it was."""

    type: ClassVar[str] = "zones_ended"
    ended: tuple[Placed, ...]

    def evolve(self, state: State) -> State:
        return changed(state, zones=tuple([placed for placed in state.zones if placed not in self.ended]))


def check_place(
    view: State, creature: Creature, ability: Ability, at: Cell | None, altitude: int = 0
) -> None:
    """Refuse a zone or area that is not in reach, or a place for what needs none."""
    if is_aimed(ability) is (at is None) or (altitude and (at is None or ability.area is None)):
        raise Refused("invalid_target", f"{ability.id} needs a place if it can be aimed", "RI-ATK-1")
    if at is None:
        return
    if ability.area is not None and (ability.area.is_narrow or ability.area.range_ft):
        check_area(view, creature, ability.area, at, altitude)
    if ability.zone is None:
        return
    if creature.space and view.distance(creature, changed(creature, position=at)) > ability.range_ft:
        raise Refused("target_out_of_range", f"{at} is out of reach of {creature.id}", "RI-ATK-1")
    if not is_clear(view, creature.position, at):
        raise Refused("no_line_of_effect", f"something stands between {creature.id} and {at}", "RI-ATK-1")


def made(state: State, source: str, zone: Zone, at: Cell) -> Emits[State]:
    """Tell that the ground around a cell is changed."""
    number = sum(placed.source == source and placed.since == state.round for placed in state.zones)
    placed = Placed(zone=zone, at=at, source=source, since=state.round, number=number)
    return (yield ZoneMade(placed=placed, because=("RI-RES-2", "C-38")))


def clear(state: State, step: int) -> Emits[State]:
    """Tell which zones are over: they last as long as conditions of the same duration."""
    ended = tuple([placed for placed in state.zones if is_over(state, placed, step)])
    return (yield ZonesEnded(ended=ended, because=("RI-DUR-1", "C-38"))) if ended else state


def is_over(state: State, placed: Placed, step: int) -> bool:
    """Tell whether a zone ends with *step* of this round."""
    if placed.zone.until == "phase":
        return step in (4, 10)
    lasts = {"round": 0, "brief": 1}.get(placed.zone.until)
    return step == 11 and lasts is not None and placed.since + lasts <= state.round


def burning(state: State) -> list[tuple[str, Placed]]:
    """Return who stands in what hurts, zone by zone."""
    return [
        (name, placed)
        for placed in state.zones
        if placed.zone.damage
        for name, creature in state.creatures.items()
        if any(placed.covers(cell) for cell in cells(creature.position, creature.space))
    ]


def is_dark(state: State, creature: Creature) -> bool:
    """Tell whether *creature* stands in the dark."""
    return any(placed.zone.kind == "darkness" and placed.covers(creature.position) for placed in state.zones)
