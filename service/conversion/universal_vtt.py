"""Convert a map of Universal VTT (`.uvtt`, `.dd2vtt`) to the walls, doors and light of an opening.

The format has lines in grid units, from anywhere to anywhere; an opening has walls on edges between cells.
Every end of a line moves to the nearest corner of a cell, and a slanted line becomes steps along edges. So
lines that meet still meet, and what was closed stays closed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import floor, isfinite
from typing import Any, Final, NamedTuple, NoReturn

from service.conversion.faults import Converted, Unconvertible
from service.conversion.fields import opening_fields
from service.rules.ruleset import Ruleset
from service.rules.space.grid import Cell
from service.rules.space.walls import UNIT, Closed, Wall, closed_edges, is_line_closed, key_of

LARGEST_FILE: Final = 128 * 1024 * 1024
"""Bytes of a file, most of them its picture."""
LARGEST_SIDE: Final = 500
"""Cells along a side of a map."""
MOST_POINTS: Final = 100_000
"""Points of all lines together."""
MOST_MEMBERS: Final = 2_000
"""What the API takes of any object."""
MOST_LIGHTS: Final = 500
FARTHEST_LIGHT: Final = 100
"""Cells that a light reaches."""
FAR: Final = 0.25
"""Parts of a cell by which the end of a line may move without a note."""
MOST_NOTES: Final = 20
"""Notes about single lines; further ones are counted."""
BRIGHT: Final = 170
DIM: Final = 85
"""The least mean of red, green and blue, up to 255, of an ambient light that is bright or dim."""


class Spot(NamedTuple):
    """A point in grid units, counted from the map's upper left corner."""

    x: float
    y: float


class Stroke(NamedTuple):
    """A straight line of the file: its place there, and its ends."""

    place: str
    start: Spot
    end: Spot


def convert_map(text: str, ruleset: Ruleset[Any]) -> Converted:
    """Return the part of an opening that a map is: `walls`, and `scenery` if the rulebook has light on cells.

    Raises `Unconvertible` for what is not such a map, with the place as a JSON pointer.
    """
    fields = opening_fields(ruleset)
    if "walls" not in fields:
        raise Unconvertible(f"{ruleset.edition} has no walls")
    data = _parsed(text)
    resolution = _member(data, "", "resolution", dict)
    width, height = (_side(_member(resolution, "/resolution", "map_size", dict), axis) for axis in "xy")
    origin = resolution.get("map_origin", {"x": 0, "y": 0})
    corner = _spot(origin, "/resolution/map_origin", Spot(0, 0))
    drawing = _Drawing(width, height)
    for name in ("line_of_sight", "objects_line_of_sight"):
        for line in _lines(data, name, corner):
            drawing.wall(line)
    portals = _list(data, "", "portals")
    for i, portal in enumerate(portals):
        drawing.door(*_portal(portal, f"/portals/{i}", corner))
    walls = dict(sorted(drawing.walls.items(), key=lambda item: _reading_order(item[0])))
    part: dict[str, Any] = {"walls": walls}
    lights = _list(data, "", "lights")
    if "scenery" in fields:
        part["scenery"] = _scenery(data, lights, corner, (width, height), closed_edges(drawing.walls))
    elif lights:
        drawing.note(f"lights are left out ({len(lights)}): this rulebook has no light on cells")
    for name, cells in (("walls", walls), ("scenery.light", part.get("scenery", {}).get("light", {}))):
        if len(cells) > MOST_MEMBERS:
            drawing.note(f"{name} has {len(cells)} members, and an opening takes {MOST_MEMBERS}: cut the map")
    return Converted(part, drawing.all_notes())


# --- reading -------------------------------------------------------------------------------------------


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > LARGEST_FILE:
        raise Unconvertible(f"the file has more than {LARGEST_FILE} characters")
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        raise Unconvertible(f"{place}: not valid JSON: {fault.msg}") from None
    except RecursionError:
        raise Unconvertible("the file is nested too deeply") from None
    if not isinstance(data, dict):
        _fault("", "a map is a JSON object")
    return data


def _no_constant(name: str) -> NoReturn:
    raise Unconvertible(f"{name} is not a number of JSON")


def _fault(place: str, expected: str) -> NoReturn:
    raise Unconvertible(f"{place or '/'}: {expected}")


def _member(of: Mapping[str, Any], at: str, name: str, kind: type) -> Any:  # noqa: ANN401 - JSON
    if not isinstance(of.get(name), kind):
        _fault(f"{at}/{name}", "an object is required" if kind is dict else "a list is required")
    return of[name]


