"""Maps of Universal VTT: lines become edges, portals doors, lights the light of cells; faults name places."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest

from service.conversion.choices import map_choices
from service.conversion.drawing import MOST_MEMBERS
from service.conversion.faults import MOST_NOTES, Unconvertible
from service.conversion.maps import convert_map
from service.rules.kernel.values import EDGES
from service.rules.registry import REGISTRY
from service.rules.space.grid import reachable
from service.rules.space.walls import closed_edges, edge_at, is_step_closed

HEARTRUSH, RISE = REGISTRY["heartrush@1"], REGISTRY["rise@1"]
SQUARE = [(1, 1), (3, 1), (3, 3), (1, 3), (1, 1)]
AROUND = {
    "1,0|1,1",
    "2,0|2,1",
    "0,1|1,1",
    "0,2|1,2",
    "2,1|3,1",
    "2,2|3,2",
    "1,2|1,3",
    "2,2|2,3",
}
"""The edges of the square."""


LAMP = {"position": {"x": 1, "y": 1}, "range": 1}


def points(*spots: tuple[float, float]) -> list[dict[str, float]]:
    return [{"x": x, "y": y} for x, y in spots]


def universal(
    *lines: Sequence[tuple[float, float]], size: tuple[int, int] = (8, 8), **changes: Any
) -> dict[str, Any]:
    """Return a map with these lines."""
    return {
        "format": 0.3,
        "resolution": {"map_size": {"x": size[0], "y": size[1]}, "pixels_per_grid": 70},
        "line_of_sight": [points(*line) for line in lines],
        **changes,
    }


def portal(start: tuple[float, float], end: tuple[float, float], **changes: Any) -> dict[str, Any]:
    return {"bounds": points(start, end), "closed": True, **changes}


def converted(data: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    found = convert_map(json.dumps(data), HEARTRUSH)
    return dict(found.part), tuple(found.notes)


def fault_of(data: Any) -> str:
    with pytest.raises(Unconvertible) as raised:
        convert_map(data if isinstance(data, str) else json.dumps(data), HEARTRUSH)
    (fault,) = raised.value.faults
    return str(fault)


def test_a_line_along_the_grid_becomes_a_wall_on_each_edge() -> None:
    part, notes = converted(universal(SQUARE))
    assert part["walls"] == dict.fromkeys(part["walls"], "wall")
    assert set(part["walls"]) == AROUND
    assert notes == ()
    assert all(edge_at(key) for key in part["walls"])


def test_lines_of_objects_are_walls_too() -> None:
    part, _ = converted(universal(objects_line_of_sight=[points(*SQUARE)]))
    assert set(part["walls"]) == AROUND


def test_the_corner_of_the_map_is_the_first_cell() -> None:
    far = [(x + 10, y - 4) for x, y in SQUARE]
    data = universal(far)
    data["resolution"]["map_origin"] = {"x": 10, "y": -4}
    assert set(converted(data)[0]["walls"]) == AROUND


def test_ends_move_to_the_nearest_corner_and_are_noted_if_they_move_far() -> None:
    near, notes = converted(universal([(x + 0.2, y - 0.2) for x, y in SQUARE]))
    assert (set(near["walls"]), notes) == (AROUND, ())
    far, notes = converted(universal([(x + 0.4, y) for x, y in SQUARE]))
    assert set(far["walls"]) == AROUND
    assert notes[0] == "/line_of_sight/0/1: moved by 0.40 cells to the nearest edges"
    assert len(notes) == 4


def test_a_slanted_line_becomes_steps_that_close_what_it_closed() -> None:
    part, notes = converted(universal([(0, 0), (17, 17)], size=(17, 17)))
    assert notes == ("/line_of_sight/0/1: slanted, and made steps along 34 edges",)
    closed = closed_edges(part["walls"])
    assert _reached(closed, (7, 0)).isdisjoint(_reached(closed, (0, 7)))


@pytest.mark.parametrize("seed", range(12))
def test_a_closed_line_stays_closed_whatever_its_angles(seed: int) -> None:
    """Around the middle of the map: nobody walks from inside to the rim."""
    chance = random.Random(seed)
    corners = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]
    far = [chance.uniform(2, 6) for _ in corners]
    line = [(8.5 + x * r, 8.5 + y * r) for (x, y), r in zip(corners, far, strict=True)]
    part, _ = converted(universal([*line, line[0]], size=(17, 17)))
    assert (0, 0) not in _reached(closed_edges(part["walls"]), (8, 8))


def _reached(closed: Any, start: tuple[int, int]) -> set[tuple[int, int]]:
    """Return every cell of a board that can be walked to."""

    def entering(cell: tuple[int, int]) -> int | None:
        return 0 if 0 <= cell[0] < 17 and 0 <= cell[1] < 17 else None

    def step(before: tuple[int, int], cell: tuple[int, int], _: int, feet: int) -> int | None:
        return None if is_step_closed(closed, lambda _: False, before, cell) else feet

    return set(reachable(start, 0, entering, step, alternating=False))


def test_what_is_outside_the_map_or_too_short_is_left_out() -> None:
    part, notes = converted(universal([(20, 0), (20, 5)], [(2, 2), (2.3, 2.2)], [(8, 0), (8, 1)]))
    assert part["walls"] == {"7,0|8,0": "wall"}, "the rim of the map belongs to it"
    assert notes == (
        "/line_of_sight/0/1: outside the map, and left out",
        "/line_of_sight/1: smaller than half a cell, and left out",
    )


def test_a_portal_is_a_door_in_the_place_of_a_wall() -> None:
    part, notes = converted(universal(SQUARE, portals=[portal((1, 1), (2, 1))]))
    doors = {key: kind for key, kind in part["walls"].items() if kind != "wall"}
    assert doors == {"1,0|1,1": "closed_door"}
    assert notes == ()


@pytest.mark.parametrize(("windows", "kind"), [("wall", "wall"), ("open", "open_door")])
def test_what_is_not_closed_is_noted_and_the_person_chooses(windows: str, kind: str) -> None:
    data = universal(SQUARE, portals=[portal((3, 3), (3, 2), closed=False)])
    found = convert_map(json.dumps(data), HEARTRUSH, map_choices(windows=windows))
    assert found.part["walls"]["2,2|3,2"] == kind
    (note,) = found.notes
    assert note.startswith("/portals/0: not closed: an open door, or a window in Dungeondraft; ")


@pytest.mark.parametrize("seed", range(90))
def test_a_room_with_a_door_is_never_sealed(seed: int) -> None:
    """A room anywhere off the grid, with a door of any width in any of its walls, opens and lets one in.

    The door is anywhere in its wall, or at one of its ends.
    """
    chance = random.Random(seed)
    left, top = chance.uniform(3, 4), chance.uniform(3, 4)
    right, low = left + chance.uniform(3, 6), top + chance.uniform(3, 6)
    corners = [(left, top), (right, top), (right, low), (left, low), (left, top)]
    side = chance.randrange(4)
    (x, y), (to_x, to_y) = corners[side], corners[side + 1]
    long = abs(to_x - x) + abs(to_y - y)
    width = chance.uniform(0.3, 1.4)
    first = (chance.uniform(0, long - width), 0.0, long - width)[seed % 3]
    along = [(x + (to_x - x) * part / long, y + (to_y - y) * part / long) for part in (first, first + width)]
    lines = [[corners[i], corners[i + 1]] for i in range(4) if i != side]
    data = universal(*lines, [(x, y), along[0]], [along[1], (to_x, to_y)], size=(17, 17))
    shut = portal(along[0], along[1])
    inside = (int((left + right) / 2), int((top + low) / 2))
    closed, _ = converted({**data, "portals": [shut]})
    assert "closed_door" in closed["walls"].values()
    assert (0, 0) not in _reached(closed_edges(closed["walls"]), inside)
    opened: Any = {
        key: "open_door" if kind == "closed_door" else kind for key, kind in closed["walls"].items()
    }
    assert (0, 0) in _reached(closed_edges(opened), inside)


def test_ends_nearer_than_a_tenth_of_a_cell_have_one_corner() -> None:
    lines = [[(1, 1), (2.49, 1)], [(2.51, 1), (4, 1)]]
    assert len(converted(universal(*lines))[0]["walls"]) == 3


def test_a_shifted_grid_is_one_note_and_moves_back() -> None:
    lines = [[(x + 0.44, y + 0.3) for x, y in SQUARE], [(x + 4.44, y + 0.3) for x, y in SQUARE]]
    data = universal(*lines, size=(10, 10))
    assert converted(data)[1] == (
        "the grid is shifted by 0.44,0.30 cells: --shift -0.44,-0.30 moves it back",
    )
    found = convert_map(json.dumps(data), HEARTRUSH, map_choices(shift="-0.44,-0.30"))
    assert (found.notes, set(found.part["walls"]) >= AROUND) == ((), True)


def test_each_edge_of_a_wide_door_is_a_door_of_its_own() -> None:
    part, notes = converted(universal(portals=[portal((1, 1), (3, 1))]))
    assert part["walls"] == {"1,0|1,1": "closed_door", "2,0|2,1": "closed_door"}
    assert notes == ("/portals/0: the door is 2 cells wide; each is opened by itself",)


def test_many_lines_that_do_not_fit_are_counted() -> None:
    _, notes = converted(universal(*([(1.4, y), (3, y)] for y in [1] * 30)))
    assert len(notes) == MOST_NOTES + 1
    assert notes[-1] == "10 further lines moved to the nearest edges"


def test_a_map_with_more_edges_than_an_opening_takes_is_cut_by_the_person() -> None:
    assert MOST_MEMBERS == EDGES
    rows = [[(0.0, y), (100.0, y)] for y in range(1, 22)]
    data = universal(*rows, size=(100, 30))
    assert fault_of(data) == (
        "walls has 2100 members, and an opening takes 2000: take a part of the map, --part x,y,width,height"
    )
    part = convert_map(json.dumps(data), HEARTRUSH, map_choices(part="10,0,20,30")).part
    assert len(part["walls"]) == 21 * 20
    assert "10,0|10,1" in part["walls"], "cells keep their numbers"


# --- light ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["4,0,2,2", "0,4,2,2", "-2,-2,2,9"])
def test_a_part_without_a_cell_of_the_map_is_a_fault(part: str) -> None:
    data = json.dumps(universal(SQUARE, size=(4, 4)))
    with pytest.raises(Unconvertible, match="part: none of the 4 by 4 cells of the map"):
        convert_map(data, HEARTRUSH, map_choices(part=part))


@pytest.mark.parametrize(
    ("colour", "ambient"),
    [
        ("ffffffff", "bright"),
        ("ff808080", "dim"),
        ("ff101030", "dark"),
        ("#000000", "dark"),
        (None, "bright"),
    ],
)
def test_the_ambient_light_is_that_of_the_whole_map(colour: str | None, ambient: str) -> None:
    part, _ = converted(universal(environment={"ambient_light": colour}))
    assert part["scenery"] == {"ambient": ambient, "light": {}}


def test_a_light_is_bright_to_half_its_range_and_stops_at_walls() -> None:
    dark = {"ambient_light": "ff000000"}
    lamp = {"position": {"x": 0.5, "y": 0.5}, "range": 4, "shadows": True}
    data = universal([(3, 0), (3, 8)], size=(8, 1), environment=dark, lights=[lamp])
    assert converted(data)[0]["scenery"]["light"] == {"0,0": "bright", "1,0": "bright", "2,0": "bright"}
    through = universal([(3, 0), (3, 8)], size=(8, 1), environment=dark, lights=[{**lamp, "shadows": False}])
    assert converted(through)[0]["scenery"]["light"] == {
        "0,0": "bright",
        "1,0": "bright",
        "2,0": "bright",
        "3,0": "dim",
        "4,0": "dim",
    }


def test_a_light_makes_nothing_darker() -> None:
    lamp = {"position": {"x": 0.5, "y": 0.5}, "range": 4}
    dim = converted(universal(size=(8, 1), environment={"ambient_light": "ff808080"}, lights=[lamp]))[0]
    assert dim["scenery"]["light"] == {"0,0": "bright", "1,0": "bright", "2,0": "bright"}
    bright, notes = converted(universal(lights=[lamp]))
    assert bright["scenery"]["light"] == {}
    assert notes == ("lights have no effect (1): the ambient light is bright everywhere",)
    darker = convert_map(json.dumps(universal(lights=[lamp])), HEARTRUSH, map_choices(ambient="dark"))
    assert darker.part["scenery"]["light"]["0,0"] == "bright"


def test_rise_has_no_light_and_the_notes_say_what_is_left_out() -> None:
    data = universal(SQUARE, lights=[{"position": {"x": 0, "y": 0}, "range": 4}])
    found = convert_map(json.dumps(data), RISE)
    assert list(found.part) == ["walls"]
    assert found.notes == ("lights are left out (1): this rulebook has no light on cells",)


# --- faults --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"resolution": {}}, "/resolution/map_size: an object is required"),
        ({"resolution": {"map_size": {"x": 0, "y": 3}}}, "/resolution/map_size/x: 1 to 500 cells"),
        ({"resolution": {"map_size": {"x": 9, "y": 501}}}, "/resolution/map_size/y: 1 to 500 cells"),
        ({"line_of_sight": {}}, "/line_of_sight: a list is required"),
    ],
)
def test_a_fault_is_one_line_with_its_place(changes: dict[str, Any], fault: str) -> None:
    assert fault_of(universal(**changes)) == fault


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"line_of_sight": [{}]}, "/line_of_sight/0: a line is a list of points; left out"),
        ({"line_of_sight": [[3]]}, "/line_of_sight/0/0: a point with x and y is required; left out"),
        ({"line_of_sight": [[{"x": 1}]]}, "/line_of_sight/0/0: y: a number is required; left out"),
        (
            {"line_of_sight": [[{"x": 1, "y": 1e300}]]},
            "/line_of_sight/0/0: y: a number from -1000000 to 1000000; left out",
        ),
        (
            {"portals": [{}]},
            "/portals/0: two points as bounds, or a position, are required; this door is left out",
        ),
        (
            {"portals": [{"position": {"x": 1}}]},
            "/portals/0: y: a number is required; this door is left out",
        ),
        ({"lights": [{"range": 1}]}, "/lights/0: a point with x and y is required; this light is left out"),
        ({"lights": [4]}, "/lights/0: a light is an object; this light is left out"),
        (
            {"lights": [{"position": {"x": 1, "y": 1}, "range": 150}]},
            "/lights/0: its range of 150 cells is cut to 100",
        ),
        (
            {
                "lights": [{"position": {"x": 1, "y": 1}, "range": 1}] * 501,
                "environment": {"ambient_light": "000000"},
            },
            "lights after the 500th are left out (1)",
        ),
        (
            {"environment": {"ambient_light": "zz"}},
            "/environment/ambient_light: a colour of 6 or 8 hexadecimal digits; taken as bright",
        ),
    ],
)
def test_one_odd_member_is_left_out_and_the_rest_of_the_map_stays(changes: dict[str, Any], note: str) -> None:
    data = universal(**{"objects_line_of_sight": [points(*SQUARE)], **changes})
    part, notes = converted(data)
    assert note in notes
    assert set(part["walls"]) == AROUND


@pytest.mark.parametrize("origin", [None, {"x": "a"}, 7])
def test_an_origin_that_says_nothing_is_zero(origin: Any) -> None:
    data = universal(SQUARE)
    data["resolution"]["map_origin"] = origin
    assert set(converted(data)[0]["walls"]) == AROUND


def test_a_map_of_which_nothing_is_inside_is_a_fault_that_names_everything() -> None:
    data = universal([(280, 0), (280, 560)], portals=[portal((280, 280), (280, 350))])
    with pytest.raises(Unconvertible) as raised:
        convert_map(json.dumps(data), HEARTRUSH)
    first, *outside = raised.value.faults
    assert first.startswith("nothing in the file is inside its map of 8 by 8 cells; coordinates count cells")
    assert outside == [
        "/line_of_sight/0/1: outside the map, and left out",
        "/portals/0: outside the map, and left out",
    ]


def test_what_is_no_map_is_a_fault() -> None:
    assert fault_of('{"a": \n oh}').startswith("line 2, column 2: not valid JSON")
    assert fault_of("[]").startswith("/: a map is a JSON object; these are read: Universal VTT")
    assert fault_of("NaN") == "NaN is not a number of JSON"
    assert fault_of("[" * 100_000) == "the file is nested too deeply"
    line = [(0.0, 0.0)] * 60_000
    assert fault_of(universal(line, line)) == "/line_of_sight/1: at most 100000 points"
    far = [(0.0, 0.0), (500.0, 500.0)] * 200
    assert fault_of(universal(far, size=(500, 500))).endswith("at most 200000 edges along all lines")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            {"world": {"levels": {}}, "header": {}},
            "a project of Dungeondraft: export it there as Universal VTT",
        ),
        ({"type": "FeatureCollection", "features": []}, "a map of GeoJSON"),
        ({"tilewidth": 32, "layers": []}, "a map of Tiled"),
        ({"a": 1, "b": 2}, "not a map that is read (it has a, b); these are read: Universal VTT"),
    ],
)
def test_a_file_that_is_not_read_is_named_with_what_to_export(data: Any, said: str) -> None:
    assert fault_of(data).startswith(said)
