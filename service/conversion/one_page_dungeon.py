"""Read a map of One Page Dungeon: rooms as rectangles of cells, and doors as cells between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor as floor_of
from typing import Any, Final, NamedTuple

from service.conversion import json_members as members
from service.conversion.drawing import LARGEST_SIDE, Polyline, Portal, Sketch, Spot, Stroke
from service.conversion.json_members import Odd
from service.rules.space.grid import Cell

CLOSED: Final = (1, 4, 5, 6, 7)
"""The kinds of doors that close: door, portcullis, double, secret and barred door."""
SECRET: Final = 6
PASSAGES: Final = (0, 2, 3, 8, 9)
"""Archways and stairs."""
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
    rects, doors = data.get("rects"), data.get("doors")
    is_of_rooms = isinstance(rects, list) and any(isinstance(each, dict) and "w" in each for each in rects)
    return is_of_rooms or ("rects" in data and isinstance(doors, list))


def sketched(data: Mapping[str, Any]) -> Sketch:
    """Return what such a map draws: walls where the floor ends; its first column and row become 0.

    Raises `Unconvertible` for one without rooms, or larger than a map may be.
    """
    notes: list[str] = []
    rooms = {*_floor(data, notes)}
    if not rooms:
        members.fault("/rects", "at least one room")
    doors = _doors(data, rooms, notes)
    floor = frozenset(rooms)
    left, top = min(x for x, _ in floor), min(y for _, y in floor)
    width, height = max(x for x, _ in floor) - left + 1, max(y for _, y in floor) - top + 1
    if max(width, height) > LARGEST_SIDE:
        members.fault("/rects", f"at most {LARGEST_SIDE} cells along each side")
    sketch = Sketch(width, height, notes=notes)
    sketch.lines += [
        Polyline("/rects", [_edge(cell, side, left, top, "/rects")]) for cell, side in _walls(floor, doors)
    ]
    for cell, of_cell in doors.items():
        for door in of_cell:
            _add_door(door, _edge(cell, door.toward, left, top, door.place), sketch)
    for name, terrain in (("water", "shallow_water"), ("columns", "wall")):
        for place, (x, y) in _cells(data, name, sketch.notes):
            if (x, y) in floor:
                sketch.terrain[x - left, y - top] = terrain
            else:
                sketch.notes.append(f"{place}: outside the rooms, and left out")
    texts = members.list_at(data, "", "notes")
    if texts:
        sketch.notes.append(f"notes are left out ({len(texts)}): an opening has none")
    return sketch


def _add_door(door: Door, stroke: Stroke, sketch: Sketch) -> None:
    if door.kind in CLOSED:
        sketch.portals.append(Portal(stroke, "closed_door", is_upright=door.toward[1] == 0))
    elif door.kind not in PASSAGES:
        said = "no kind" if door.kind is None else f"kind {str(door.kind)[:40]}"
        sketch.notes.append(f"{door.place}: a door of {said}: a passage here")
    if door.kind == SECRET:
        sketch.notes.append(f"{door.place}: a secret door: a closed door here, for all to see")


def _walls(floor: frozenset[Cell], doors: Mapping[Cell, Sequence[Door]]) -> Iterator[tuple[Cell, Cell]]:
    """Yield each cell and side where the floor ends; a cell with a door is open at its two ends alone."""
    passages = {
        frozenset((cell, _beside(cell, each)))
        for cell, of_cell in doors.items()
        for door in of_cell
        for each in (door.toward, (-door.toward[0], -door.toward[1]))
    }
    for cell in sorted(floor):
        for side in SIDES:
            other = _beside(cell, side)
            at_door = cell in doors or other in doors
            if other not in floor or (at_door and frozenset((cell, other)) not in passages):
                yield cell, side


def _floor(data: Mapping[str, Any], notes: list[str]) -> Iterator[Cell]:
    """Yield the cells of the rooms."""
    round_rooms = cells = 0
    for i, rect in enumerate(members.list_at(data, "", "rects")):
        try:
            if not isinstance(rect, dict):
                raise Odd("a room is an object")  # noqa: TRY301 - as what the reader below raises
            x, y, w, h = (floor_of(members.number_at(rect, name)) for name in "xywh")
            if w == 0 or h == 0:
                raise Odd("it has no cells")  # noqa: TRY301 - as above
        except Odd as odd:
            notes.append(f"/rects/{i}: {odd}; this room is left out")
            continue
        x, y, w, h = min(x, x + w), min(y, y + h), abs(w), abs(h)
        if max(w, h) > LARGEST_SIDE:
            members.fault(f"/rects/{i}", f"at most {LARGEST_SIDE} cells along each side")
        cells += w * h
        if cells > MOST_CELLS:
            members.fault(f"/rects/{i}", f"at most {MOST_CELLS} cells in all rooms together")
        round_rooms += members.truth(rect.get("rotunda"), default=False)
        yield from ((column, row) for column in range(x, x + w) for row in range(y, y + h))
    if round_rooms:
        notes.append(f"round rooms are drawn square ({round_rooms})")


def _doors(data: Mapping[str, Any], rooms: set[Cell], notes: list[str]) -> dict[Cell, list[Door]]:
    """Return the doors by their cells; add the cell of a door between rooms that no room has to *rooms*."""
    found: dict[Cell, list[Door]] = {}
    for i, door in enumerate(members.list_at(data, "", "doors")):
        place = f"/doors/{i}"
        try:
            if not isinstance(door, dict) or not isinstance(door.get("dir"), dict):
                raise Odd("a door is an object with dir")  # noqa: TRY301 - as what the reader below raises
            cell, to = _cell_of(door), _cell_of(door["dir"])
            if to not in SIDES:
                raise Odd("dir is one of the four sides")  # noqa: TRY301 - as above
        except Odd as odd:
            notes.append(f"{place}: {odd}; this door is left out")
            continue
        if cell not in rooms and rooms.isdisjoint((_beside(cell, to), _beside(cell, (-to[0], -to[1])))):
            notes.append(f"{place}: outside the rooms, and left out")
            continue
        rooms.add(cell)
        found.setdefault(cell, []).append(Door(place, to, members.code(door.get("type"))))
    return found


def _cell_of(data: Mapping[str, Any]) -> Cell:
    return floor_of(members.number_at(data, "x")), floor_of(members.number_at(data, "y"))


def _cells(data: Mapping[str, Any], name: str, notes: list[str]) -> Iterator[tuple[str, Cell]]:
    for i, each in enumerate(members.list_at(data, "", name)):
        try:
            if not isinstance(each, dict):
                raise Odd("a cell is an object")  # noqa: TRY301 - as what the reader below raises
            yield f"/{name}/{i}", _cell_of(each)
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
