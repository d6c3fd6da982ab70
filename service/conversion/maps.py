"""Convert a map that another program wrote, whichever it is, to the walls, doors and light of an opening."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from service.conversion import foundry_scene, lists, one_page_dungeon, universal_vtt
from service.conversion import json_members as members
from service.conversion.drawing import CHOICES, MapChoices, Sketch, drawn
from service.conversion.faults import Converted, Unconvertible
from service.rules.ruleset import Ruleset

LARGEST_FILE: Final = 128 * 1024 * 1024
"""Bytes of a file, most of them its picture."""


MOST_INSIDE: Final = 1_000
"""Members of an object that are looked at for a map."""


class Format(NamedTuple):
    """A kind of map: how it is recognised, and how it is read."""

    name: str
    fits: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any]], Sketch]


FORMATS: Final = (
    Format("Universal VTT", universal_vtt.is_universal, universal_vtt.sketched),
    Format("scene of Foundry", foundry_scene.is_scene, foundry_scene.sketched),
    Format("One Page Dungeon", one_page_dungeon.is_dungeon, one_page_dungeon.sketched),
)
READ: Final = (
    "Universal VTT (.uvtt, .dd2vtt, .df2vtt), scenes of Foundry and Dungeon Alchemist, One Page Dungeon"
)


def convert_map(text: str, ruleset: Ruleset[Any], choices: MapChoices = CHOICES) -> Converted:
    """Return the part of an opening that a map is: `walls`, and terrain and light if the rulebook has them.

    Raises `Unconvertible` for what is no map that is read: it says what the file is, where it can tell.
    """
    if len(text) > LARGEST_FILE:
        raise Unconvertible(f"the file has more than {LARGEST_FILE} characters")
    text = text.removeprefix("\ufeff")
    first = text.lstrip()[:1]
    if first == "<":
        what = "a map of Tiled" if "tiledversion" in text[:1000] else "a web page, a drawing or XML"
        raise Unconvertible(f"{what}, and no map that is read; these are read: {READ}")
    try:
        data = members.parsed(text)
    except Unconvertible as fault:
        if first in ("{", "[") or "not valid JSON" not in str(fault):
            raise
        raise Unconvertible(f"a text or a table, and no map that is read; these are read: {READ}") from None
    if isinstance(data, list) and data and all(_is_named_creature(each) for each in data):
        raise Unconvertible("a list of creatures, and no map: import it as one")
    if isinstance(data, list) and len(data) == 1:
        (data,) = data
    if not isinstance(data, dict):
        members.fault("", f"a map is a JSON object; these are read: {READ}")
    format_, one = _map_in(data)
    return drawn(format_.read(one), ruleset, choices)


def _is_named_creature(data: object) -> bool:
    return isinstance(data, dict) and "name" in data and lists.is_creature(data) and "walls" not in data


def _map_in(data: Mapping[str, Any]) -> tuple[Format, Mapping[str, Any]]:
    """Return the map that *data* is, or the one inside it, with its format."""
    inside = [each for value in data.values() for each in (value if isinstance(value, list) else (value,))]
    for candidates in ((data,), inside):
        found = [
            (each, one)
            for one in candidates[:MOST_INSIDE]
            if isinstance(one, dict)
            for each in FORMATS
            if each.fits(one)
        ]
        if len(found) > 1 and candidates is inside:
            names = ", ".join(str(one.get("name", "without a name"))[:60] for _, one in found[:6])
            raise Unconvertible(f"the file has {len(found)} maps ({names}): export one of them")
        if found:
            return found[0]
    raise _unknown(data)


def _unknown(data: Mapping[str, Any]) -> Unconvertible:
    """Say what a file is that is not read, and what to export in its place."""
    world = data.get("world")
    if isinstance(world, dict) and "levels" in world:
        return Unconvertible(
            "a project of Dungeondraft: export it there as Universal VTT (.dd2vtt), and import that file"
        )
    if data.get("type") == "FeatureCollection":
        return Unconvertible("a map of GeoJSON, as city generators write it, has no cells, and is not read")
    if {"tilewidth", "layers"} <= {*data}:
        return Unconvertible("a map of Tiled has no walls on edges, and is not read")
    if "cells" in data and "settings" in data:
        return Unconvertible("a dungeon of Donjon: its cells are not read; export it as Universal VTT")
    if _is_named_creature(data):
        return Unconvertible("a creature, and no map: import it as a list of creatures")
    names = ", ".join(sorted(data)[:6]) or "no members"
    return Unconvertible(f"not a map that is read (it has {names}); these are read: {READ}")
