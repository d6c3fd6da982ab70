"""Files as other programs and people write them, each with its right result: see `odd/`.

A case has the `file`, and what becomes of it: `walls`, `ambient`, `light`, `terrain` or `creatures` (those
members that it names) with how each of the `notes` begins, or how the `fault` begins.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from service.conversion.creatures import convert_creatures
from service.conversion.faults import Converted, Unconvertible
from service.conversion.maps import convert_map
from service.rules.registry import REGISTRY

ODD: Final = Path(__file__).parent / "odd"
MAPS: Final = ("universal", "scene", "dungeon")
CREATURES: Final = ("tables", "lists", "blocks")


def cases() -> Iterator[Any]:
    for kind in (*MAPS, *CREATURES):
        for case in json.loads((ODD / f"{kind}.json").read_text("utf-8")):
            yield pytest.param(kind in MAPS, case, id=f"{kind}: {case['what']}")


def converted(case: dict[str, Any], *, is_map: bool) -> Converted:
    text = case["file"] if isinstance(case["file"], str) else json.dumps(case["file"])
    return (convert_map if is_map else convert_creatures)(text, REGISTRY["heartrush@1"])


@pytest.mark.parametrize(("is_map", "case"), [*cases()])
def test_an_odd_file_is_read_as_it_is_meant(is_map: bool, case: dict[str, Any]) -> None:  # noqa: FBT001 - a parameter of the table
    if "fault" in case:
        with pytest.raises(Unconvertible) as raised:
            converted(case, is_map=is_map)
        assert raised.value.faults[0].startswith(case["fault"])
        return
    found = converted(case, is_map=is_map)
    assert shown(found, case) == {name: case[name] for name in case if name not in ("what", "file", "notes")}
    notes, wanted = list(found.notes), case.get("notes", list(found.notes))
    assert len(notes) == len(wanted), notes
    assert all(note.startswith(begin) for note, begin in zip(notes, wanted, strict=True)), notes


def shown(found: Converted, case: dict[str, Any]) -> dict[str, Any]:
    """Return of what was converted the members that a case names."""
    part = {"terrain": {}, **found.part, **found.part.get("scenery", {})}
    made: dict[str, Any] = {
        name: part[name] for name in ("walls", "ambient", "light", "terrain") if name in case
    }
    if "creatures" in case:
        whole = [{**each, **each.get("sheet", {})} for each in part["creatures"]]
        assert len(whole) == len(case["creatures"])
        made["creatures"] = [
            {name: each.get(name) for name in wanted}
            for each, wanted in zip(whole, case["creatures"], strict=True)
        ]
    return made