def _list(of: Mapping[str, Any], at: str, name: str) -> Sequence[Any]:
    """Return a list that may be missing."""
    return () if of.get(name) is None else _member(of, at, name, list)


def _number(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _fault(place, "a number is required")
    if not isfinite(value) or abs(value) > 10**6:
        _fault(place, "a number from -1000000 to 1000000")
    return float(value)


def _side(size: Mapping[str, Any], axis: str) -> int:
    place = f"/resolution/map_size/{axis}"
    cells = floor(_number(size.get(axis), place) + 0.5)
    if not 1 <= cells <= LARGEST_SIDE:
        _fault(place, f"1 to {LARGEST_SIDE} cells")
    return cells


def _spot(value: object, place: str, corner: Spot) -> Spot:
    if not isinstance(value, dict):
        _fault(place, "a point with x and y is required")
    x, y = (_number(value.get(axis), f"{place}/{axis}") for axis in "xy")
    return Spot(x - corner.x, y - corner.y)


def _lines(data: Mapping[str, Any], name: str, corner: Spot) -> Iterator[Stroke]:
    """Yield the straight parts of the lines that *data* has as *name*."""
    points = 0
    for i, line in enumerate(_list(data, "", name)):
        place = f"/{name}/{i}"
        if not isinstance(line, list):
            _fault(place, "a line is a list of points")
        points += len(line)
        if points > MOST_POINTS:
            _fault(place, f"at most {MOST_POINTS} points")
        spots = [_spot(point, f"{place}/{j}", corner) for j, point in enumerate(line)]
        for j in range(1, len(spots)):
            yield Stroke(f"{place}/{j}", spots[j - 1], spots[j])


def _portal(portal: object, place: str, corner: Spot) -> tuple[Stroke, bool]:
    """Return where a door is, and whether it is closed."""
    if not isinstance(portal, dict):
        _fault(place, "a portal is an object")
    bounds = _member(portal, place, "bounds", list)
    if len(bounds) != len(("start", "end")):
        _fault(f"{place}/bounds", "two points are required")
    start, end = (_spot(point, f"{place}/bounds/{j}", corner) for j, point in enumerate(bounds))
    closed = portal.get("closed", True)
    if not isinstance(closed, bool):
        _fault(f"{place}/closed", "true or false")
    return Stroke(place, start, end), closed


# --- walls and doors -----------------------------------------------------------------------------------


class _Drawing:
    """The edges that lines become, and notes on what did not fit."""

    def __init__(self, width: int, height: int) -> None:
        self.walls: dict[str, Wall] = {}
        self._size = (width, height)
        self._notes: list[str] = []
        self._moved: list[str] = []

    def wall(self, line: Stroke) -> None:
        """Put a wall where a line is."""
        for edge in self._edges(line):
            self.walls[edge] = "wall"

    def door(self, line: Stroke, closed: bool) -> None:  # noqa: FBT001 - a member of the format
        """Put a door where a line is, in the place of a wall."""
        edges = self._edges(line)
        if len(edges) > 1:
            self.note(f"{line.place}: the door is {len(edges)} cells wide; each is opened by itself")
        for edge in edges:
            self.walls[edge] = "closed_door" if closed else "open_door"

    def note(self, text: str) -> None:
        """Remember what did not fit."""
        self._notes.append(text)

    def all_notes(self) -> tuple[str, ...]:
        """Return all notes; those on lines that moved are counted from the `MOST_NOTES`th on."""
        more = len(self._moved) - MOST_NOTES
        counted = (f"{more} further lines did not fit",) if more > 0 else ()
        return (*self._notes, *self._moved[:MOST_NOTES], *counted)

    def _edges(self, line: Stroke) -> list[str]:
        start, end = _corner(line.start), _corner(line.end)
        off = max(abs(a - b) for a, b in zip((*line.start, *line.end), (*start, *end), strict=True))
        edges = [key for key in _along(start, end) if self._is_inside(*key)]
        if start == end:
            if line.start != line.end:
                self._moved.append(f"{line.place}: shorter than half a cell, and left out")
        elif start[0] != end[0] and start[1] != end[1]:
            self._moved.append(f"{line.place}: slanted, and made steps along {len(edges)} edges")
        elif off > FAR:
            self._moved.append(f"{line.place}: moved by {off:.2f} cells to the nearest edges")
        return [key_of(*edge) for edge in edges]

    def _is_inside(self, a: Cell, b: Cell) -> bool:
        """Return whether an edge is at a cell of the map."""
        width, height = self._size
        return any(0 <= x < width and 0 <= y < height for x, y in (a, b))


def _corner(spot: Spot) -> Cell:
    """Return the corner of cells nearest to a point; halves go right and down."""
    return floor(spot.x + 0.5), floor(spot.y + 0.5)


def _along(start: Cell, end: Cell) -> Iterator[tuple[Cell, Cell]]:
    """Yield the edges of the way along cells' sides that stays nearest to a line between two corners."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    right, down = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
    gone_x, gone_y = 0, 0
    while gone_x < abs(dx) or gone_y < abs(dy):
        # the next step is along the axis of which the smaller part is gone
        if gone_y >= abs(dy) or (
            gone_x < abs(dx) and (2 * gone_x + 1) * abs(dy) <= (2 * gone_y + 1) * abs(dx)
        ):
            left = min(x, x + right)
            yield (left, y - 1), (left, y)
            x, gone_x = x + right, gone_x + 1
        else:
            upper = min(y, y + down)
            yield (x - 1, upper), (x, upper)
            y, gone_y = y + down, gone_y + 1


def _reading_order(key: str) -> tuple[int, int, str]:
    x, _, y = key.partition("|")[0].partition(",")
    return int(y), int(x), key


# --- light ---------------------------------------------------------------------------------------------


def _scenery(
    data: Mapping[str, Any], lights: Sequence[Any], corner: Spot, size: tuple[int, int], closed: Closed
) -> dict[str, Any]:
    """Return the ambient light, and the cells that lights make brighter than it.

    A light is bright to half its range and dim to its range, from its place to the middle of a cell. Walls
    and closed doors stop a light that casts shadows.
    """
    ambient = _ambient(data)
    ranks = ("dark", "dim", "bright")
    if len(lights) > MOST_LIGHTS:
        _fault("/lights", f"at most {MOST_LIGHTS} lights")
    found: dict[Cell, str] = {}
    for i, light in enumerate(lights):
        place = f"/lights/{i}"
        if not isinstance(light, dict):
            _fault(place, "a light is an object")
        at = _spot(light.get("position"), f"{place}/position", corner)
        reach = _number(light.get("range"), f"{place}/range")
        if not 0 <= reach <= FARTHEST_LIGHT:
            _fault(f"{place}/range", f"0 to {FARTHEST_LIGHT} cells")
        stops = closed if light.get("shadows", True) else frozenset()
        for cell, shine in _lit(at, reach, size, stops):
            if ranks.index(shine) > ranks.index(found.get(cell, ambient)):
                found[cell] = shine
    ordered = sorted(found.items(), key=lambda item: (item[0][1], item[0][0]))
    return {"ambient": ambient, "light": {f"{x},{y}": shine for (x, y), shine in ordered}}


def _ambient(data: Mapping[str, Any]) -> str:
    """Return the light of the whole map, from its colour `aarrggbb`; bright if the file has none."""
    environment = data.get("environment") or {}
    if not isinstance(environment, dict):
        _fault("/environment", "an object")
    colour = environment.get("ambient_light")
    if colour is None:
        return "bright"
    place = "/environment/ambient_light"
    if not isinstance(colour, str) or len(colour.lstrip("#")) not in (6, 8):
        _fault(place, "a colour of 6 or 8 hexadecimal digits")
    try:
        parts = bytes.fromhex(colour.lstrip("#"))[-3:]
    except ValueError:
        _fault(place, "a colour of 6 or 8 hexadecimal digits")
    mean = sum(parts) // 3
    return "bright" if mean >= BRIGHT else "dim" if mean >= DIM else "dark"


def _lit(at: Spot, reach: float, size: tuple[int, int], stops: Closed) -> Iterator[tuple[Cell, str]]:
    """Yield the cells of the map that a light reaches, each with how bright it is there."""
    start = (_off_edges(at.x), _off_edges(at.y))
    columns = range(max(0, floor(at.x - reach)), min(size[0], floor(at.x + reach) + 1))
    rows = range(max(0, floor(at.y - reach)), min(size[1], floor(at.y + reach) + 1))
    for y in rows:
        for x in columns:
            far = (x + 0.5 - at.x) ** 2 + (y + 0.5 - at.y) ** 2
            if far > reach**2:
                continue
            goal = (x * UNIT + UNIT // 2, y * UNIT + UNIT // 2)
            if not (stops and is_line_closed(stops, _never_solid, start, goal)):
                yield (x, y), "bright" if 4 * far <= reach**2 else "dim"


def _off_edges(part: float) -> int:
    """Return a coordinate in parts of a cell that is on no grid line."""
    units = floor(part * UNIT)
    return units + 1 if units % UNIT == 0 else units


def _never_solid(_: Cell) -> bool:
    return False
