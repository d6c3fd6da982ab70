"""The API takes each field at its bounds, refuses what is beyond with both, and the contract says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import marshmallow
import pytest

from service.api import resources
from service.api.fields import (
    IntegerField,
    ListField,
    MappingField,
    TextField,
    TupleField,
    UnionField,
)
from service.api.inputs import inputs_of
from service.api.openapi import document
from service.api.operations import OPERATIONS
from service.api.schemas import KindField, StrictSchema, faults
from service.rules.kernel.hints import RecordObject
from service.rules.registry import REGISTRY
from tests.support.bounds import ENDS, End, cases, value_of


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("edition", REGISTRY)
def test_each_field_of_a_command_is_taken_at_its_bounds(edition: str, end: End) -> None:
    ruleset = REGISTRY[edition]
    for tag, schema in inputs_of(ruleset).commands.items():
        data = value_of(RecordObject(ruleset.commands[tag]), end, ruleset.families)
        assert faults(schema, {"type": tag, **data}) == []


@pytest.mark.parametrize("edition", REGISTRY)
def test_beyond_its_bounds_no_field_of_a_command_is_taken_and_both_are_named(edition: str) -> None:
    ruleset = REGISTRY[edition]
    for tag, schema in inputs_of(ruleset).commands.items():
        shape = RecordObject(ruleset.commands[tag])
        data = value_of(shape, "least", ruleset.families)
        for case in cases(shape, data, ruleset.families):
            found = dict(faults(schema, {"type": tag, **case.data}))
            assert case.expected in found.get(case.pointer, ""), (tag, case.pointer)


def _parts(field: marshmallow.fields.Field[Any], seen: set[Any]) -> Iterator[marshmallow.fields.Field[Any]]:
    """Yield *field* and every field in it."""
    yield field
    inside: list[Any] = []
    if isinstance(field, ListField):
        inside = [field.inner]
    elif isinstance(field, TupleField):
        inside = list(field.tuple_fields)
    elif isinstance(field, MappingField):
        inside = [field.names, field.each]
    elif isinstance(field, UnionField):
        inside = list(field.ways)
    elif isinstance(field, KindField):
        inside = [each for schema in field.kinds.values() for each in _fields(schema, seen)]
    elif isinstance(field, marshmallow.fields.Nested):
        inside = list(_fields(field.schema, seen))
    for each in inside:
        yield from _parts(each, seen)


def _fields(schema: Any, seen: set[Any]) -> Iterator[marshmallow.fields.Field[Any]]:
    if type(schema) not in seen:
        seen.add(type(schema))
        yield from schema.fields.values()


def test_every_body_of_a_request_has_bounds() -> None:
    resources.load()
    bodies: list[StrictSchema] = [
        each.body for each in OPERATIONS.all.values() if isinstance(each.body, StrictSchema)
    ]
    bodies += [schema for ruleset in REGISTRY.values() for schema in inputs_of(ruleset).commands.values()]
    bodies += [inputs_of(ruleset).opening for ruleset in REGISTRY.values()]
    seen: set[Any] = set()
    count = 0
    for body in bodies:
        for field in _fields(body, seen):
            for part in _parts(field, seen):
                count += 1
                where = f"{type(body).__name__}.{field.name}"
                if isinstance(part, TextField | IntegerField):
                    assert part.meaning.is_bounded, where
                elif isinstance(part, ListField | MappingField):
                    assert part.meaning.count is not None, where
    assert count > 500
    assert len(bodies) > 100


def test_the_contract_says_the_bounds() -> None:
    schemas = document()["components"]["schemas"]
    sheet = schemas["HeartrushSheet"]["properties"]
    assert (sheet["speed"]["minimum"], sheet["speed"]["maximum"]) == (0, 120)
    assert (sheet["lantern_ft"]["maximum"], sheet["lantern_ft"]["multipleOf"]) == (60, 5)
    assert (sheet["name"]["maxLength"], sheet["weapons"]["maxItems"]) == (200, 40)
    scenery = schemas["HeartrushScenery"]["properties"]
    assert scenery["heights"]["maxProperties"] == 2_000
    assert scenery["heights"]["propertyNames"]["maxLength"] == 11
