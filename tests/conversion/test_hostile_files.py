"""Whatever a file holds, it is converted, or refused with a reason: no other fault leaves the conversion."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from service.conversion.creatures import convert_creatures
from service.conversion.faults import Converted, Unconvertible
from service.conversion.maps import convert_map
from service.rules.registry import REGISTRY

ODD: Final = Path(__file__).parent / "odd"
NUMBERS: Final = ("9" * 5_000, "9" * 400, "9" * 30, "1e400", "-1e400", "-0", "NaN", "1" + "." + "0" * 400)
VALUES: Final = ("null", "[]", "{}", '""', "true", '"\\ud800"', "[" * 3_000 + "]" * 3_000)
NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
VALUE: Final = re.compile(r'(?<=: )(?:"[^"]*"|-?\d[\d.]*|true|false|null)')
WAYS: Final = (convert_map, convert_creatures)
MOST: Final = 12
"""How many places of one file are changed."""


def files() -> Iterator[str]:
    for kind in ("universal", "scene", "dungeon", "tables", "lists", "blocks"):
        for case in json.loads((ODD / f"{kind}.json").read_text("utf-8")):
            yield case["file"] if isinstance(case["file"], str) else json.dumps(case["file"])


def changed(text: str) -> Iterator[str]:
    """Yield *text* with one number, or one value of JSON, replaced, at some places of it."""
    for pattern, others in ((NUMBER, NUMBERS), (VALUE, VALUES)):
        found = [*pattern.finditer(text)]
        for n, place in enumerate(found[:: max(1, len(found) // MOST)]):
            yield text[: place.start()] + others[n % len(others)] + text[place.end() :]


def outcome(convert: Callable[..., Converted], text: str) -> Any:
    try:
        return convert(text, REGISTRY["heartrush@1"]).part
    except Unconvertible as refused:
        return refused


@pytest.mark.parametrize("convert", WAYS)
def test_a_hostile_value_anywhere_is_read_or_refused(convert: Callable[..., Converted]) -> None:
    tried = [outcome(convert, text) for file in files() for text in changed(file)]

    assert len(tried) > 500
    assert 50 < sum(isinstance(each, Unconvertible) for each in tried) < len(tried)


HOSTILE: Final = {
    "no number that anybody calculates with": "[" + "1" * 1_000_000 + "]",
    "a long number in a cell": 'name,hp\na,"[' + "1" * 5_000 + ']"\n',
    "a long number in a line": '{"name":"a"}\n{"hp":' + "1" * 5_000 + "}",
    "a long number in a text": '{"a":"[' + "1" * 5_000 + ']"}',
    "tables without rows": "<table>" * 100_000,
    "an empty table": "<table></table><p>none</p>",
    "empty lines": "name,hp\n" + "\n" * 1_000_000,
    "nested lists": "[" * 100_000 + "]" * 100_000,
    "entities": '<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><l>&b;</l>',
    "aliases": "a: &a [x, x]\nb: [*a, *a]\n",
    "columns": ",".join(f"c{i}" for i in range(50_000)),
    "quotes": 'name\n"' + '"' * 500_000,
    "a run of spaces": "x" + " " * 1_000_000 + "y",
    "a run of spaces in a column": "name,hp" + " " * 1_000_000 + "y\nOrc,7,8\n",
    "a run of spaces in a speed": 'name,speed\nOrc,"1' + " " * 1_000_000 + 'y"\n',
    "a run of spaces in a name": 'name,hp\n"2' + " " * 1_000_000 + '(",x\n',
    "a run of spaces in a block": "AC 1" + " " * 1_000_000 + "y",
}


@pytest.mark.parametrize("convert", WAYS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_file_that_is_only_hostile_is_refused(text: str, convert: Callable[..., Converted]) -> None:
    assert isinstance(outcome(convert, text), Unconvertible)


@pytest.mark.parametrize("number", [".inf", "-.inf", ".nan", "1e400", "9" * 400, "0x" + "f" * 400])
def test_a_number_of_yaml_that_is_none_is_a_fault(number: str) -> None:
    found = outcome(convert_creatures, f"- name: Orc\n  hp: {number}\n  speed: {number}\n")

    assert isinstance(found, Unconvertible)
    assert len(str(found)) < 300


def test_an_empty_table_hides_no_other_one() -> None:
    rows = "<tr><td>name</td><td>hp</td></tr><tr><td>Orc</td><td>5</td></tr>"
    part = outcome(convert_creatures, f"<table></table><table>{rows}</table>")

    assert [each["sheet"]["name"] for each in part["creatures"]] == ["Orc"]
