"""JSON Schemas that describe answers: plain values, lists, closed objects, pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Schema = dict[str, Any]

HASH: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
NUMBER: Final[Schema] = {"type": "integer", "minimum": 0}
TEXT: Final[Schema] = {"type": "string"}
TRUTH: Final[Schema] = {"type": "boolean"}
UUID: Final[Schema] = {"type": "string", "format": "uuid"}
TIME: Final[Schema] = {"type": "string", "format": "date-time"}
SEAT: Final[Schema] = {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,23}$"}
OPEN: Final[Schema] = {"type": "object"}


COMPONENTS: Final[dict[str, Schema]] = {}
"""The components of the OpenAPI document that describe answers, by name."""


def component(name: str, schema: Schema) -> Schema:
    """Register *schema* as the component *name* and return a reference; a duplicate name fails at import."""
    assert name not in COMPONENTS, f"two components are called {name}"
    COMPONENTS[name] = schema
    return ref(name)


def ref(name: str) -> Schema:
    """Return a reference to the component *name*."""
    return {"$ref": f"#/components/schemas/{name}"}


def listing(each: Schema) -> Schema:
    """Return the schema of a list of *each*."""
    return {"type": "array", "items": each}


def maybe(schema: Schema) -> Schema:
    """Return the schema of a value or null."""
    return {"anyOf": [schema, {"type": "null"}]}


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
