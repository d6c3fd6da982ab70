"""Describe records that answers have whole as JSON Schema, each inside the schema of the answer.

A field's type, its pattern, a least value of 0 and its text come from its declaration.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, Final

from service.api.descriptions import field_text, record_text
from service.api.shapes import Schema, closed, either, listing
from service.rules.kernel.hints import (
    Alternatives,
    AnyList,
    Choice,
    FixedList,
    RecordObject,
    Scalar,
    Shape,
    fields_of,
)

_TYPES: Final[Mapping[type, str]] = types.MappingProxyType({str: "string", int: "integer", bool: "boolean"})


def record_schema(kind: type) -> Schema:
    """Return the schema of the record *kind*, with all of its fields."""
    return closed(record_text(kind), **members_of(kind))


def members_of(kind: type) -> dict[str, Schema]:
    """Return the schema of each field of the record *kind*, by its name."""
    found = {}
    for field in fields_of(kind):
        text = field_text(kind, field)
        found[field.name] = {**_schema_of(field.shape), **({"description": text} if text else {})}
    return found


def _schema_of(shape: Shape) -> Schema:
    return _WAYS[type(shape)](shape)


def _scalar(shape: Scalar) -> Schema:
    meaning = shape.meaning
    return {
        "type": _TYPES[shape.kind],
        **({"pattern": f"^{meaning.pattern}$"} if meaning.pattern else {}),
        **({"minimum": 0} if shape.kind is int and meaning.least == 0 else {}),
    }


def _alternatives(shape: Alternatives) -> Schema:
    made = either(*map(_schema_of, shape.ways))
    return either(made, {"type": "null"}) if shape.optional else made


def _fixed(shape: FixedList) -> Schema:
    count = len(shape.items)
    items = either(*map(_schema_of, shape.items))
    return {"type": "array", "items": items, "minItems": count, "maxItems": count}


_WAYS: Final[Mapping[type[Shape], Callable[[Any], Schema]]] = types.MappingProxyType(
    {
        Scalar: _scalar,
        Choice: lambda shape: {"enum": list(shape.values)},
        Alternatives: _alternatives,
        AnyList: lambda shape: listing(_schema_of(shape.each)),
        FixedList: _fixed,
        RecordObject: lambda shape: record_schema(shape.kind),
    }
)
"""The schema of each shape that such records have."""
