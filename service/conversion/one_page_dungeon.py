"""Read a map of One Page Dungeon: rooms as rectangles of cells, and doors as cells between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from service.conversion import json_members as members
from service.conversion.drawing import LARGEST_SIDE, Polyline, Portal, Sketch, Spot, Stroke
from service.conversion.json_members import Odd
from service.rules.space.grid import Cell

CLOSED: Final = (1, 4, 5, 6, 7)
"""The kinds of doors that close: door, portcullis, double, secret and barred door."""
SECRET: Final = 6
MOST_CELLS: Final = 2 * LARGEST_SIDE**2
"""Cells of all rooms together, those in two rooms counted twice."""
SIDES: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Door(NamedTuple):
    """A door: its place in the file, the side to which it leads, and its kind."""

    place: str
    toward: Cell
    kind: object


def is_dungeon(data: Mapping[str, Any]) -> bool:
    """Tell whether *data* is such a map."""
    return isinstance(data.get("rects"), list) and isinstance(data.get("doors"), list)


def sketched(data: Mapping[str, Any]) -> Sketch:
    """Return what such a map draws: walls where the floor ends; its first column and row become 0.

    Raises `Unconvertible` for one without rooms, or larger than a map may be.
    """
    notes: list[str] = []
    floor = frozenset(_floor(data, notes))
    if not floor:
        members.fault("/rects", "at least one room")
    left, top = min(x for x, _ in floor), min(y for _, y in floor)
    width, height = max(x for x, _ in floor) - left + 1, max(y for _, y in floor) - top + 1
    if max(width, height) > LARGEST_SIDE:
        members.fault("/rects", f"at most {LARGEST_SIDE} cells along each side")
    sketch = Sketch(width, height, notes=notes)
    doors = dict(_doors(data, sketch))
    sketch.lines += [
        Polyline("/rects", [_edge(cell, side, left, top, "/rects")]) for cell, side in _walls(floor, doors)
    ]
    for cell, (place, toward, kind) in doors.items():
        if kind in CLOSED:
            stroke = _edge(cell, toward, left, top, place)
            sketch.portals.append(Portal(stroke, "closed_door", is_upright=toward[1] == 0))
        if kind == SECRET:
            sketch.notes.append(f"{place}: a secret door: a closed door here, for all to see")
    for name, terrain in (("columns", "wall"), ("water", "shallow_water")):
        for x, y in _cells(data, name, sketch.notes):
            if (x, y) in floor:
                sketch.terrain[x - left, y - top] = terrain
    texts = members.list_at(data, "", "notes")
    if texts:
        sketch.notes.append(f"notes are left out ({len(texts)}): an opening has none")
    return sketch


def _walls(floor: frozenset[Cell], doors: Mapping[Cell, Door]) -> Iterator[tuple[Cell, Cell]]:
    """Yield each cell and side where the floor ends; a cell with a door is open at its two ends alone."""
    passages = {
        frozenset((cell, _beside(cell, each)))
        for cell, door in doors.items()
        for each in (door.toward, (-door.toward[0], -door.toward[1]))
    }
    for cell in sorted(floor):
        for side in SIDES:
            other = _beside(cell, side)
            at_door = cell in doors or other in doors
            if other not in floor or (at_door and frozenset((cell, other)) not in passages):
                yield cell, side


def _floor(data: Mapping[str, Any], notes: list[str]) -> Iterator[Cell]:
    round_rooms = cells = 0
    for i, rect in enumerate(data["rects"]):
        try:
            if not isinstance(rect, dict):
                raise Odd("a room is an object")  # noqa: TRY301 - as what the reader below raises
            x, y, w, h = (int(members.number_at(rect, name)) for name in "xywh")
        except Odd as odd:
            notes.append(f"/rects/{i}: {odd}; this room is left out")
            continue
        if max(w, h) > LARGEST_SIDE:
            members.fault(f"/rects/{i}", f"at most {LARGEST_SIDE} cells along each side")
        cells += max(0, w) * max(0, h)
        if cells > MOST_CELLS:
            members.fault(f"/rects/{i}", f"at most {MOST_CELLS} cells in all rooms together")
        round_rooms += rect.get("rotunda") is True
        yield from ((column, row) for column in range(x, x + w) for row in range(y, y + h))
    if round_rooms:
        notes.append(f"round rooms are drawn square ({round_rooms})")


def _doors(data: Mapping[str, Any], sketch: Sketch) -> Iterator[tuple[Cell, Door]]:
    """Yield each door with its cell."""
    for i, door in enumerate(data["doors"]):
        place = f"/doors/{i}"
        try:
            if not isinstance(door, dict) or not isinstance(door.get("dir"), dict):
                raise Odd("a door is an object with dir")  # noqa: TRY301 - as what the reader below raises
            cell = int(members.number_at(door, "x")), int(members.number_at(door, "y"))
            to = int(members.number_at(door["dir"], "x")), int(members.number_at(door["dir"], "y"))
            if to not in SIDES:
                raise Odd("dir is one of the four sides")  # noqa: TRY301 - as above
        except Odd as odd:
            sketch.notes.append(f"{place}: {odd}; this door is left out")
            continue
        yield cell, Door(place, to, door.get("type"))


def _cells(data: Mapping[str, Any], name: str, notes: list[str]) -> Iterator[Cell]:
    for i, each in enumerate(members.list_at(data, "", name)):
        try:
            if not isinstance(each, dict):
                raise Odd("a cell is an object")  # noqa: TRY301 - as what the reader below raises
            yield int(members.number_at(each, "x")), int(members.number_at(each, "y"))
        except Odd as odd:
            notes.append(f"/{name}/{i}: {odd}; left out")


def _beside(cell: Cell, side: Cell) -> Cell:
    return cell[0] + side[0], cell[1] + side[1]


def _edge(cell: Cell, side: Cell, left: int, top: int, place: str) -> Stroke:
    """Return the edge of a cell at one of its sides, as a line."""
    x, y = cell[0] - left, cell[1] - top
    if side[1] == 0:
        at = x + (side[0] > 0)
        return Stroke(place, Spot(at, y), Spot(at, y + 1))
    at = y + (side[1] > 0)
    return Stroke(place, Spot(x, at), Spot(x + 1, at))
