"""Describe input schemas as JSON Schema: exactly as narrow as they check."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import fields

from service.api.descriptions import CONSTANTS, field_text, record_text
from service.api.fields import (
    ChoiceField,
    ComponentField,
    IntegerField,
    ListField,
    MappingField,
    TextField,
    TupleField,
    UnionField,
)
from service.api.schemas import KindField, StrictSchema
from service.api.shapes import Schema, one_of, tuple_of
from service.record.text import DIRECTIONS
from service.rules.kernel.hints import fields_of
from service.rules.kernel.meaning import Meaning

VERSION: Final = "3.1.0"
"""OpenAPI 3.1, whose schemas are JSON Schema 2020-12."""


@cache
def json_schemas(kind: type[StrictSchema]) -> dict[str, Schema]:
    """Return the JSON Schema of *kind* and of every schema nested in it, by component name."""
    plugin = MarshmallowPlugin(schema_name_resolver=_name)
    spec = APISpec(title="", version="", openapi_version=VERSION, plugins=[plugin])
    converter = plugin.converter
    assert converter is not None
    _teach(converter)
    spec.components.schema(_name(kind), schema=kind)
    made: dict[str, Schema] = spec.to_dict()["components"]["schemas"]
    records = {_name(key[0]): key[0].record for key in converter.refs} | {_name(kind): kind.record}
    return {name: _closed(schema, records[name]) for name, schema in made.items()}


def _closed(schema: Schema, record: Any) -> Schema:
    """Return *schema*, described as its *record* is, if it has one, and without further members."""
    text = record_text(record) if record is not None else ""
    described = {"description": text} if text else {}
    return {**described, **schema, "additionalProperties": False}


def json_schema(kind: type[StrictSchema]) -> Schema:
    """Return the self-contained JSON Schema of *kind*, with nested schemas in its `$defs`."""
    made = json_schemas(kind)
    own: Schema = _inline(made[_name(kind)])
    rest = {name: _inline(schema) for name, schema in made.items() if name != _name(kind)}
    return own | ({"$defs": rest} if rest else {})


def _inline(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: value.replace("#/components/schemas/", "#/$defs/") if key == "$ref" else _inline(value)
            for key, value in schema.items()
        }
    return [_inline(item) for item in schema] if isinstance(schema, list) else schema


def _name(schema: Any) -> str:
    kind = schema if isinstance(schema, type) else type(schema)
    return str(kind.__name__)


def _teach(converter: OpenAPIConverter) -> None:
    """Make *converter* describe the exact bounds that the fields check, and say what they mean."""

    def say(_: OpenAPIConverter, field: fields.Field[Any], **__: object) -> Schema:
        text = _text(field)
        return {"description": text} if text else {}

    def narrow(self: OpenAPIConverter, field: fields.Field[Any], **_: object) -> Schema:
        if isinstance(field, TupleField):
            made = tuple_of([self.field2property(part) for part in field.tuple_fields])
            return {**made, "type": ["array", "null"]} if field.allow_none else made
        if isinstance(field, UnionField):
            nothing = [{"type": "null"}] if field.allow_none else []
            return {"anyOf": [*(self.field2property(way) for way in field.ways), *nothing]}
        if isinstance(field, KindField):
            refs = {tag: self.resolve_nested_schema(each) for tag, each in field.kinds.items()}  # type: ignore[no-untyped-call]  # apispec left it untyped
            return one_of(field.tag, refs)
        return _bounds(field)

    converter.add_attribute_function(say)  # type: ignore[no-untyped-call]  # apispec left it untyped
    converter.add_attribute_function(narrow)  # type: ignore[no-untyped-call]  # apispec left it untyped


def _text(field: fields.Field[Any]) -> str:
    """Return the description of a field of a record's schema, empty for any other field."""
    schema = field.parent
    if not isinstance(schema, StrictSchema) or schema.record is None:
        return ""
    found = next((each for each in fields_of(schema.record) if each.name == field.name), None)
    return CONSTANTS[str(field.name)] if found is None else field_text(schema.record, found)


def _bounds(field: fields.Field[Any]) -> Schema:
    if isinstance(field, TextField):
        return _of_text(field)
    if isinstance(field, IntegerField):
        return bounds_of_number(field.meaning)
    if isinstance(field, ChoiceField):
        values = [*field.values, None] if field.allow_none else list(field.values)
        return {"enum": values} if len(values) > 1 else {"const": values[0]}
    if isinstance(field, ComponentField):
        return {"$ref": f"#/components/schemas/{field.component}"}
    if isinstance(field, ListField | MappingField):
        return _of_count(field)
    return {}


def bounds_of_number(meaning: Meaning) -> Schema:
    """Return the bounds of a number as JSON Schema."""
    found = {"minimum": meaning.least, "maximum": meaning.most, "multipleOf": meaning.step}
    return {name: value for name, value in found.items() if value is not None}


def _of_count(field: ListField | MappingField) -> Schema:
    """Return the bounds of the count of a list or an object, and what the names of an object are."""
    what = "Items" if isinstance(field, ListField) else "Properties"
    found: Schema = {f"min{what}": field.meaning.fewest, f"max{what}": field.meaning.count}
    if isinstance(field, MappingField):
        found["propertyNames"] = _bounds(field.names)
    return {name: value for name, value in found.items() if value is not None}


def _of_text(field: TextField) -> Schema:
    """Return the length and pattern of a text field, which refuses some more characters than the pattern."""
    meaning = field.meaning
    refused = "\\x00-\\x08\\x0b-\\x1f" if meaning.lines else "\\x00-\\x1f"
    pattern = f"^{meaning.pattern}$" if meaning.pattern else f"^[^{refused}\\x7f-\\x9f{DIRECTIONS}]*$"
    least = {"minLength": meaning.least} if meaning.least else {}
    most = {} if meaning.most is None else {"maxLength": meaning.most}
    return {**least, **most, "pattern": pattern}
