"""Read a map of Universal VTT (`.uvtt`, `.dd2vtt`, `.df2vtt`): lines, portals and lights in grid units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor
from typing import Any, Final, Literal

from service.conversion import json_members as members
from service.conversion.drawing import (
    FARTHEST_LIGHT,
    LARGEST_SIDE,
    Ambient,
    Polyline,
    Portal,
    Shine,
    Sketch,
    Spot,
    Stroke,
    about,
    is_upright,
)
from service.conversion.json_members import Odd

MOST_POINTS: Final = 100_000
"""Points of all lines together."""
BRIGHT: Final = 170
DIM: Final = 85
"""The least mean of red, green and blue, up to 255, of an ambient light that is bright or dim."""


def is_universal(data: Mapping[str, Any]) -> bool:
    """Tell whether *data* is such a map."""
    return isinstance(data.get("resolution"), dict)


def sketched(data: Mapping[str, Any]) -> Sketch:
    """Return what such a map draws.

    Raises `Unconvertible` for a map without a size. Any other member that is odd is left out with a note.
    """
    resolution = members.object_at(data, "", "resolution")
    size = members.object_at(resolution, "/resolution", "map_size")
    sketch = Sketch(_side(size, "x"), _side(size, "y"))
    corner = _corner(resolution, sketch)
    pixels = resolution.get("pixels_per_grid")
    sketch.pixels = float(pixels) if isinstance(pixels, int | float) else 0
    points = 0
    if data.get("line_of_sight") is None:
        sketch.notes.append(
            "/line_of_sight: it is missing, so there are no walls; was it exported with them?"
        )
    for name in ("line_of_sight", "objects_line_of_sight"):
        for i, line in enumerate(_lines_at(data, name)):
            points += len(line) if isinstance(line, list) else 0
            if points > MOST_POINTS:
                members.fault(f"/{name}/{i}", f"at most {MOST_POINTS} points")
            sketch.lines.append(
                Polyline(f"/{name}/{i}", list(_strokes(line, f"/{name}/{i}", corner, sketch)))
            )
    for i, portal in enumerate(members.list_at(data, "", "portals")):
        _add_portal(portal, f"/portals/{i}", corner, sketch)
    for i, light in enumerate(members.list_at(data, "", "lights")):
        _add_light(light, f"/lights/{i}", corner, sketch)
    sketch.ambient = _ambient(data, sketch)
    return sketch


def _lines_at(data: Mapping[str, Any], name: str) -> Sequence[Any]:
    """Return the lines of a member; a list of points is one line."""
    found = members.list_at(data, "", name)
    is_line = bool(found) and all(isinstance(each, dict) and "x" in each for each in found)
    return [found] if is_line else found


def _side(size: Mapping[str, Any], axis: str) -> int:
    place = f"/resolution/map_size/{axis}"
    try:
        cells = floor(members.number(size.get(axis)) + 0.5)
    except Odd as odd:
        members.fault(place, str(odd))
    if not 1 <= cells <= LARGEST_SIDE:
        members.fault(place, f"1 to {LARGEST_SIDE} cells")
    return cells


def _corner(resolution: Mapping[str, Any], sketch: Sketch) -> Spot:
    """Return the map's upper left corner in the file's coordinates; 0,0 where it does not say."""
    origin = resolution.get("map_origin")
    if origin is None:
        return Spot(0, 0)
    try:
        return _spot(origin, Spot(0, 0))
    except Odd as odd:
        sketch.notes.append(f"/resolution/map_origin: {odd}: taken as 0,0")
        return Spot(0, 0)


def _spot(value: object, corner: Spot) -> Spot:
    if isinstance(value, list) and len(value) == len(Spot._fields):
        value = dict(zip(Spot._fields, value, strict=True))
    if not isinstance(value, dict):
        raise Odd("a point with x and y is required")
    return Spot(members.number_at(value, "x") - corner.x, members.number_at(value, "y") - corner.y)


def _strokes(line: object, place: str, corner: Spot, sketch: Sketch) -> Iterator[Stroke]:
    """Yield the straight parts of a line; a point that is odd breaks it, with a note."""
    if not isinstance(line, list):
        sketch.notes.append(f"{place}: a line is a list of points; left out")
        return
    before: Spot | None = None
    for j, point in enumerate(line):
        try:
            spot = _spot(point, corner)
        except Odd as odd:
            sketch.notes.append(f"{place}/{j}: {odd}; left out")
            before = None
            continue
        if before is not None:
            yield Stroke(f"{place}/{j}", before, spot)
        before = spot


def _add_portal(portal: object, place: str, corner: Spot, sketch: Sketch) -> None:
    try:
        sketch.portals.append(_portal(portal, place, corner))
    except Odd as odd:
        sketch.notes.append(f"{place}: {odd}; this door is left out")


def _portal(portal: object, place: str, corner: Spot) -> Portal:
    """Return a portal by its bounds, or about its position along its rotation; raises `Odd`."""
    if not isinstance(portal, dict):
        raise Odd("a portal is an object")
    try:
        rotation = members.number_at(portal, "rotation", 0)
    except Odd:
        rotation = 0
    bounds = portal.get("bounds")
    if isinstance(bounds, list) and len(bounds) == len(("start", "end")):
        start, end = (_spot(point, corner) for point in bounds)
    elif portal.get("position") is not None:
        start, end = about(_spot(portal["position"], corner), rotation)
    else:
        raise Odd("two points as bounds, or a position, are required")
    becomes: Literal["window", "closed_door"] = (
        "closed_door" if members.truth(portal.get("closed"), default=True) else "window"
    )
    return Portal(Stroke(place, start, end), becomes, is_upright(start, end, rotation))


def _add_light(light: object, place: str, corner: Spot, sketch: Sketch) -> None:
    """Add a light: bright to half its range, dim to its range."""
    try:
        if not isinstance(light, dict):
            raise Odd("a light is an object")  # noqa: TRY301 - as what the readers below raise
        at, reach = _spot(light.get("position"), corner), members.number_at(light, "range")
    except Odd as odd:
        sketch.notes.append(f"{place}: {odd}; this light is left out")
        return
    if reach > FARTHEST_LIGHT:
        sketch.notes.append(f"{place}: its range of {reach:g} cells is cut to {FARTHEST_LIGHT}")
    reach = max(0, min(reach, FARTHEST_LIGHT))
    sketch.shines.append(Shine(at, reach / 2, reach, members.truth(light.get("shadows"), default=True)))


def _ambient(data: Mapping[str, Any], sketch: Sketch) -> Ambient:
    """Return the light of the whole map, from its colour `aarrggbb`; bright if the file has none."""
    environment = data.get("environment")
    colour = environment.get("ambient_light") if isinstance(environment, dict) else None
    if colour is None:
        return "bright"
    digits = colour.lstrip("#") if isinstance(colour, str) else ""
    if len(digits) in (3, 4):  # each stands for two
        digits = "".join(2 * each for each in digits)
    if len(digits) not in (6, 8) or not all(each in "0123456789abcdefABCDEF" for each in digits):
        place = "/environment/ambient_light"
        sketch.notes.append(f"{place}: a colour of 6 or 8 hexadecimal digits; taken as bright")
        return "bright"
    mean = sum(bytes.fromhex(digits)[-3:]) // 3
    return "bright" if mean >= BRIGHT else "dim" if mean >= DIM else "dark"
