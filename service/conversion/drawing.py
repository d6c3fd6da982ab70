"""Draw the lines, doors and lights of a foreign map as the walls, doors and light of an opening.

A foreign map has lines in cells, from anywhere to anywhere; an opening has walls on edges between cells.
Every end of a line moves to the nearest corner of a cell, and a slanted line becomes steps along edges. Ends
that are nearer than a tenth of a cell move to one corner. So lines that meet still meet, and what was closed
stays closed. A portal always keeps an edge, in the place of a wall: a room with a door is never sealed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import atan2, cos, floor, sin, tau
from typing import Any, Final, Literal, NamedTuple

from service.conversion.faults import Converted, Unconvertible, shortened
from service.conversion.fields import opening_fields
from service.rules.kernel import hints
from service.rules.ruleset import Ruleset
from service.rules.space.grid import Cell
from service.rules.space.walls import UNIT, Closed, Wall, closed_edges, is_line_closed, key_of

LARGEST_SIDE: Final = 500
"""Cells along a side of a map."""
MOST_MEMBERS: Final = 2_000
"""What the API takes of any object."""
MOST_LIGHTS: Final = 500
FARTHEST_LIGHT: Final = 100
"""Cells that a light reaches."""
FAR: Final = 0.25
"""Parts of a cell by which the end of a line may move without a note."""
NEAR: Final = 0.1
"""Parts of a cell below which two ends are one."""
MOST_STEPS: Final = 200_000
"""Edges along all lines together, and cells that all lights together could reach."""
LEAST_LINES: Final = 4
"""Lines along an axis that tell how far a grid is shifted."""

Ambient = Literal["bright", "dim", "dark"]
RANKS: Final[tuple[Ambient, ...]] = ("dark", "dim", "bright")


class Spot(NamedTuple):
    """A point in cells, counted from the map's upper left corner."""

    x: float
    y: float


class Stroke(NamedTuple):
    """A straight line of the file: its place there, and its ends."""

    place: str
    start: Spot
    end: Spot


class Polyline(NamedTuple):
    """A line of the file with its bends: its place there, and its straight parts."""

    place: str
    strokes: Sequence[Stroke]


class Portal(NamedTuple):
    """A door or a window of the file: where it is, and what it is."""

    stroke: Stroke
    becomes: Literal["closed_door", "open_door", "window"]
    is_upright: bool
    """Whether it runs down the map, for one that is too short to tell."""


class Shine(NamedTuple):
    """A light: its place, and the cells that it lights brightly, and at least dimly."""

    at: Spot
    bright: float
    dim: float
    shadows: bool


class MapPart(NamedTuple):
    """The cells that are wanted of a map."""

    x: int
    y: int
    width: int
    height: int

    def has(self, cell: Cell) -> bool:
        """Tell whether a cell is wanted."""
        return self.x <= cell[0] < self.x + self.width and self.y <= cell[1] < self.y + self.height


class MapChoices(NamedTuple):
    """What a person chooses about a map that its file does not say."""

    windows: Literal["wall", "open"] = "wall"
    """Whether what is not closed is a wall, as a window is, or an open door."""
    ambient: Ambient | None = None
    """The light of the whole map in place of the file's."""
    part: MapPart | None = None
    shift: Spot = Spot(0, 0)
    """Cells by which everything moves to the right and down, for a grid that is shifted."""


CHOICES: Final = MapChoices()


