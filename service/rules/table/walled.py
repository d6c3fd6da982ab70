"""Hold the walls and doors on the edges of a map, and move doors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

from service.rules.kernel.messages import Event
from service.rules.kernel.records import EMPTY, changed, computed_from, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId
from service.rules.space.grid import Cell, cells, is_beyond
from service.rules.space.walls import (
    Closed,
    EdgeKey,
    Edges,
    Point,
    Wall,
    Walls,
    closed_edges,
    edge_at,
    is_crossing_closed,
    is_line_closed,
    is_split,
    is_step_closed,
    key_of,
)
from service.rules.table.table import Table

TABLE_WALL_1: Final = Rule(
    "TABLE-WALL-1",
    "Nothing passes a closed edge; a diagonal passes its end, unless both ways around are closed.",
    RULING,
)
TABLE_WALL_2: Final = Rule(
    "TABLE-WALL-2",
    "Who has a door at its space opens or closes it as it handles an object; none closes on a creature.",
    RULING,
)

Edging: TypeAlias = Literal["wall", "closed_door", "open_door", "none"]
"""What a ruling sets an edge to."""

DOOR_VERBS: Final[Mapping[str, Wall]] = {"open": "closed_door", "close": "open_door"}
"""The ways to handle a door, each with the doors that can be handled so."""


@record
class WalledTable(Table):
    """A table whose map has walls and doors on edges."""

    walls: Walls = EMPTY
    """Walls and doors on the edges between cells, by `x,y|x,y`: the left or upper cell first."""

    @computed_from("walls")
    def closed_edges(self) -> Closed:
        """The edges that are closed, each in both directions."""
        return closed_edges(self.walls)

    @computed_from("walls")
    def beside_closed_edges(self) -> Mapping[int, Sequence[int]]:
        """The cells beside the closed edges: the x of each, in order, by y."""
        found: dict[int, list[int]] = {}
        for x, y in sorted({cell for cell, _ in self.closed_edges}):
            found.setdefault(y, []).append(x)
        return found

    def ground(self, cell: Cell) -> str:
        """Return what *cell* is made of."""
        raise NotImplementedError

    def standing_at(self, cell: Cell) -> Sequence[Any]:
        """Return the creatures whose space covers *cell*."""
        raise NotImplementedError

    def is_solid(self, cell: Cell) -> bool:
        """Return whether *cell* is filled with wall, as whatever is beyond the edge of the map counts."""
        return self.ground(cell) == "wall" or is_beyond(cell, 1)

    def is_divided(self, at: Cell, side: int) -> bool:
        """Return whether a closed edge divides the space at *at* that is *side* cells wide."""
        return bool(self.walls) and is_split(self.closed_edges, at, side)

    @enforces(TABLE_WALL_1)
    def is_barred(self, before: Cell, after: Cell, side: int = 1) -> bool:
        """Return whether closed edges bar a step of a space that is *side* cells wide."""
        if not self.walls:
            return False
        return is_step_closed(self.closed_edges, self.is_solid, before, after, side)

    @enforces(TABLE_WALL_1)
    def is_line_cut(self, start: Point, goal: Point) -> bool:
        """Return whether a closed edge cuts the line between two `inner_corners`."""
        if not self.walls:
            return False
        return is_line_closed(self.closed_edges, self.is_solid, start, goal)

    def bars(self) -> Callable[[Cell, Cell], bool] | None:
        """Return a test whether a closed edge keeps two touching cells apart, None if no edge is closed."""
        closed = self.closed_edges if self.walls else None
        if not closed:
            return None
        return lambda a, b: is_crossing_closed(closed, self.is_solid, a, b)

    def doors_at(self, at: Cell, side: int, wall: Wall) -> tuple[str, ...]:
        """Return the edges of the space at *at* that have such a door."""
        if not self.walls:
            return ()
        around = [key_of(cell, beside) for cell in cells(at, side) for beside in _beside(cell)]
        return tuple(dict.fromkeys([key for key in around if self.walls.get(key) == wall]))

    @enforces(TABLE_WALL_2)
    def door_fault(self, at: Cell, side: int, door: str, verb: str) -> str | None:
        """Return what keeps a creature with this space from opening or closing *door*; None: nothing."""
        wanted = DOOR_VERBS[verb]
        if door not in self.doors_at(at, side, wanted):
            here = ", ".join(self.doors_at(at, side, wanted)) or "none"
            return f"{door or 'null'} is no {wanted.replace('_', ' ')} at its space; there: {here}"
        return self.astride(door) if verb == "close" else None

    def astride(self, edge: str) -> str | None:
        """Return that a creature is on both sides of *edge*, None if none is."""
        ends = edge_at(edge)
        if ends is None:
            return f"{edge} is not an edge: write x,y|x,y, the left or upper cell first"
        there = [each.id for each in self.standing_at(ends[1])]
        found = next((each.id for each in self.standing_at(ends[0]) if each.id in there), None)
        return None if found is None else f"{found} is on both sides of {edge}"

    def with_edges(self, edges: Sequence[str], becomes: Edging) -> Self:
        """Return the table with *becomes* on each of *edges*."""
        walls = {key: wall for key, wall in self.walls.items() if key not in edges}
        if becomes != "none":
            walls |= dict.fromkeys(edges, becomes)
        return changed(self, walls=walls)


def _beside(cell: Cell) -> Iterator[Cell]:
    return ((cell[0] + dx, cell[1] + dy) for dx, dy in ((-1, 0), (0, -1), (1, 0), (0, 1)))


@record
class DoorOpened(Event[Any]):
    """A creature opened a door."""

    type: ClassVar[str] = "door_opened"
    sentence: ClassVar[str] = "{creature} opens the door at {door}"
    creature: CreatureId
    door: EdgeKey

    def evolve(self, state: Any) -> Any:  # noqa: ANN401 - of any book
        return state.with_edges((self.door,), "open_door")


@record
class DoorClosed(Event[Any]):
    """A creature closed a door."""

    type: ClassVar[str] = "door_closed"
    sentence: ClassVar[str] = "{creature} closes the door at {door}"
    creature: CreatureId
    door: EdgeKey

    def evolve(self, state: Any) -> Any:  # noqa: ANN401 - of any book
        return state.with_edges((self.door,), "closed_door")


def is_door(item: str) -> bool:
    """Return whether *item*, which is opened or closed, means a door of the map and not a chest or so."""
    return "|" in item


def door_moved(creature: str, door: str, verb: str) -> DoorOpened | DoorClosed:
    """Return the event of a creature that opens or closes a door."""
    kind = DoorOpened if verb == "open" else DoorClosed
    return kind(creature=creature, door=door, because=(TABLE_WALL_2.id,))


@record
class WallsSet(Event[Any]):
    """The GM set what is on edges."""

    type: ClassVar[str] = "walls_set"
    sentence: ClassVar[str] = "the gm sets {edges}: {becomes}"
    edges: Edges
    becomes: Edging
    """What is on the edges from now on; `none` for nothing."""

    def evolve(self, state: Any) -> Any:  # noqa: ANN401 - of any book
        return state.with_edges(self.edges, self.becomes)


MOST_EDGES: Final = 10_000


def edges_fault(view: WalledTable, edges: Sequence[str], becomes: Edging) -> str | None:
    """Return what keeps a ruling from setting *edges*, None if nothing does."""
    if not 1 <= len(edges) <= MOST_EDGES:
        return f"1 to {MOST_EDGES} edges"
    closes = becomes in ("wall", "closed_door")
    faults = (view.astride(edge) for edge in edges if closes or edge_at(edge) is None)
    return next((fault for fault in faults if fault is not None), None)
