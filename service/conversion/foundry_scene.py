"""Read a scene of Foundry VTT, as Foundry and Dungeon Alchemist export it: walls in pixels of the canvas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any, Final, Literal

from service.conversion import json_members as members
from service.conversion.drawing import (
    FARTHEST_LIGHT,
    LARGEST_SIDE,
    Polyline,
    Portal,
    Shine,
    Sketch,
    Spot,
    Stroke,
    is_upright,
)
from service.conversion.faults import shortened
from service.conversion.json_members import Odd

PADDING: Final = 0.25
"""The padding of a scene that does not say; Foundry's own."""
SQUARE: Final = (0, 1)
"""Kinds of grid that have squares, or nothing."""
DOOR: Final = 1
SECRET: Final = 2
OPEN: Final = 1
LOCKED: Final = 2
SEEN_THROUGH: Final = (0, 10, 30, 40)
"""What a wall does to sight that passes it: always, behind a second one, or by distance."""
FEET: Final[Mapping[str, float]] = {"ft": 1, "feet": 1, "foot": 1, "m": 3.28, "metres": 3.28, "meters": 3.28}
"""The feet of a unit of a scene."""
ON_GRID: Final = 0.45
"""Parts of a cell from its middle, from which on an end of a wall is on the grid."""
ONE_WAY: Final = (1, 2)
DARK: Final = 0.75
DIM: Final = 0.25
"""The least darkness, up to 1, of a scene that is dark or dim."""


def is_scene(data: Mapping[str, Any]) -> bool:
    """Tell whether *data* is a scene: it has walls with coordinates, or a size in pixels and a grid."""
    walls = data.get("walls")
    if not isinstance(walls, list):
        return False
    return any(isinstance(each, dict) and "c" in each for each in walls) or {"width", "height", "grid"} <= {
        *data
    }


def sketched(data: Mapping[str, Any]) -> Sketch:
    """Return what a scene draws; raises `Unconvertible` for one without a size or with hexagons."""
    grid, kind = _grid(data)
    if kind not in SQUARE:
        members.fault("/grid/type", "a grid of squares; this scene has hexagons")
    try:
        pixels = [members.number_at(data, name) for name in ("width", "height")]
    except Odd as odd:
        members.fault("", str(odd))
    width, height = (floor(each / grid + 0.5) for each in pixels)
    if not (1 <= width <= LARGEST_SIDE and 1 <= height <= LARGEST_SIDE):
        members.fault("/width", f"1 to {LARGEST_SIDE} cells along each side")
    sketch = Sketch(width, height, pixels=grid)
    corner = _corner(data, pixels, grid)
    sketch.notes += _whole_notes(data)
    kept: dict[str, list[str]] = {}
    walls = members.list_at(data, "", "walls")
    for i, wall in enumerate(walls):
        try:
            _add_wall(wall, f"/walls/{i}", corner, grid, sketch, kept)
        except Odd as odd:
            sketch.notes.append(f"/walls/{i}: {odd}; left out")
    if not walls:
        sketch.notes.append("/walls: there are none")
    for what, notes in kept.items():
        sketch.notes += shortened(notes, f"walls {what}")
    distance, _ = _distance(data)
    darkness = _darkness(data)
    for i, light in enumerate(members.list_at(data, "", "lights")):
        try:
            _check_lit(light, darkness)
            _add_light(light, f"/lights/{i}", corner, grid, distance, sketch)
        except Odd as odd:
            sketch.notes.append(f"/lights/{i}: {odd}; this light is left out")
    sketch.ambient = "dark" if darkness >= DARK else "dim" if darkness >= DIM else "bright"
    return sketch


def _grid(data: Mapping[str, Any]) -> tuple[float, object]:
    """Return the pixels along a cell and the kind of grid, as older and newer scenes write them."""
    grid = data.get("grid")
    try:
        if isinstance(grid, dict):
            size, kind = members.number_at(grid, "size"), grid.get("type", DOOR)
        else:
            size, kind = members.number_at(data, "grid"), data.get("gridType", DOOR)
    except Odd as odd:
        members.fault("/grid", str(odd))
    if size < 1:
        members.fault("/grid", "at least 1 pixel along a cell")
    return size, members.code(kind)


