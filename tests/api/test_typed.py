"""Everything in the contract is typed and described: no schema, no property without a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import pytest

from service.api import openapi
from service.api.descriptions import field_docstrings
from service.api.inputs import component_name
from service.rules.kernel.declared import declared_in
from service.rules.kernel.hints import Alternatives, fields_of
from service.rules.registry import REGISTRY
from service.rules.table.table import Table
from tests.api.client import fast_validator

FREE: Final = {
    "Audit.certificate": "the format of certificates has a page of its own",
    "CommandTypes.commands.schema": "it is a JSON Schema",
    "ConvertedFile.part": "its members are those of the edition's opening, which has a schema of its own",
    "Import.certificate": "as an audit's",
    "SheetSchema.schema": "it is a JSON Schema",
}
"""Objects of any members, and why."""
DATA: Final = ("examples", "discriminator", "const", "enum", "required", "default")
Schema = dict[str, Any]


@cache
def schemas() -> dict[str, Schema]:
    found: dict[str, Schema] = openapi.document()["components"]["schemas"]
    return found


def parts(schema: Any, at: str) -> Iterator[tuple[str, Schema]]:
    """Yield *schema* and every schema in it, each with the path of members to it."""
    if isinstance(schema, list):
        for each in schema:
            yield from parts(each, at)
    elif isinstance(schema, dict):
        yield at, schema
        for key, value in schema.items():
            if key == "properties":
                for name, each in value.items():
                    yield from parts(each, f"{at}.{name}")
            elif key not in DATA:
                yield from parts(value, at)


def every_part() -> Iterator[tuple[str, Schema]]:
    for name, schema in schemas().items():
        yield from parts(schema, name)


def test_every_schema_has_a_description() -> None:
    assert len(schemas()) > 1_000
    assert [name for name, schema in schemas().items() if not schema.get("description")] == []


def test_every_property_has_a_description() -> None:
    found = [
        (f"{at}.{name}", each)
        for at, schema in every_part()
        for name, each in schema.get("properties", {}).items()
    ]
    assert len(found) > 4_500
    assert [at for at, each in found if not each.get("description")] == []


def test_descriptions_are_sentences() -> None:
    texts = {
        each["description"] for _, schema in every_part() for each in schema.get("properties", {}).values()
    }
    assert [text for text in texts if not text[0].isupper() and text[0] not in "`0123456789"] == []
    assert [text for text in texts if text[-1] not in ".:"] == []


def test_no_object_is_without_types_but_those_that_say_why() -> None:
    found = {
        at
        for at, schema in every_part()
        if schema.get("type") == "object"
        and "properties" not in schema
        and schema.get("additionalProperties", True) is True
    }
    assert found == set(FREE)


@pytest.mark.parametrize("edition", REGISTRY)
def test_states_events_and_commands_are_selected_by_edition_and_type(edition: str) -> None:
    ruleset, name = REGISTRY[edition], component_name(edition)
    assert schemas()[f"{name}State"]["properties"]["edition"]["enum"] == [edition]
    assert schemas()["EditionState"]["discriminator"]["mapping"][edition].endswith(f"/{name}State")
    commands = set(ruleset.commands) - {ruleset.opening.type}
    for union, types in (("Event", set(ruleset.events)), ("Command", commands)):
        selected = schemas()[f"{name}{union}"]["discriminator"]
        assert (selected["propertyName"], set(selected["mapping"])) == ("type", types)
        for type_, at in selected["mapping"].items():
            assert schemas()[at.rpartition("/")[2]]["properties"]["type"]["enum"] == [type_]


def test_a_value_that_may_be_sealed_is_of_two_types() -> None:
    ways = schemas()["Heartrush1ParticipantView"]["properties"]["stance"]["anyOf"]
    assert {"$ref": "#/components/schemas/Sealed"} in ways
    assert {"type": "string"} in ways


def test_docstrings_of_fields_are_read_from_the_sources_of_bases_too() -> None:
    state: Any = type(REGISTRY["rise@1"].blank)
    assert field_docstrings(state)["undisclosed_epochs"] == field_docstrings(Table)["undisclosed_epochs"]
    assert field_docstrings(state)["step"] == "Which of the eleven steps of the round is at hand."


@pytest.mark.parametrize("edition", REGISTRY)
def test_no_field_says_again_what_its_type_says(edition: str) -> None:
    ruleset = REGISTRY[edition]
    kinds = [*_any(ruleset.commands), *_any(ruleset.events), type(ruleset.blank)]
    found = list(declared_in(kinds, ruleset.families))
    assert len(found) > 1_000
    again = [
        str(each)
        for each in found
        if field_docstrings(each.record).get(each.field.name, "-") == each.field.shape.meaning.said
    ]
    assert again == []


def _any(commands: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the classes of *commands*; the cache of fields takes no class of a generic type."""
    yield from commands.values()


def test_a_field_that_may_be_null_is_so_in_the_contract() -> None:
    """An offer sends null for `follow` of a push; a client that is made of the contract has to take it."""
    found = [
        f"{component_name(edition)}{kind.__name__}/properties/{field.name}"
        for edition, ruleset in REGISTRY.items()
        for kind in _any(ruleset.commands)
        for field in fields_of(kind)
        if isinstance(field.shape, Alternatives) and field.shape.optional
    ]
    assert len(found) > 60
    assert [name for name in found if not fast_validator(f"#/components/schemas/{name}").is_valid(None)] == []
