"""Walls and doors on the edges between cells: what they close to a step, a line and a space.

An edge is where two cells side by side meet. It is written `x,y|x,y`, the left or upper cell first. Whole
numbers only: lines begin and end a hair inside the corners of spaces, so that none runs along an edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from re import compile as pattern
from typing import Annotated, Final, Literal, TypeAlias

from service.rules.kernel.meaning import text
from service.rules.kernel.values import EDGES
from service.rules.space.grid import Cell, cells

Wall: TypeAlias = Literal["wall", "closed_door", "open_door"]
"""What is on an edge."""
EDGE_FORM: Final = "an edge is written x,y|x,y: two cells side by side, the left or upper one first"
EdgeKey: TypeAlias = Annotated[
    str,
    text(
        "edge",
        23,
        pattern=r"-?\d{1,4},-?\d{1,4}\|-?\d{1,4},-?\d{1,4}",
        form=EDGE_FORM,
        said="An edge, as `x,y|x,y`: two cells side by side, the left or upper first",
        many=EDGES,
    ),
]
Edges: TypeAlias = Annotated[
    tuple[EdgeKey, ...], "Edges between cells, as `x,y|x,y`: the left or upper cell first."
]
Walls: TypeAlias = Mapping[EdgeKey, Wall]
"""The walls and doors of a map, by edge."""
Edge: TypeAlias = tuple[Cell, Cell]
Closed: TypeAlias = frozenset[Edge]
"""The edges that are closed, each in both directions."""
Point: TypeAlias = tuple[int, int]
"""A point of a line: parts of a cell, `UNIT` to a side."""

NO_EDGES: Final[Closed] = frozenset()
UNIT: Final = 64
"""Parts of a cell's side in which lines count; a corner is one part inside its space."""
KEY: Final = pattern(r"(-?\d{1,4}),(-?\d{1,4})\|(-?\d{1,4}),(-?\d{1,4})")


def edge_at(key: str) -> Edge | None:
    """Return the edge that is written *key*, None if none is."""
    found = KEY.fullmatch(key)
    if found is None:
        return None
    x, y, i, j = map(int, found.groups())
    edge = ((x, y), (i, j))
    return edge if (i, j) in ((x + 1, y), (x, y + 1)) and key == key_of(*edge) else None


def key_of(a: Cell, b: Cell) -> str:
    """Return how the edge between two cells side by side is written."""
    (x, y), (i, j) = (a, b) if a <= b else (b, a)
    return f"{x},{y}|{i},{j}"


def wall_faults(walls: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the keys of *walls*: (JSON pointer, detail)."""
    for key in walls:
        if edge_at(key) is None:
            yield f"/walls/{key}", EDGE_FORM


def closed_edges(walls: Walls) -> Closed:
    """Return the edges of *walls* that are closed: walls, and doors that are."""
    found = [edge for key, wall in walls.items() if wall != "open_door" and (edge := edge_at(key))]
    return frozenset((*found, *((b, a) for a, b in found)))


def is_split(closed: Closed, at: Cell, side: int) -> bool:
    """Return whether a closed edge divides the space at *at* that is *side* cells wide."""
    if side == 1 or not closed:
        return False
    inside = cells(at, side)
    return any((cell, beside) in closed for cell in inside for beside in inside if cell < beside)


def is_crossing_closed(closed: Closed, is_solid: Callable[[Cell], bool], a: Cell, b: Cell) -> bool:
    """Return whether a closed edge keeps apart two cells that touch.

    A diagonal leads past the corner where four edges meet, by the one or the other cell beside it. It is
    closed if both ways are, by an edge or because that cell is solid, and at least one of them by an edge.
    """
    if a[0] == b[0] or a[1] == b[1]:
        return (a, b) in closed
    one, other = (b[0], a[1]), (a[0], b[1])
    first = (a, one) in closed or (one, b) in closed
    second = (a, other) in closed or (other, b) in closed
    return (first or second) and (first or is_solid(one)) and (second or is_solid(other))


def is_step_closed(
    closed: Closed, is_solid: Callable[[Cell], bool], before: Cell, after: Cell, side: int = 1
) -> bool:
    """Return whether closed edges bar a step of a space *side* cells wide, or divide it where it ends."""
    if not closed:
        return False
    if side == 1:
        return is_crossing_closed(closed, is_solid, before, after)
    dx, dy = after[0] - before[0], after[1] - before[1]
    inside = cells(before, side)
    return is_split(closed, after, side) or any(
        is_crossing_closed(closed, is_solid, (x - dx, y - dy), (x, y))
        for x, y in cells(after, side)
        if (x, y) not in inside
    )


def is_line_closed(closed: Closed, is_solid: Callable[[Cell], bool], start: Point, goal: Point) -> bool:
    """Return whether a closed edge cuts the line between two points, neither of which is on an edge."""
    return any(is_crossing_closed(closed, is_solid, a, b) for a, b in _crossings(start, goal))


def _crossings(start: Point, goal: Point) -> Iterator[Edge]:
    """Yield each two cells between which a line passes, in order: diagonal ones where it meets a corner."""
    (x, y), (goal_x, goal_y) = start, goal
    dx, dy = abs(goal_x - x), abs(goal_y - y)
    right, down = (1 if goal_x > x else -1), (1 if goal_y > y else -1)
    cell, last = (x // UNIT, y // UNIT), (goal_x // UNIT, goal_y // UNIT)
    while cell != last:
        # how far the next vertical and the next horizontal grid line are, each times the other's extent
        across = dy * abs((cell[0] + (right > 0)) * UNIT - x)
        along = dx * abs((cell[1] + (down > 0)) * UNIT - y)
        following = (
            cell[0] + right * (dx > 0 and across <= along),
            cell[1] + down * (dy > 0 and along <= across),
        )
        yield cell, following
        cell = following


def inner_corners(at: Cell, side: int) -> tuple[Point, ...]:
    """Return the four corners of a space, each one part inside, as `grid` points times `UNIT`."""
    left, up = at[0] * UNIT + 1, at[1] * UNIT + 1
    right, down = (at[0] + side) * UNIT - 1, (at[1] + side) * UNIT - 1
    return ((left, up), (right, up), (left, down), (right, down))
