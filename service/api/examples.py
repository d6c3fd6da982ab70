"""Make examples of commands, request bodies and path parameters from their schemas.

An example has every field that its schema requires, with plausible names. It shows only the shape; the
operation `getOptions` lists legal commands with their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from service.api.shapes import Schema

_AT: Final = "#/components/schemas/"
_USUAL: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "creature": "pia",
        "target": "orc",
        "prompt": "r1/e1/stance/pia",
        "seat": "ann",
        "side": "heroes",
        "reason": "agreed at the table",
        "claim": "the cover was not counted",
        "decision": "it counts from now on",
        "commitment": "5e" * 32,
        "seed": "5e" * 32,
    }
)
"""Plausible texts by member name."""


def example(schema: Schema, components: Mapping[str, Schema], name: str = "") -> Any:
    """Return a value that fits *schema*: the required members, and the first of several choices."""
    if "$ref" in schema:
        return example(components[schema["$ref"].removeprefix(_AT)], components, name)
    if "example" in schema:
        return schema["example"]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return example(schema[word][0], components, name)
    kind = schema.get("type")
    return _MADE[kind[0] if isinstance(kind, list) else kind](schema, components, name)


def _object(schema: Schema, components: Mapping[str, Schema], _name: str) -> dict[str, Any]:
    members, needed = schema.get("properties", {}), schema.get("required", ())
    shown = [name for name in members if name in needed or name in ("creature", "prompt")]
    return {name: example(members[name], components, name) for name in shown}


def _array(schema: Schema, components: Mapping[str, Schema], name: str) -> list[Any]:
    if "prefixItems" in schema:
        return [example(each, components, name) for each in schema["prefixItems"]]
    return [example(schema.get("items", {"type": "string"}), components, name.removesuffix("s"))]


def _string(schema: Schema, _components: Mapping[str, Schema], name: str) -> str:
    longest = schema.get("maxLength", 24)
    usual = str(_USUAL.get(name, name.replace("_", "-") or "one"))
    return usual[:longest]


def _integer(schema: Schema, _components: Mapping[str, Schema], _name: str) -> int:
    return max(1, int(schema.get("minimum", 1)))


_MADE: Final = MappingProxyType(
    {
        "object": _object,
        "array": _array,
        "string": _string,
        "integer": _integer,
        "boolean": lambda *_: True,
        "null": lambda *_: None,
        None: lambda *_: "one",
    }
)