def _corner(data: Mapping[str, Any], pixels: list[float], grid: float) -> Spot:
    """Return the pixel of the canvas at which the map begins: behind the padding, in whole cells.

    A file without a padding is one of Foundry's own, which has a quarter, or of a program that has none:
    the walls tell.
    """
    background = data.get("background")
    of_background = background if isinstance(background, dict) else {}
    try:
        padding = members.number_at(data, "padding", -1)
        shift = Spot(
            members.number_at(data, "shiftX", 0) or members.number_at(of_background, "offsetX", 0),
            members.number_at(data, "shiftY", 0) or members.number_at(of_background, "offsetY", 0),
        )
    except Odd:
        padding, shift = -1, Spot(0, 0)
    if padding < 0:
        walls = [_ends(each) for each in members.list_at(data, "", "walls")]
        inside = all(max(ends[::2]) <= pixels[0] and max(ends[1::2]) <= pixels[1] for ends in walls if ends)
        padding = 0 if inside else PADDING
    begins = [ceil(padding * each / grid) * grid - by for each, by in zip(pixels, shift, strict=True)]
    walls = [_ends(each) for each in members.list_at(data, "", "walls")]
    return Spot(
        *(_begin(begins[axis], grid, [at for ends in walls for at in ends[axis::2]]) for axis in (0, 1))
    )


def _begin(begin: float, grid: float, ends: Sequence[float]) -> float:
    """Return where the first cell begins along an axis, of a background that begins at *begin*.

    The grid of Foundry begins where the canvas does, and a background is moved under it. Where more walls are
    on the grid of a background that was not moved for that, its own grid counts.
    """
    on_canvas = floor(begin / grid + 0.5) * grid
    found = {
        each: sum(abs((at - each) / grid % 1 - 0.5) > ON_GRID for at in ends) for each in (on_canvas, begin)
    }
    return max(found, key=lambda each: found[each])


def _distance(data: Mapping[str, Any]) -> tuple[float, str]:
    """Return the length of a cell, and its unit, in which lights count too."""
    grid = data.get("grid")
    of_grid = grid if isinstance(grid, dict) else {}
    unit = of_grid.get("units", data.get("gridUnits"))
    try:
        found = members.number(of_grid.get("distance", data.get("gridDistance")))
    except Odd:
        found = 0
    return (found, str(unit or "ft").strip(". ").casefold()) if found > 0 else (5.0, "ft")


