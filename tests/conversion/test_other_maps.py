"""Scenes of Foundry and Dungeon Alchemist, and One Page Dungeon: walls, doors and lights by their meaning."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.conversion.faults import Converted, Unconvertible
from service.conversion.maps import convert_map
from service.rules.registry import REGISTRY

HEARTRUSH, RISE = REGISTRY["heartrush@1"], REGISTRY["rise@1"]


def converted(data: Any, ruleset: Any = HEARTRUSH) -> Converted:
    return convert_map(json.dumps(data), ruleset)


def scene(*walls: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a scene of 8 by 6 cells of 100 pixels."""
    return {
        "width": 800,
        "height": 600,
        "grid": {"size": 100, "type": 1},
        "padding": 0,
        "walls": [*walls],
        **changes,
    }


def wall(*ends: int, **changes: Any) -> dict[str, Any]:
    return {"c": [*ends], "move": 20, "door": 0, "ds": 0, **changes}


def test_walls_and_doors_of_a_scene_are_edges() -> None:
    found = converted(
        scene(
            wall(200, 0, 200, 200), wall(200, 200, 200, 300, door=1), wall(200, 300, 200, 400, door=1, ds=1)
        )
    )
    assert found.part["walls"] == {
        "1,0|2,0": "wall",
        "1,1|2,1": "wall",
        "1,2|2,2": "closed_door",
        "1,3|2,3": "open_door",
    }
    assert found.notes == ()


def test_the_map_begins_behind_the_padding_in_whole_cells() -> None:
    """A quarter of 800 pixels is 200, of 600 is 150, which are 2 and 2 cells."""
    inside = wall(200 + 200, 200, 200 + 200, 200 + 200)
    assert list(converted(scene(inside, padding=0.25)).part["walls"]) == ["1,0|2,0", "1,1|2,1"]


def test_a_scene_without_a_padding_has_the_one_that_its_walls_need() -> None:
    """Dungeon Alchemist writes none; Foundry's own is a quarter."""
    flat = scene(wall(200, 0, 200, 200), wall(0, 0, 800, 0))
    del flat["padding"]
    assert "1,0|2,0" in converted(flat).part["walls"]
    wide = scene(wall(400, 200, 400, 400), wall(200, 200, 1000, 200))
    del wide["padding"]
    assert "1,0|2,0" in converted(wide).part["walls"]


def test_older_scenes_write_the_grid_as_a_number() -> None:
    old = scene(wall(140, 0, 140, 140), grid=70, gridType=1, width=560, height=420)
    assert list(converted(old).part["walls"]) == ["1,0|2,0", "1,1|2,1"]


@pytest.mark.parametrize(
    ("changes", "kind", "note"),
    [
        ({"door": 2}, "closed_door", "/walls/0: a secret door: a closed door here, for all to see"),
        (
            {"door": 1, "ds": 2},
            "closed_door",
            "/walls/0: a locked door: a closed door here; make its edge a wall to lock it",
        ),
        ({"move": 0}, None, "/walls/0: it stops sight alone, and is left out"),
        ({"c": [1, 2, 3]}, None, "/walls/0: a wall is an object whose c is a list of four numbers; left out"),
    ],
)
def test_what_an_edge_cannot_say_is_noted(changes: dict[str, Any], kind: str | None, note: str) -> None:
    found = converted(scene(wall(200, 0, 200, 100, **changes), wall(300, 0, 300, 100)))
    assert found.part["walls"].get("1,0|2,0") == kind
    assert found.part["walls"]["2,0|3,0"] == "wall"
    assert found.notes == (note,)


def test_lights_of_a_scene_count_in_its_units_of_distance() -> None:
    light = {"x": 50, "y": 50, "config": {"bright": 5, "dim": 10}}
    dark = scene(wall(0, 500, 800, 500), lights=[light, {**light, "hidden": True}], darkness=1)
    found = converted(dark).part["scenery"]
    assert found["ambient"] == "dark"
    assert found["light"]["0,0"] == found["light"]["1,0"] == "bright"
    assert found["light"]["2,0"] == "dim"
    assert "3,0" not in found["light"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"grid": {"size": 100, "type": 2}}, "/grid/type: a grid of squares; this scene has hexagons"),
        ({"grid": {"size": 0}}, "/grid: at least 1 pixel along a cell"),
        ({"width": None}, "/: width: a number is required"),
        ({"width": 10**6}, "/width: 1 to 500 cells along each side"),
    ],
)
def test_a_scene_without_squares_or_size_is_a_fault(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(Unconvertible) as raised:
        converted(scene(wall(0, 0, 100, 0), **changes))
    assert raised.value.faults == (fault,)


DUNGEON: dict[str, Any] = {
    "title": "Two rooms",
    "rects": [
        {"x": -1, "y": 0, "w": 2, "h": 2},
        {"x": 1, "y": 0, "w": 1, "h": 1},
        {"x": 2, "y": 0, "w": 2, "h": 2},
    ],
    "doors": [{"x": 1, "y": 0, "dir": {"x": 1, "y": 0}, "type": 1}],
    "notes": [{"text": "A chest."}],
    "columns": [{"x": 3, "y": 1}],
    "water": [{"x": 2, "y": 1}],
}


def test_rooms_are_walled_where_the_floor_ends_and_doors_stand_between() -> None:
    found = converted(DUNGEON)
    walls = found.part["walls"]
    assert walls["2,0|3,0"] == "closed_door"
    assert "1,0|2,0" not in walls, "the door's cell is open to the room from which it leads"
    assert walls["1,1|2,1"] == "wall"
    assert walls["0,-1|0,0"] == "wall", "the first column and row are 0"
    assert set(walls.values()) == {"wall", "closed_door"}
    assert found.part["terrain"] == {"3,1": "shallow_water", "4,1": "wall"}
    assert found.notes == ("notes are left out (1): an opening has none",)


def test_a_rulebook_without_water_says_what_it_leaves_out() -> None:
    found = converted(DUNGEON, RISE)
    assert found.part["terrain"] == {"4,1": "wall"}
    assert "cells of shallow water are left out (1): this rulebook has none" in found.notes


@pytest.mark.parametrize(
    ("kind", "door"), [(0, None), (2, None), (4, "closed_door"), (6, "closed_door"), (9, None)]
)
def test_a_door_that_does_not_close_is_a_passage(kind: int, door: str | None) -> None:
    found = converted({**DUNGEON, "doors": [{**DUNGEON["doors"][0], "type": kind}]})
    assert found.part["walls"].get("2,0|3,0") == door
    assert any("secret" in note for note in found.notes) == (kind == 6)


def test_an_odd_room_or_door_is_left_out_with_a_note() -> None:
    odd = {
        **DUNGEON,
        "rects": [*DUNGEON["rects"], {"x": 9}],
        "doors": [*DUNGEON["doors"], {"x": 3}, {"x": 0, "y": 0, "dir": {"x": 1, "y": 1}}],
    }
    notes = converted(odd).notes
    assert "/rects/3: y: a number is required; this room is left out" in notes
    assert "/doors/1: a door is an object with dir; this door is left out" in notes
    assert "/doors/2: dir is one of the four sides; this door is left out" in notes