@dataclass
class Sketch:
    """What a file draws, in cells."""

    width: int
    height: int
    lines: list[Polyline] = field(default_factory=list)
    portals: list[Portal] = field(default_factory=list)
    shines: list[Shine] = field(default_factory=list)
    ambient: Ambient = "bright"
    terrain: dict[Cell, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """Notes of which each matters."""
    pixels: float = 0
    """Pixels along a cell, for a hint; 0 where the file does not say."""

    def moved(self, shift: Spot) -> Sketch:
        """Return the sketch with everything moved by *shift*."""
        if shift == Spot(0, 0):
            return self

        def spot(at: Spot) -> Spot:
            return Spot(at.x + shift.x, at.y + shift.y)

        def stroke(of: Stroke) -> Stroke:
            return Stroke(of.place, spot(of.start), spot(of.end))

        self.lines = [Polyline(line.place, [stroke(each) for each in line.strokes]) for line in self.lines]
        self.portals = [each._replace(stroke=stroke(each.stroke)) for each in self.portals]
        self.shines = [each._replace(at=spot(each.at)) for each in self.shines]
        return self


def drawn(sketch: Sketch, ruleset: Ruleset[Any], choices: MapChoices = CHOICES) -> Converted:
    """Return the part of an opening that *sketch* is: `walls`, and what else the rulebook has of it.

    Raises `Unconvertible` if nothing of the file is inside its map, or if an opening could not take it.
    """
    fields = opening_fields(ruleset)
    if "walls" not in fields:
        raise Unconvertible(f"{ruleset.edition} has no walls")
    sketch.moved(choices.shift)
    drawing = _Drawing(sketch)
    drawing.draw(choices)
    part: dict[str, Any] = {"walls": dict(sorted(drawing.walls.items(), key=_reading_order))}
    notes = [*sketch.notes, *drawing.notes()]
    terrain = _terrain(sketch, fields, notes)
    if terrain:
        part["terrain"] = terrain
    if "scenery" in fields:
        part["scenery"] = _scenery(sketch, choices.ambient or sketch.ambient, drawing.walls, notes)
    elif sketch.shines:
        notes.append(f"lights are left out ({len(sketch.shines)}): this rulebook has no light on cells")
    if choices.part is not None:
        x, y, width, height = choices.part
        if x >= sketch.width or y >= sketch.height or x + width <= 0 or y + height <= 0:
            raise Unconvertible(f"part: none of the {sketch.width} by {sketch.height} cells of the map")
        _cut(part, choices.part)
    _check_size(part)
    return Converted(part, tuple(notes))


def _terrain(sketch: Sketch, fields: Mapping[str, Any], notes: list[str]) -> dict[str, str]:
    """Return the terrain that the rulebook knows; what it does not know is a note."""
    shape = fields["terrain"].shape if "terrain" in fields else None
    each = shape.each if isinstance(shape, hints.Names) else None
    known = each.values if isinstance(each, hints.Choice) else ()
    for unknown in sorted({value for value in sketch.terrain.values() if value not in known}):
        count = sum(value == unknown for value in sketch.terrain.values())
        notes.append(f"cells of {unknown.replace('_', ' ')} are left out ({count}): this rulebook has none")
    ordered = sorted(sketch.terrain.items(), key=lambda item: (item[0][1], item[0][0]))
    return {f"{x},{y}": value for (x, y), value in ordered if value in known}


def _cut(part: dict[str, Any], wanted: MapPart) -> None:
    """Leave of *part* what is at the wanted cells; they keep their numbers."""
    part["walls"] = {key: wall for key, wall in part["walls"].items() if any(map(wanted.has, _cells(key)))}
    for of in (part, part.get("scenery", {})):
        for name in ("terrain", "light"):
            if name in of:
                of[name] = {key: value for key, value in of[name].items() if wanted.has(_cell(key))}


def _check_size(part: Mapping[str, Any]) -> None:
    for name, cells in (
        ("walls", part["walls"]),
        ("terrain", part.get("terrain", {})),
        ("scenery.light", part.get("scenery", {}).get("light", {})),
    ):
        if len(cells) > MOST_MEMBERS:
            raise Unconvertible(
                f"{name} has {len(cells)} members, and an opening takes {MOST_MEMBERS}: "
                "take a part of the map, --part x,y,width,height"
            )


def _cell(key: str) -> Cell:
    x, _, y = key.partition(",")
    return int(x), int(y)


def _cells(edge: str) -> tuple[Cell, Cell]:
    first, _, second = edge.partition("|")
    return _cell(first), _cell(second)


# --- walls and doors -----------------------------------------------------------------------------------


class _Drawing:
    """The edges that lines become, and notes on what did not fit."""

    def __init__(self, sketch: Sketch) -> None:
        self.walls: dict[str, Wall] = {}
        self._sketch = sketch
        self._anchors: dict[Cell, list[Spot]] = {}
        self._steps = 0
        self._doors: list[str] = []
        self._outside: list[str] = []
        self._moved: list[str] = []
        self._bent: list[str] = []
        self._lost: list[str] = []

    def draw(self, choices: MapChoices) -> None:
        """Draw every line, then every portal; raises `Unconvertible` if nothing is inside the map."""
        for line in self._sketch.lines:
            self._line(line)
        for portal in self._sketch.portals:
            self._portal(portal, choices.windows)
        if not self.walls and self._outside:
            size = f"{self._sketch.width} by {self._sketch.height}"
            raise Unconvertible(
                f"nothing in the file is inside its map of {size} cells{self._hint()}",
                *shortened(self._outside, "lines are outside the map"),
            )

    def notes(self) -> tuple[str, ...]:
        """Return the notes: all about doors, and so many of each kind about lines."""
        off = self._off_grid()
        moved = () if off else shortened(self._moved, "lines moved to the nearest edges")
        return (
            *self._doors,
            *shortened(self._outside, "lines are outside the map, and left out"),
            *((off,) if off else ()),
            *shortened(self._lost, "lines are smaller than half a cell, and left out"),
            *moved,
            *shortened(self._bent, "slanted lines are steps along edges"),
        )

    def _line(self, line: Polyline) -> None:
        reached = False
        for whole in line.strokes:
            stroke = self._clipped(whole)
            if stroke is None:
                self._outside.append(f"{whole.place}: outside the map, and left out")
                reached = True
                continue
            start, end = self._corner(stroke.start), self._corner(stroke.end)
            self._steps += abs(start[0] - end[0]) + abs(start[1] - end[1])
            if self._steps > MOST_STEPS:
                raise Unconvertible(f"{stroke.place}: at most {MOST_STEPS} edges along all lines")
            edges = list(_along(start, end))
            inside = [key_of(*edge) for edge in edges if self._is_inside(*edge)]
            reached = reached or start != end
            self._note_stroke(stroke, start, end, len(edges), len(inside))
            self.walls.update(dict.fromkeys(inside, "wall"))
        if line.strokes and not reached:
            if self._is_near(line.strokes[0].start):
                self._lost.append(f"{line.place}: smaller than half a cell, and left out")
            else:
                self._outside.append(f"{line.place}: outside the map, and left out")

    def _clipped(self, stroke: Stroke) -> Stroke | None:
        """Return *stroke* as far as it is near the map: what is a thousand cells away takes no steps."""
        low, high = -LARGEST_SIDE, 2 * LARGEST_SIDE
        if all(low <= each <= high for each in (*stroke.start, *stroke.end)):
            return stroke
        first, last = 0.0, 1.0
        for a, b in zip(stroke.start, stroke.end, strict=True):
            if a == b:
                if not low <= a <= high:
                    return None
                continue
            ways = sorted(((low - a) / (b - a), (high - a) / (b - a)))
            first, last = max(first, ways[0]), min(last, ways[1])
        if first > last:
            return None
        (x, y), (to_x, to_y) = stroke.start, stroke.end
        ends = [Spot(x + part * (to_x - x), y + part * (to_y - y)) for part in (first, last)]
        return Stroke(stroke.place, *ends)

    def _note_stroke(self, stroke: Stroke, start: Cell, end: Cell, edges: int, inside: int) -> None:
        if not inside:
            if edges:
                self._outside.append(f"{stroke.place}: outside the map, and left out")
            return
        if inside < edges:
            self._outside.append(f"{stroke.place}: in part outside the map, and cut there")
        off = max(abs(a - b) for a, b in zip((*stroke.start, *stroke.end), (*start, *end), strict=True))
        if start[0] != end[0] and start[1] != end[1]:
            self._bent.append(f"{stroke.place}: slanted, and made steps along {inside} edges")
        elif off > FAR:
            self._moved.append(f"{stroke.place}: moved by {off:.2f} cells to the nearest edges")

    def _portal(self, portal: Portal, windows: str) -> None:
        place = portal.stroke.place
        edges = [edge for edge in self._portal_edges(portal) if self._is_inside(*edge)]
        if not edges:
            self._outside.append(f"{place}: outside the map, and left out")
            return
        if portal.becomes == "window":
            here = "a wall here; --windows open makes it an open door"
            if windows == "open":
                here = "an open door here; --windows wall makes it a wall"
            self._doors.append(f"{place}: not closed: an open door, or a window in Dungeondraft; {here}")
        elif len(edges) > 1:
            self._doors.append(f"{place}: the door is {len(edges)} cells wide; each is opened by itself")
        wall: Wall = "closed_door"
        if portal.becomes != "closed_door":
            wall = "wall" if portal.becomes == "window" and windows == "wall" else "open_door"
        self.walls.update({key_of(*edge): wall for edge in edges})

    def _portal_edges(self, portal: Portal) -> list[tuple[Cell, Cell]]:
        """Return the edges of a portal: at least one, and where the wall is that it is in."""
        stroke = self._clipped(portal.stroke)
        if stroke is None:
            return []
        start, end = self._corner(stroke.start), self._corner(stroke.end)
        if start == end:
            edges = [self._edge_in_wall(start, stroke, is_upright=portal.is_upright)]
        else:
            edges = list(_along(start, end))
        return self._in_wall(edges, stroke)

    def _edge_in_wall(self, corner: Cell, stroke: Stroke, *, is_upright: bool) -> tuple[Cell, Cell]:
        """Return the edge of a portal whose ends have one corner.

        Beside the corner of a room the nearest edge may be one where no wall is: then it is a wall's at that
        corner, along the portal if there is one.
        """
        nearest = _nearest_edge(stroke, is_upright=is_upright)
        if key_of(*nearest) in self.walls:
            return nearest
        at = [_cells(key) for key in _edges_at(corner) if key in self.walls]
        return min(at, key=lambda edge: _runs_down(edge) != is_upright, default=nearest)

    def _in_wall(self, edges: list[tuple[Cell, Cell]], stroke: Stroke) -> list[tuple[Cell, Cell]]:
        """Return *edges*, or those beside them where a wall is drawn and here is none.

        The wall that a portal is in may have moved the other way to the nearest edges.
        """
        upright = {_runs_down(edge) for edge in edges}
        if len(upright) > 1 or self._is_in_line(edges):
            return edges
        (is_upright,) = upright
        axis = 0 if is_upright else 1
        middle = (stroke.start[axis] + stroke.end[axis]) / 2
        for step in (-1, 1):
            if abs(edges[0][1][axis] + step - middle) > 1 - FAR:
                continue
            by = (step, 0) if is_upright else (0, step)
            beside = [tuple((x + by[0], y + by[1]) for x, y in edge) for edge in edges]
            moved = [(first, second) for first, second in beside]
            if all(key_of(*edge) in self.walls for edge in moved):
                return moved
        return edges

    def _is_in_line(self, edges: Sequence[tuple[Cell, Cell]]) -> bool:
        """Tell whether a wall is on one of *edges*, or goes on at one of their ends."""
        keys = {key_of(*edge) for edge in edges}
        if keys & self.walls.keys():
            return True
        corners = {corner for edge in edges for corner in _ends(edge)}
        return any(
            key not in keys and corners & set(_ends(_cells(key)))
            for corner in corners
            for key in _edges_at(corner)
            if key in self.walls
        )

    def _corner(self, spot: Spot) -> Cell:
        """Return the corner of cells nearest to a point; ends that are near each other have one corner."""
        home = (floor(spot.x / NEAR), floor(spot.y / NEAR))
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for known in self._anchors.get((home[0] + dx, home[1] + dy), ()):
                    if (known.x - spot.x) ** 2 + (known.y - spot.y) ** 2 < NEAR**2:
                        return _nearest_corner(known)
        self._anchors.setdefault(home, []).append(spot)
        return _nearest_corner(spot)

    def _is_inside(self, a: Cell, b: Cell) -> bool:
        """Return whether an edge is at a cell of the map."""
        width, height = self._sketch.width, self._sketch.height
        return any(0 <= x < width and 0 <= y < height for x, y in (a, b))

    def _is_near(self, spot: Spot) -> bool:
        return 0 <= spot.x <= self._sketch.width and 0 <= spot.y <= self._sketch.height

    def _hint(self) -> str:
        if not self._sketch.pixels:
            return ""
        return f"; coordinates count cells, not pixels ({self._sketch.pixels:g} pixels are a cell)"

    def _off_grid(self) -> str | None:
        """Return a note if the lines are all off the grid by the same part of a cell."""
        strokes = [each for line in self._sketch.lines for each in line.strokes]
        across = [each.start.x for each in strokes if abs(each.start.x - each.end.x) < NEAR / 2]
        down = [each.start.y for each in strokes if abs(each.start.y - each.end.y) < NEAR / 2]
        x, y = _common_part(across), _common_part(down)
        if max(abs(x), abs(y)) <= NEAR:
            return None
        return f"the grid is shifted by {x:.2f},{y:.2f} cells: --shift {-x:.2f},{-y:.2f} moves it back"


def _common_part(values: Sequence[float]) -> float:
    """Return the part of a cell, from -0.5 to 0.5, that most of *values* are above a whole number; else 0."""
    if len(values) < LEAST_LINES:
        return 0
    turned = [each * tau for each in values]
    mean = atan2(sum(map(sin, turned)), sum(map(cos, turned))) / tau
    near = sum(abs((each - mean + 0.5) % 1 - 0.5) < NEAR for each in values)
    return mean if 4 * near >= 3 * len(values) else 0


def _nearest_corner(spot: Spot) -> Cell:
    """Return the corner of cells nearest to a point; halves go right and down."""
    return floor(spot.x + 0.5), floor(spot.y + 0.5)


def _nearest_edge(stroke: Stroke, *, is_upright: bool) -> tuple[Cell, Cell]:
    """Return the edge nearest to the middle of a short stroke; halves go right and down."""
    x, y = (stroke.start.x + stroke.end.x) / 2, (stroke.start.y + stroke.end.y) / 2
    if is_upright:
        column, row = floor(x + 0.5), floor(y)
        return (column - 1, row), (column, row)
    column, row = floor(x), floor(y + 0.5)
    return (column, row - 1), (column, row)


def _runs_down(edge: tuple[Cell, Cell]) -> bool:
    """Tell whether an edge is between two cells of one row."""
    return edge[0][1] == edge[1][1]


def _ends(edge: tuple[Cell, Cell]) -> tuple[Cell, Cell]:
    """Return the corners at both ends of an edge."""
    (_, _), (x, y) = edge
    return ((x, y), (x, y + 1)) if _runs_down(edge) else ((x, y), (x + 1, y))


def _edges_at(corner: Cell) -> Iterator[str]:
    """Yield the four edges that meet at a corner."""
    x, y = corner
    yield key_of((x - 1, y - 1), (x, y - 1))
    yield key_of((x - 1, y), (x, y))
    yield key_of((x - 1, y - 1), (x - 1, y))
    yield key_of((x, y - 1), (x, y))


def is_upright(start: Spot, end: Spot, rotation: float = 0) -> bool:
    """Tell whether a line runs down the map more than across it; a point by its *rotation* in radians."""
    across, down = abs(end.x - start.x), abs(end.y - start.y)
    if across == down == 0:
        across, down = abs(cos(rotation)), abs(sin(rotation))
    return down > across


def about(middle: Spot, rotation: float) -> tuple[Spot, Spot]:
    """Return the ends of a line of one cell about *middle*, along *rotation*, to the nearest axis."""
    upright = abs(sin(rotation)) > abs(cos(rotation))
    half = Spot(0, 0.5) if upright else Spot(0.5, 0)
    return Spot(middle.x - half.x, middle.y - half.y), Spot(middle.x + half.x, middle.y + half.y)


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


def _reading_order(item: tuple[str, Wall]) -> tuple[int, int, str]:
    x, y = _cells(item[0])[0]
    return y, x, item[0]


# --- light ---------------------------------------------------------------------------------------------


def _scenery(sketch: Sketch, ambient: Ambient, walls: Mapping[str, Wall], notes: list[str]) -> dict[str, Any]:
    """Return the ambient light, and the cells that lights make brighter than it.

    Walls and closed doors stop a light that casts shadows, on its way to the middle of a cell.
    """
    shines = sketch.shines
    if shines and ambient == RANKS[-1]:
        notes.append(f"lights have no effect ({len(shines)}): the ambient light is bright everywhere")
        shines = []
    if len(shines) > MOST_LIGHTS:
        notes.append(f"lights after the {MOST_LIGHTS}th are left out ({len(shines) - MOST_LIGHTS})")
    idle = sum(max(light.bright, light.dim) <= 0 for light in shines)
    if idle:
        notes.append(f"lights without a reach are left out ({idle})")
        shines = [light for light in shines if max(light.bright, light.dim) > 0]
    reaching = [light for light in shines if _reaches(light, sketch)]
    if len(reaching) < len(shines):
        notes.append(f"lights are outside the map, and left out ({len(shines) - len(reaching)})")
        shines = reaching
    closed = closed_edges(walls)
    found: dict[Cell, Ambient] = {}
    cells = 0
    for i, light in enumerate(shines[:MOST_LIGHTS]):
        cells += (2 * floor(max(light.bright, light.dim)) + 2) ** 2
        if cells > MOST_STEPS:
            notes.append(f"lights after the {i}th are left out: all together reach too many cells")
            break
        stops = closed if light.shadows else frozenset()
        for cell, shine in _lit(light, (sketch.width, sketch.height), stops):
            if RANKS.index(shine) > RANKS.index(found.get(cell, ambient)):
                found[cell] = shine
    ordered = sorted(found.items(), key=lambda item: (item[0][1], item[0][0]))
    return {"ambient": ambient, "light": {f"{x},{y}": shine for (x, y), shine in ordered}}


def _reaches(light: Shine, sketch: Sketch) -> bool:
    """Tell whether a light is on the map, or near enough to shine on it."""
    reach = max(light.bright, light.dim)
    return -reach < light.at.x < sketch.width + reach and -reach < light.at.y < sketch.height + reach


def _lit(light: Shine, size: tuple[int, int], stops: Closed) -> Iterator[tuple[Cell, Ambient]]:
    """Yield the cells of the map that a light reaches, each with how bright it is there."""
    at, reach = light.at, max(light.bright, light.dim)
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
                yield (x, y), "bright" if far <= light.bright**2 else "dim"


def _off_edges(part: float) -> int:
    """Return a coordinate in parts of a cell that is on no grid line."""
    units = floor(part * UNIT)
    return units + 1 if units % UNIT == 0 else units


def _never_solid(_: Cell) -> bool:
    return False
