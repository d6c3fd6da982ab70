"""The contract shows an example of every command of both rulesets, and each is one that its schema takes."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from service.api.inputs import inputs_of
from service.api.openapi import document
from service.api.schemas import faults
from service.rules.shelf import SHELF


@pytest.mark.parametrize("edition", list(SHELF))
def test_every_command_has_an_example_that_is_taken(edition: str) -> None:
    components = document()["components"]
    inputs = inputs_of(SHELF[edition])
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
