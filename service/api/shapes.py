"""JSON Schemas that describe answers: plain values, lists, closed objects, pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from service.frames import caller

Schema = dict[str, Any]

HASH: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
NUMBER: Final[Schema] = {"type": "integer", "minimum": 0}
TEXT: Final[Schema] = {"type": "string"}
TRUTH: Final[Schema] = {"type": "boolean"}
UUID: Final[Schema] = {"type": "string", "format": "uuid"}
TIME: Final[Schema] = {"type": "string", "format": "date-time"}
SEAT: Final[Schema] = {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,23}$"}
OPEN: Final[Schema] = {"type": "object", "additionalProperties": True}


class Component(NamedTuple):
    """A named schema of the OpenAPI document, and what declares it."""

    schema: Schema
    home: str


class DuplicateComponent(Exception):
    """Two different schemas have one component name; the text names both and what declares them."""


COMPONENTS: Final[dict[str, Component]] = {}
"""The components of the OpenAPI document that describe answers, by name."""


def component(name: str, schema: Schema) -> Schema:
    """Register *schema* as the component *name* of the calling module and return a reference to it.

    A duplicate name fails at import.
    """
    home = f"an answer in {caller()}"
    if name in COMPONENTS:
        raise _duplicate(name, COMPONENTS[name].home, home)
    COMPONENTS[name] = Component(schema, home)
    return ref(name)


def add_components(made: dict[str, Component], added: Mapping[str, Component]) -> None:
    """Add *added* to *made*; raises `DuplicateComponent` if a name already has another schema."""
    for name, each in added.items():
        known = made.setdefault(name, each)
        if known.schema != each.schema:
            raise _duplicate(name, known.home, each.home)


def _duplicate(name: str, first: str, second: str) -> DuplicateComponent:
    return DuplicateComponent(f"two components are called {name}: {first}, and {second}; rename one")


def ref(name: str) -> Schema:
    """Return a reference to the component *name*."""
    return {"$ref": f"#/components/schemas/{name}"}


def listing(each: Schema) -> Schema:
    """Return the schema of a list of *each*."""
    return {"type": "array", "items": each}


def numbers(count: int) -> Schema:
    """Return the schema of a list of *count* whole numbers."""
    return {"type": "array", "items": {"type": "integer"}, "minItems": count, "maxItems": count}


def maybe(schema: Schema) -> Schema:
    """Return the schema of a value or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def either(*ways: Schema) -> Schema:
    """Return the schema of a value that fits one of *ways*; alternatives inside them become its own."""
    flat: list[Schema] = []
    for way in ways:
        flat += [each for each in (way["anyOf"] if way.keys() == {"anyOf"} else [way]) if each not in flat]
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


def choice(values: tuple[Any, ...]) -> Schema:
    """Return the schema of one of *values*."""
    return {"enum": list(values)} if len(values) > 1 else {"const": values[0]}


def tuple_of(parts: list[Schema]) -> Schema:
    """Return the schema of a list with one item of each of *parts*.

    `items` describes the items again, for tools that do not know `prefixItems`.
    """
    return {
        "type": "array",
        "prefixItems": parts,
        "items": either(*parts),
        "minItems": len(parts),
        "maxItems": len(parts),
    }


def one_of(name: str, members: Mapping[str, Schema]) -> Schema:
    """Return the schema of one of *members*, which are references and selected by the member *name*."""
    return {
        "oneOf": list(members.values()),
        "discriminator": {
            "propertyName": name,
            "mapping": {value: member["$ref"] for value, member in members.items()},
        },
    }


def closed(text: str, optional: Mapping[str, Schema] | None = None, /, **needed: Schema) -> Schema:
    """Return the schema of an object with the members *needed*, perhaps those *optional*, and no others."""
    properties = {name: dict(schema) for name, schema in (*needed.items(), *(optional or {}).items())}
    return {
        "type": "object",
        "description": text,
        "properties": properties,
        "required": list(needed),
        "additionalProperties": False,
    }


def page(text: str, name: str, each: Schema) -> Schema:
    """Return the schema of one page of a list called *name*."""
    return closed(text, **{name: listing(each), "next_cursor": maybe(TEXT)})


_DATA: Final = ("const", "default", "enum", "example", "examples", "required", "value", "x-event-data")
"""Members of a document whose values are data, not schemas."""


def with_objects(part: Any, change: Callable[[Schema], Schema], *, is_of_names: bool = False) -> Any:
    """Return *part* of a document with each of its objects as *change* returns it, the innermost first.

    Each member of an object that *is_of_names* is a schema, whatever it is called, and *change* does not see
    that object.
    """
    if isinstance(part, list):
        return [with_objects(each, change) for each in part]
    if not isinstance(part, dict):
        return part
    made = {
        name: each
        if name in _DATA and not is_of_names
        else with_objects(each, change, is_of_names=name == "properties" and not is_of_names)
        for name, each in part.items()
    }
    return made if is_of_names else change(made)
