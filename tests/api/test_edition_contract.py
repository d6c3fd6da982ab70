"""Each edition has a contract of its own: whole for a client of that book, and small."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

import jsonschema_rs
import pytest
import yaml
from openapi_spec_validator import validate

import rewound_duel
from service.api import edition_contract, openapi
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset
from tests.api.client import Api, is_problem
from tests.api.test_contract import openapi_schema

RULESETS: Final[dict[str, Ruleset[Any]]] = {
    **REGISTRY,
    rewound_duel.DUEL.edition: rewound_duel.DUEL,
}
MOST: Final = {"heartrush@1": 600_000, "rise@1": 425_000, "duel@1": 250_000}
"""Bytes of YAML: a generator reads all of it."""
MOST_WRITTEN_OUT: Final = {"heartrush@1": 1_000_000, "rise@1": 430_000, "duel@1": 60_000}
"""Objects and lists, with every reference written out: mock servers do so before they start."""


@cache
def contract(edition: str) -> Any:
    return edition_contract.document(RULESETS[edition])


@pytest.mark.parametrize("edition", RULESETS)
def test_it_is_openapi_and_everything_that_it_refers_to_is_there(edition: str) -> None:
    made = contract(edition)
    validate(made)
    jsonschema_rs.Draft202012Validator(openapi_schema()).validate(made)
    text = json.dumps(made)
    for kind, name in set(re.findall(r'"#/components/(\w+)/([\w.-]+)"', text)):
        assert name in made["components"][kind]
    for kind, members in made["components"].items():
        for name in members:
            is_scheme = kind == "securitySchemes"
            assert is_scheme or f'"#/components/{kind}/{name}"' in text, f"nothing refers to {name}"


@pytest.mark.parametrize("edition", RULESETS)
def test_it_is_small_and_has_nothing_of_other_books(edition: str) -> None:
    made = contract(edition)
    text = edition_contract.as_yaml(made)
    assert yaml.load(text, yaml.CSafeLoader) == made
    assert len(text.encode()) <= MOST[edition]
    others = {other.partition("@")[0] for other in RULESETS if other != edition}
    assert not [name for name in made["components"]["schemas"] if name.lower().startswith((*others,))]


@pytest.mark.parametrize("edition", RULESETS)
def test_it_stays_small_with_every_reference_written_out(edition: str) -> None:
    assert written_out(contract(edition)) <= MOST_WRITTEN_OUT[edition]


def written_out(made: Any) -> int:
    """Return how many objects and lists *made* has with every reference written out, but in itself."""
    known: dict[str, int] = {}
    within: list[str] = []

    def count(part: Any) -> int:
        if isinstance(part, list):
            return 1 + sum(map(count, part))
        if not isinstance(part, dict):
            return 0
        name = part.get("$ref")
        if not isinstance(name, str):
            return 1 + sum(map(count, part.values()))
        if name in within:
            return 1
        if name not in known:
            _, _, kind, member = name.split("/")
            within.append(name)
            known[name] = count(made["components"][kind][member])
            within.pop()
        return known[name]

    return count(made)


@pytest.mark.parametrize("edition", RULESETS)
def test_an_operation_has_one_answer_for_all_problems(edition: str) -> None:
    made = contract(edition)
    assert {*made["components"]["responses"]} == {"Problem"}
    for item in made["paths"].values():
        for operation in item.values():
            statuses = {*operation["responses"]} - {"default"}
            assert all(status < "400" for status in statuses)
            assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}


@pytest.mark.parametrize("edition", REGISTRY)
def test_it_has_every_command_event_and_operation_of_a_fight(edition: str) -> None:
    made, whole = contract(edition), openapi.document({edition: RULESETS[edition]})
    name = edition.partition("@")[0].capitalize()
    for union in (f"{name}1Command", f"{name}1Event"):
        unions = (each["components"]["schemas"][union] for each in (whole, made))
        there, here = (each["discriminator"]["mapping"] for each in unions)
        assert {*here} == {*there}
    of_fights = {path for path in whole["paths"] if path.startswith("/v1/encounters")}
    assert of_fights <= {*made["paths"]}
    for path in of_fights:
        for method, operation in whole["paths"][path].items():
            names = [each["name"] for each in operation.get("parameters", ())]
            found = made["paths"][path][method].get("parameters", ())
            assert [shared(made, each)["name"] for each in found] == names


def shared(made: Any, part: Any) -> Any:
    """Return a parameter, itself where it is a component."""
    return made["components"]["parameters"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part


@pytest.mark.parametrize("edition", REGISTRY)
def test_its_schemas_take_what_the_whole_contract_takes(edition: str) -> None:
    made, whole = contract(edition), openapi.document({edition: RULESETS[edition]})
    schema = {"$ref": "#/components/schemas/Command", "components": made["components"]}
    validator = jsonschema_rs.Draft202012Validator(schema)
    union = whole["components"]["schemas"][f"{edition.partition('@')[0].capitalize()}1Command"]
    names = [each["$ref"].rpartition("/")[2] for each in union["oneOf"]]
    examples = [whole["components"]["schemas"][name]["examples"][0] for name in names]
    assert len(examples) > 50
    for example in examples:
        validator.validate(example)
        assert not validator.is_valid({**example, "of_no_book": 1})


def test_the_service_gives_it_for_each_edition_that_it_has(api: Api) -> None:
    found = api("GET", "/v1/rulesets/heartrush@1/openapi.yaml")
    assert (found.status_code, found.headers["Content-Type"]) == (200, "application/yaml")
    assert yaml.load(found.text, yaml.CSafeLoader) == contract("heartrush@1")
    tag = found.headers["ETag"]
    assert api("GET", "/v1/rulesets/heartrush@1/openapi.yaml", If_None_Match=tag).status_code == 304
    is_problem(api("GET", "/v1/rulesets/heartrush@2/openapi.yaml"), 404, "not-found")
