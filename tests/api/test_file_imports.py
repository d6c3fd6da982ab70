"""`POST /v1/imports`: a file becomes a part of an opening, and nothing is opened."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.client import Api

OCTETS = "application/octet-stream"
MAP = {
    "resolution": {"map_size": {"x": 6, "y": 4}},
    "line_of_sight": [[{"x": 2, "y": 0}, {"x": 2, "y": 3}]],
    "portals": [{"bounds": [{"x": 2, "y": 3}, {"x": 2, "y": 4}], "closed": True}],
}


def convert(owner: Api, body: bytes, query: str) -> Any:
    return owner("POST", f"/v1/imports?{query}", body, Content_Type=OCTETS)


def test_what_is_converted_opens_a_fight(owner: Api) -> None:
    of_map = convert(owner, json.dumps(MAP).encode(), "edition=heartrush@1&kind=map")
    assert of_map.status_code == 200, of_map.text
    table = "name;side;hp\nZo\xeb;heroes;30\nOrc;foes;20\n".encode("cp1252")
    creatures = convert(owner, table, "edition=heartrush@1&kind=creatures&place=0,0")
    assert creatures.json["notes"][0].endswith("read as Windows-1252")
    opening = {
        "edition": "heartrush@1",
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        **of_map.json["part"],
        **creatures.json["part"],
    }
    assert opening["walls"]["1,3|2,3"] == "closed_door"
    assert owner("POST", "/v1/encounters", opening, Prefer="wait=30").status_code == 201


@pytest.mark.parametrize(
    ("query", "body", "code"),
    [
        ("edition=heartrush@1&kind=creatures", b"id,nam\nx,y\n", "file-not-converted"),
        ("edition=heartrush@1&kind=map&part=1", b"{}", "file-not-converted"),
        ("edition=chess@1&kind=map", b"{}", "invalid"),
        ("edition=heartrush@1&kind=map&only=Orc", b"{}", "invalid"),
        ("edition=heartrush@1&kind=song", b"{}", "invalid"),
        ("kind=map", b"{}", "invalid"),
    ],
)
def test_what_cannot_be_converted_is_a_problem(owner: Api, query: str, body: bytes, code: str) -> None:
    answer = convert(owner, body, query)
    assert answer.json["type"] == f"/problems/{code}", answer.text
    if code == "file-not-converted":
        assert answer.json["faults"][0] == answer.json["detail"]


def test_notes_and_faults_name_parameters_of_the_query(owner: Api) -> None:
    """The command line says the same of its options: `--side SIDE`."""
    table = convert(owner, b"name\nOrc\n", "edition=heartrush@1&kind=creatures")
    assert table.json["notes"] == [
        "1 creature has no side: foes here (?side=SIDE)",
        "1 creature has no place: side by side from 0,0 here (?place=x,y)",
    ]
    walls = [[{"x": 0, "y": y}, {"x": 100, "y": y}] for y in range(40)]
    size = {"map_origin": {"x": 0, "y": 0}, "map_size": {"x": 100, "y": 100}, "pixels_per_grid": 70}
    large = {**MAP, "resolution": size, "line_of_sight": walls}
    fault = convert(owner, json.dumps(large).encode(), "edition=heartrush@1&kind=map").json["detail"]
    assert fault.endswith("take a part of the map, ?part=x,y,width,height")
