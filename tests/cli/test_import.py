"""`rewound import`: what it prints opens an encounter; a file that it cannot convert is one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.conversion.maps import READ
from service.rules.registry import REGISTRY
from service.usecases.openings import opening_faults

MAP = {
    "resolution": {"map_size": {"x": 6, "y": 4}, "pixels_per_grid": 70},
    "line_of_sight": [[{"x": 2, "y": 0}, {"x": 2, "y": 3}]],
    "objects_line_of_sight": [[{"x": 5, "y": 1}, {"x": 5.2, "y": 1.2}]],
    "portals": [{"bounds": [{"x": 2, "y": 3}, {"x": 2, "y": 4}], "closed": True}],
    "lights": [{"position": {"x": 0.5, "y": 0.5}, "range": 2}],
    "environment": {"ambient_light": "ff000000"},
}
CREATURES = "id,name,side,x,y\npia,Pia,heroes,0,0\norc,Orc,foes,5,0\n"


def imported(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["import", *arguments])


@pytest.mark.parametrize("edition", ["heartrush@1", "rise@1"])
def test_what_is_imported_is_an_opening(tmp_path: Path, edition: str) -> None:
    (tmp_path / "keep.dd2vtt").write_text(json.dumps(MAP), "utf-8")
    (tmp_path / "band.csv").write_text(CREATURES, "utf-8")
    of_map = imported("map", str(tmp_path / "keep.dd2vtt"), "--edition", edition)
    creatures = imported("creatures", str(tmp_path / "band.csv"), "--edition", edition)
    assert (of_map.exit_code, creatures.exit_code) == (0, 0)
    assert "/objects_line_of_sight/0: smaller than half a cell" in of_map.stderr
    opening = json.loads(of_map.stdout) | json.loads(creatures.stdout)
    assert opening["walls"]["1,3|2,3"] == "closed_door"
    if edition == "heartrush@1":
        opening |= {"sides": ["heroes", "foes"], "player_side": "heroes"}
    assert opening_faults(REGISTRY[edition], opening) == ()


def test_a_file_that_cannot_be_converted_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "band.csv").write_text(CREATURES.replace("side", "sid"), "utf-8")
    (tmp_path / "keep.uvtt").write_bytes(b"\xff\xfe")
    for kind, name, said in (
        ("creatures", "band.csv", "row 1: there is no column sid; the nearest is side"),
        ("creatures", "keep.uvtt", "the file is empty"),
        ("map", "keep.uvtt", "the file is empty"),
        ("map", "band.csv", f"a text or a table, and no map that is read; these are read: {READ}"),
    ):
        failed = imported(kind, str(tmp_path / name))
        assert failed.exit_code == 1
        assert failed.stderr.splitlines() == [f"Error: {tmp_path / name}: {said}"]
    unknown = imported("map", str(tmp_path / "band.csv"), "--edition", "chess@1")
    assert "there is no rulebook chess@1; there are" in unknown.stderr


def test_what_a_person_chooses_is_an_option(tmp_path: Path) -> None:
    (tmp_path / "keep.uvtt").write_text(json.dumps(MAP), "utf-8")
    (tmp_path / "band.csv").write_text("name,hp\nGoblin,7\n", "utf-8")
    cut = imported("map", str(tmp_path / "keep.uvtt"), "--part", "0,0,2,2", "--ambient", "bright")
    assert json.loads(cut.stdout)["scenery"] == {"ambient": "bright", "light": {}}
    assert set(json.loads(cut.stdout)["walls"]) == {"1,0|2,0", "1,1|2,1"}
    placed = imported("creatures", str(tmp_path / "band.csv"), "--side", "foes", "--place", "3,1")
    assert json.loads(placed.stdout)["creatures"][0]["position"] == [3, 1]
    for arguments, said in (
        (("map", "keep.uvtt", "--part", "0,0,2"), "part: 4 whole numbers with commas between"),
        (("map", "keep.uvtt", "--shift", "a,b"), "shift: 2 numbers with commas between"),
        (("creatures", "band.csv", "--only", "Orc"), "there is no creature Orc"),
    ):
        kind, name, *options = arguments
        failed = imported(kind, str(tmp_path / name), *options)
        assert failed.exit_code == 1
        assert said in failed.stderr
