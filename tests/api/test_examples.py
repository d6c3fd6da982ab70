"""The contract shows examples of commands and request bodies, and each is one that its schema takes."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from service.api.inputs import inputs_of
from service.api.openapi import document
from service.api.operations import Operation
from service.api.schemas import StrictSchema, faults
from service.rules.registry import REGISTRY
from tests.api.declared import body, operations


@pytest.mark.parametrize("edition", list(REGISTRY))
def test_every_command_has_an_example_that_is_taken(edition: str) -> None:
    components = document()["components"]
    inputs = inputs_of(REGISTRY[edition])
    assert len(inputs.commands) > 20
    for tag, schema in inputs.commands.items():
        name = type(schema).__name__
        examples = components["schemas"][name]["examples"]
        assert examples, name
        validator = Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": components})
        for each in examples:
            assert each["type"] == tag
            assert [fault.message for fault in validator.iter_errors(each)] == [], json.dumps(each)
            assert list(faults(schema, each)) == [], json.dumps(each)


@pytest.mark.parametrize(
    "each", [each for each in operations() if isinstance(each.body, StrictSchema)], ids=lambda each: each.id
)
def test_the_example_of_a_request_body_is_taken(each: Operation) -> None:
    assert isinstance(each.body, StrictSchema)
    assert faults(each.body, body(each)) == []
    shown = document()["components"]["schemas"][type(each.body).__name__]
    assert all(faults(each.body, one) == [] for one in shown.get("examples", ()))
