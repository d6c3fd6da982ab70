"""Find the creatures in the data of a file, however its program wraps them, and in plain lists of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from service.conversion import foreign
from service.conversion import json_members as members
from service.conversion.counts import as_object, counted
from service.conversion.faults import Unconvertible

Placed = Sequence[tuple[str, Any]]
"""Creatures, each with its place in the file."""

SHEET: Final = "sheet"
DEEPEST: Final = 5
"""Objects around a list of creatures."""
MOST_LISTED: Final = 20_000
"""Creatures of a list, of which a person takes some."""
TOO_MANY: Final = f"at most {MOST_LISTED} creatures in a list; take those that are wanted out of it"
LONGEST_NAME: Final = 60
MOST_NAMES: Final = 500
_TELLING: Final = frozenset(("hp", "hp_max", "size", "speed", *foreign.MARKS))
"""Members that tell an object is a creature, beside a name."""
_ENTITIES: Final = re.compile(r"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
COMBATANTS: Final = ("creatures", "monsters", "monster", "combatants", "actors", "npcs")
"""Members that hold the creatures of something that has a name of its own, as an encounter."""


def json_data(text: str) -> Any:  # noqa: ANN401 - JSON
    """Return the data of JSON, or of lines with an object each; raises `Unconvertible`."""
    try:
        return members.parsed(text)
    except Unconvertible:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines):  # noqa: PLR2004 - one line is one text
            raise
        try:
            return [members.parsed(line) for line in lines]
        except Unconvertible:
            pass
        raise


def creatures_in(data: Any, wanted: str) -> Placed:  # noqa: ANN401 - JSON
    """Return the creatures of a list, of a list inside objects, or of an object of objects."""
    if isinstance(data, list) and data and all(isinstance(each, list) for each in data):
        data = [each for inner in data for each in inner]
    if isinstance(data, list):
        return [(f"creature {i}", as_object(each)) for i, each in enumerate(data, 1)]
    if not isinstance(data, dict):
        raise Unconvertible(f"creatures are {wanted}")
    if _is_named(data):
        return _held_by(data, "") or [("creature 1", data)]
    found = _inside(_unpacked(data), "", DEEPEST) or _held_by(data, "")
    if not found:
        said = ", ".join(map(str, data)) or "nothing"
        raise Unconvertible(f"creatures are {wanted}; this object has {said}"[:300])
    return found


def _held_by(data: Mapping[str, Any], at: str) -> Placed:
    """Return the creatures of an encounter, which has a name of its own; none of a creature."""
    for name, inside in () if is_creature(data) else data.items():
        if str(name).casefold() in COMBATANTS and isinstance(inside, list):
            return [(f"{at}/{name}/{i}", as_object(each)) for i, each in enumerate(inside)]
    return ()


def _inside(data: Mapping[str, Any], at: str, deep: int) -> Placed | None:
    """Return the creatures inside an object that is none itself, None if there are none."""
    names = [name for name in foreign.LISTS if name in data] + [str(name) for name in data]
    for name in names:
        inside = data.get(name)
        if isinstance(inside, list) and inside and all(isinstance(each, dict) for each in inside):
            return [(f"{at}/{name}/{i}", as_object(each)) for i, each in enumerate(inside)]
        if isinstance(inside, dict) and _is_of_objects(inside):
            return _by_name(inside, f"{at}/{name}")
    ours = {name: each for name, each in data.items() if isinstance(each, dict) and is_creature(each)}
    if _is_of_objects(data) or ours:
        return _by_name(data if _is_of_objects(data) else ours, at)
    for name, inside in data.items():
        if isinstance(inside, dict) and deep:
            if _is_named(inside):
                return _held_by(inside, f"{at}/{name}") or [(f"{at}/{name}", inside)]
            found = _inside(inside, f"{at}/{name}", deep - 1)
            if found is not None:
                return found
    return None


def is_creature(data: Mapping[str, Any]) -> bool:
    """Tell whether an object has what only creatures have."""
    return SHEET in data or not _TELLING.isdisjoint(foreign.canonical(str(name)) for name in data)


def _is_named(data: Mapping[str, Any]) -> bool:
    return SHEET in data or any(
        foreign.canonical(str(name)) == "name" and isinstance(each, str) for name, each in data.items()
    )


def _is_of_objects(data: Mapping[str, Any]) -> bool:
    return len(data) > 1 and all(isinstance(each, dict) for each in data.values())


def _by_name(data: Mapping[str, Any], at: str) -> Placed:
    """Return the objects of an object; one without a name has that of its member."""
    return [
        (f"{at}/{name}", each if _is_named(each) else {"name": str(name), **each})
        for name, each in data.items()
    ]


def _unpacked(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return *data* with texts that are JSON read: what a browser stores is such."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        found[name] = value
        if isinstance(value, str) and value[:1] in ("{", "["):
            try:
                found[name] = members.parsed(value)
            except Unconvertible:
                continue
    return found


_OF_BLOCK: Final = re.compile(r"(?:armou?r class|ac|hit points|hp|speed|str)\b.*\d", re.IGNORECASE)
"""A line of a stat block, and no name."""


# --- names -----------------------------------------------------------------------------------------------


def names_in(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the creatures of a text with a name on each line, and perhaps a count; none of another text."""
    lines = [(n, line.strip(" \t-*\u2022")) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) == 1:
        lines = [
            (lines[0][0], each.strip()) for each in re.split(r"[,;]|\band\b", lines[0][1]) if each.strip()
        ]
        if not any(counted(line, is_of_list=True) for _, line in lines):
            return
    is_list = len(lines) <= MOST_NAMES and all(
        0 < len(line) <= LONGEST_NAME
        and not _OF_BLOCK.match(line)
        and line[-1] not in ".,;:!?"
        and not set(line) & set(",;\t|{}[]<>=")
        for _, line in lines
    )
    for n, line in lines if is_list else ():
        found = counted(line, is_of_list=True)
        if found is None or found.numbers[0] > 1:
            yield f"row {n}", {"name": line}
        else:
            yield f"row {n}", {"name": found.name, "count": str(len(found.numbers))}


# --- XML -------------------------------------------------------------------------------------------------


_WITH_PARTS: Final = ("hp", "speed", "size")
"""Elements of which some programs write the numbers apart: the total of hit points."""


def _tag(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _text_of(element: ET.Element) -> Any:  # noqa: ANN401 - JSON
    if len(element):
        return {_tag(each): (each.text or "").strip() for each in element if not len(each)}
    return (element.text or "").strip()


def xml_data(text: str) -> list[dict[str, Any]]:
    """Return the creatures of XML: each element with a name and what only creatures have.

    Raises `Unconvertible`.
    """
    if _ENTITIES.search(text):
        raise Unconvertible("a document type of XML is not read")
    try:
        root = ET.fromstring(text)  # noqa: S314 - it declares no entity
    except (ET.ParseError, ValueError) as fault:
        raise Unconvertible(f"not valid XML: {fault}") from None
    found = [
        {_tag(each): _text_of(each) for each in element if not len(each) or _tag(each) in _WITH_PARTS}
        for element in root.iter()
        if any(foreign.canonical(_tag(each)) == "name" for each in element)
    ]
    return [each for each in found if is_creature(each)]