def _whole_notes(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield notes on cells that are not 5 feet, tokens, and floors that are drawn on each other."""
    length, unit = _distance(data)
    feet = FEET.get(unit)
    if feet is not None and not 4 <= length * feet <= 6:  # noqa: PLR2004 - 1.5 m are 4.9 feet
        yield f"a cell is {length:g} {unit} in the file, and 5 feet here"
    tokens = data.get("tokens")
    if isinstance(tokens, list) and tokens:
        yield f"tokens are left out ({len(tokens)}): export their actors"
    levels = data.get("levels")
    if isinstance(levels, list | dict) and len(levels) > 1:
        yield f"its {len(levels)} levels are drawn on each other: export one of them"


def _ends(wall: object) -> list[float]:
    """Return x and y of both ends of a wall; nothing for what is none."""
    ends = wall.get("c") if isinstance(wall, dict) else None
    if isinstance(ends, str):
        ends = ends.strip("[] ").split(",")
    if not isinstance(ends, list) or len(ends) != len(("x0", "y0", "x1", "y1")):
        return []
    try:
        return [members.number(each) for each in ends]
    except Odd:
        return []


def _add_wall(
    wall: object, place: str, corner: Spot, grid: float, sketch: Sketch, kept: dict[str, list[str]]
) -> None:
    """Add a wall, or the door that it is; add what an edge cannot say of a wall to *kept*, by what it is."""
    ends = _ends(wall)
    if not ends or not isinstance(wall, dict):
        raise Odd("a wall is an object whose c is a list of four numbers")
    x0, y0, x1, y1 = ends
    start = Spot((x0 - corner.x) / grid, (y0 - corner.y) / grid)
    end = Spot((x1 - corner.x) / grid, (y1 - corner.y) / grid)
    stroke = Stroke(place, start, end)
    door, state = members.code(wall.get("door", 0)), members.code(wall.get("ds", 0))
    if door in (DOOR, SECRET):
        becomes: Literal["open_door", "closed_door"] = "open_door" if state == OPEN else "closed_door"
        if door == SECRET:
            said = "an open door" if becomes == "open_door" else f"a {becomes.replace('_', ' ')}"
            sketch.notes.append(f"{place}: a secret door: {said} here, for all to see")
        if state == LOCKED:
            sketch.notes.append(
                f"{place}: a locked door: a closed door here; make its edge a wall to lock it"
            )
        if members.code(wall.get("move")) == 0:
            sketch.notes.append(f"{place}: a door that stops nobody: {becomes.replace('_', ' ')} here")
        _note_passing(wall, place, kept)
        sketch.portals.append(Portal(stroke, becomes, is_upright(start, end)))
    elif members.code(wall.get("move")) == 0:
        sketch.notes.append(f"{place}: it stops sight alone, and is left out")
    else:
        if door not in (0, None):
            sketch.notes.append(f"{place}: door {str(door)[:40]} is of no kind that is known: a wall here")
        _note_passing(wall, place, kept)
        sketch.lines.append(Polyline(place, [stroke]))


def _add_light(
    light: Mapping[str, Any], place: str, corner: Spot, grid: float, distance: float, sketch: Sketch
) -> None:
    config = _config(light)
    at = Spot(
        (members.number_at(light, "x") - corner.x) / grid, (members.number_at(light, "y") - corner.y) / grid
    )
    if abs(members.number_at(config, "angle", 360)) not in (0, 360):
        sketch.notes.append(f"{place}: it shines in one direction: here in all")
    reaches = [members.number_at(config, name, 0) / distance for name in ("bright", "dim")]
    bright, dim = (max(0.0, min(each, float(FARTHEST_LIGHT))) for each in reaches)
    sketch.shines.append(Shine(at, bright, max(bright, dim), members.truth(light.get("walls"), default=True)))


def _darkness(data: Mapping[str, Any]) -> float:
    """Return how dark a scene is, up to 1."""
    environment = data.get("environment")
    level = environment.get("darknessLevel") if isinstance(environment, dict) else data.get("darkness")
    try:
        return members.number(level)
    except Odd:
        return 0


def _note_passing(wall: Mapping[str, Any], place: str, kept: dict[str, list[str]]) -> None:
    """Note what passes a wall or a closed door in the file, and does not here."""
    if members.code(wall.get("sight", wall.get("sense"))) in SEEN_THROUGH:
        kept.setdefault("can be seen through", []).append(
            f"{place}: it can be seen through: here it stops sight too"
        )
    if members.code(wall.get("dir")) in ONE_WAY:
        kept.setdefault("stop in one direction", []).append(
            f"{place}: it stops in one direction: here in both"
        )
    flags = wall.get("flags")
    height = flags.get("wall-height") if isinstance(flags, dict) else None
    bottom = height.get("bottom") if isinstance(height, dict) else None
    if isinstance(bottom, int | float) and bottom > 0:
        kept.setdefault("begin above the ground", []).append(
            f"{place}: it begins above the ground: here it stands on it"
        )


def _config(light: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a light is, which older scenes write beside its place."""
    config = light.get("config")
    return config if isinstance(config, dict) else light


def _check_lit(light: object, darkness: float) -> None:
    """Refuse a light that does not shine in this darkness; raises `Odd`."""
    if not isinstance(light, dict):
        raise Odd("a light is an object")
    if members.truth(light.get("hidden"), default=False):
        raise Odd("it is hidden")
    config = _config(light)
    if members.truth(config.get("negative"), default=False) or members.number_at(config, "luminosity", 0) < 0:
        raise Odd("it makes darkness")
    within = config.get("darkness")
    if isinstance(within, dict):
        least, most = members.number_at(within, "min", 0), members.number_at(within, "max", 1)
        if not least <= darkness <= most:
            raise Odd(f"it is off in this darkness of {darkness:g}")
