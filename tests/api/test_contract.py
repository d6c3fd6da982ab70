"""The contract is valid, committed and kept; what it promises stands here by hand, too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from importlib.resources import files
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import jsonschema_rs
import pytest
import yaml
from openapi_spec_validator import validate

from service.api import openapi
from service.api.operations import Operation
from service.api.problems import PROBLEMS
from service.rules.registry import REGISTRY
from tests.api.client import Api, Table, contract
from tests.api.declared import operations

ROOT = Path(__file__).parents[2]

PROMISES: list[tuple[str, str, int, str | None]] = [
    ("POST", "/v1/encounters", 201, None),
    ("POST", "/v1/encounters", 202, None),
    ("POST", "/v1/encounters", 422, "invalid"),
    ("POST", "/v1/encounters", 422, "idempotency-key-reused"),
    ("POST", "/v1/encounters", 400, "not-strict-json"),
    ("POST", "/v1/encounters", 413, "body-too-large"),
    ("GET", "/v1/encounters", 200, None),
    ("GET", "/v1/encounters", 401, "unauthenticated"),
    ("GET", "/v1/encounters/{encounter}", 200, None),
    ("GET", "/v1/encounters/{encounter}", 304, None),
    ("GET", "/v1/encounters/{encounter}", 404, "not-found"),
    ("DELETE", "/v1/encounters/{encounter}", 200, None),
    ("DELETE", "/v1/encounters/{encounter}", 403, "forbidden"),
    ("POST", "/v1/encounters/{encounter}/seats", 201, None),
    ("GET", "/v1/encounters/{encounter}/seats", 200, None),
    ("PATCH", "/v1/encounters/{encounter}/seats/{seat}", 200, None),
    ("DELETE", "/v1/encounters/{encounter}/seats/{seat}", 200, None),
    ("POST", "/v1/encounters/{encounter}/seats/{seat}/token", 201, None),
    ("POST", "/v1/encounters/{encounter}/commands", 200, None),
    ("POST", "/v1/encounters/{encounter}/commands", 202, None),
    ("POST", "/v1/encounters/{encounter}/commands", 409, "command-refused"),
    ("POST", "/v1/encounters/{encounter}/commands", 412, "version-mismatch"),
    ("POST", "/v1/encounters/{encounter}/commands", 422, "idempotency-key-reused"),
    ("POST", "/v1/encounters/{encounter}/commands", 422, "invalid"),
    ("POST", "/v1/encounters/{encounter}/commands", 415, "unsupported-media-type"),
    ("POST", "/v1/encounters/{encounter}/commands", 503, "store-unavailable"),
    ("POST", "/v1/encounters/{encounter}/commands", 504, "outcome-unknown"),
    ("POST", "/v1/encounters/{encounter}/commands", 507, "store-full"),
    ("GET", "/v1/encounters/{encounter}/commands", 200, None),
    ("GET", "/v1/encounters/{encounter}/commands/{n}", 200, None),
    ("GET", "/v1/encounters/{encounter}/commands/{n}", 202, None),
    ("GET", "/v1/encounters/{encounter}/state", 200, None),
    ("GET", "/v1/encounters/{encounter}/state", 304, None),
    ("GET", "/v1/encounters/{encounter}/options", 200, None),
    ("GET", "/v1/encounters/{encounter}/commits", 200, None),
    ("GET", "/v1/encounters/{encounter}/commits", 429, "too-many-streams"),
    ("POST", "/v1/encounters/{encounter}/tickets", 201, None),
    ("GET", "/v1/encounters/{encounter}/commits/{n}/explanation", 200, None),
    ("GET", "/v1/encounters/{encounter}/rounds", 200, None),
    ("GET", "/v1/encounters/{encounter}/rounds/{round}", 200, None),
    ("GET", "/v1/encounters/{encounter}/rounds/{round}/replay", 200, None),
    ("GET", "/v1/encounters/{encounter}/rolls", 200, None),
    ("POST", "/v1/encounters/{encounter}/audits", 202, None),
    ("GET", "/v1/encounters/{encounter}/audits/{audit}", 200, None),
    ("GET", "/v1/rulesets", 200, None),
    ("GET", "/v1/rulesets/{edition}", 200, None),
    ("GET", "/v1/rulesets/{edition}/commands", 200, None),
    ("GET", "/v1/rulesets/{edition}/rules/{rule}", 200, None),
    ("GET", "/v1/keys", 200, None),
    ("GET", "/livez", 200, None),
    ("GET", "/readyz", 200, None),
    ("GET", "/readyz", 503, None),
    ("GET", "/problems/{code}", 200, None),
    ("GET", "/openapi.yaml", 200, None),
    ("GET", "/docs", 200, None),
]


@pytest.mark.parametrize(("method", "path", "status", "code"), PROMISES)
def test_the_contract_promises(method: str, path: str, status: int, code: str | None) -> None:
    responses = contract()["paths"][path][method.lower()]["responses"]

    assert str(status) in responses
    if code is not None:
        assert PROBLEMS[code].status == status
        answer = openapi.response_of(contract(), path, method.lower(), str(status))
        assert f"(/problems/{code})" in answer["description"]


def schemas_in(part: Any, *, is_of_names: bool = False) -> Iterator[dict[str, Any]]:
    """Yield every schema and other object in *part* of the contract, without examples and defaults."""
    if isinstance(part, list):
        for each in part:
            yield from schemas_in(each)
    elif isinstance(part, dict):
        if not is_of_names:
            yield part
        for name, each in part.items():
            if is_of_names or name not in ("example", "examples", "default", "value"):
                yield from schemas_in(each, is_of_names=name == "properties" and not is_of_names)


def test_every_list_of_values_has_a_type_and_one_value_is_a_list_of_one() -> None:
    listed = [each for each in schemas_in(contract()) if "enum" in each]
    assert len(listed) > 1_000
    assert [each for each in listed if "type" not in each] == []
    assert [each for each in schemas_in(contract()) if "const" in each] == []


def test_every_response_with_a_problem_stands_in_the_contract_once() -> None:
    shared = contract()["components"]["responses"]
    assert len(shared) == len({json.dumps(each) for each in shared.values()})
    for item in contract()["paths"].values():
        for operation in item.values():
            for each in operation["responses"].values():
                assert "application/problem+json" not in each.get("content", ())


def test_if_match_is_listed_where_it_has_an_effect() -> None:
    listed = refused = 0
    for path, item in openapi.document()["paths"].items():
        for method, operation in item.items():
            takes = any(each["name"] == "If-Match" for each in operation.get("parameters", ()))
            assert takes == ("412" in operation["responses"]), f"{method} {path}"
            listed, refused = listed + takes, refused + ("412" in operation["responses"])
    assert listed == refused > 10


def names_used(code: CodeType) -> Iterator[str]:
    """Yield the names of globals and attributes that *code* and the functions inside it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_used(constant)


def reads_preference(function: FunctionType, seen: set[FunctionType]) -> bool:
    """Return whether *function*, or a function of the API that it uses, reads the preference of a request."""
    if function in seen:
        return False
    seen.add(function)
    names = set(names_used(function.__code__))
    used = (function.__globals__.get(name) for name in names)
    return "preference" in names or any(
        reads_preference(each, seen)
        for each in used
        if isinstance(each, FunctionType) and each.__module__.startswith("service.api.")
    )


@pytest.mark.parametrize("each", operations(), ids=lambda each: each.id)
def test_an_operation_lists_prefer_if_and_only_if_it_reads_it(each: Operation) -> None:
    handler = unwrap(each.handler)
    assert isinstance(handler, FunctionType)
    listed = contract()["paths"][each.path][each.method.lower()].get("parameters", [])
    assert ("Prefer" in [one["name"] for one in listed]) == reads_preference(handler, set())


def openapi_schema() -> dict[str, Any]:
    """Return the JSON Schema of OpenAPI 3.1, in which each schema object is one of the draft 2020-12."""
    home = files("openapi_spec_validator").joinpath("resources", "schemas", "v3.1", "schema.json")
    found: dict[str, Any] = json.loads(home.read_text("utf-8"))
    found["$defs"]["schema"] = {
        "$dynamicAnchor": "meta",
        "$ref": "https://json-schema.org/draft/2020-12/schema",
    }
    return found


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in the document *value* that is no data of an example."""
    if isinstance(value, dict):
        yield value
        for name, each in value.items():
            if name not in ("examples", "mapping", "enum", "const", "default"):
                yield from objects(each)
    elif isinstance(value, list):
        for each in value:
            yield from objects(each)


def test_the_contract_is_valid_openapi() -> None:
    made = openapi.document()
    validator = jsonschema_rs.Draft202012Validator(openapi_schema())
    validator.validate(made)
    for path, item in made["paths"].items():
        for method, operation in item.items():
            there = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "path"}
            assert there == set(re.findall(r"{(\w+)}", path)), f"{method} {path}"
    names = [operation["operationId"] for item in made["paths"].values() for operation in item.values()]
    assert len(names) == len(set(names))
    for each in objects(made):
        if isinstance(each.get("properties"), dict) and isinstance(each.get("required"), list):
            assert set(each["required"]) <= set(each["properties"])
        if isinstance(each.get("$ref"), str):
            found: Any = made
            for part in each["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            assert found


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("components", "schemas", "Problem", "type"), "objekt"),
        (("paths", "/livez", "get", "responses", "200", "description"), None),
        (("info",), {}),
    ],
)
def test_a_contract_that_is_not_openapi_is_seen(path: tuple[str, ...], wrong: object) -> None:
    made = deepcopy(openapi.document())
    *above, last = path
    place = made
    for name in above:
        place = place[name]
    place[last] = wrong
    assert not jsonschema_rs.Draft202012Validator(openapi_schema()).is_valid(made)


@pytest.mark.slow
@pytest.mark.overnight
def test_a_public_validator_finds_nothing() -> None:
    validate(openapi.document())


def test_the_committed_contract_is_the_generated_one() -> None:
    assert (ROOT / "openapi.yaml").read_text() == openapi.dump(REGISTRY), "run `rewound openapi`"


def test_the_served_contract_is_that_of_the_shelf(api: Api) -> None:
    assert yaml.load(api("GET", "/openapi.yaml").text, yaml.CSafeLoader) == contract()
    assert api("GET", "/openapi.json").json == contract()


def test_each_command_has_its_schema_selected_by_type() -> None:
    schemas = openapi.document()["components"]["schemas"]
    for edition, ruleset in REGISTRY.items():
        name = "".join(part.capitalize() for part in edition.split("@"))
        mapping = schemas[f"{name}Command"]["discriminator"]["mapping"]
        assert set(mapping) == set(ruleset.commands) - {ruleset.opening.type}
        for type_, place in mapping.items():
            assert schemas[place.rsplit("/", 1)[1]]["properties"]["type"]["enum"] == [type_]


def test_every_reference_leads_somewhere_and_every_component_is_used() -> None:
    text = openapi.dump()
    schemas = openapi.document()["components"]["schemas"]
    used = {part.split("'")[0].split("\n")[0].strip() for part in text.split("#/components/schemas/")[1:]}

    assert used <= set(schemas)
    assert set(schemas) <= used


def test_every_operation_tells_what_it_does() -> None:
    for path, item in openapi.document()["paths"].items():
        for method, operation in item.items():
            assert len(operation["summary"]) > 10, f"{method} {path}"
            assert operation["description"], f"{method} {path}"


def test_rulesets_are_told_as_they_are(api: Api, table: Table) -> None:
    for edition in ("heartrush@1", "tiny@1"):
        answer = api.get(f"/v1/rulesets/{edition}")
        commands = api.get(f"/v1/rulesets/{edition}/commands")["commands"]
        assert [each["type"] for each in commands] == [name for name in answer["commands"] if name != "open"]
        for rule in answer["rules"][:5]:
            assert api.get(f"/v1/rulesets/{edition}/rules/{rule['id']}") == rule
    assert api("GET", "/v1/rulesets/chess@1").status_code == 404
    assert api("GET", "/v1/rulesets/tiny@1/rules/HR-GEN-1").status_code == 404


def _patterns(data: object) -> Iterator[str]:
    if isinstance(data, dict):
        if isinstance(data.get("pattern"), str):
            yield data["pattern"]
        for each in data.values():
            yield from _patterns(each)
    elif isinstance(data, list):
        for each in data:
            yield from _patterns(each)


def _outside_groups(pattern: str) -> str:
    """Return *pattern* without classes, escapes and what stands in groups."""
    plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", pattern)
    while plain != (inner := re.sub(r"\([^()]*\)", "x", plain)):
        plain = inner
    return plain


def test_a_pattern_is_about_the_whole_text_in_each_of_its_alternatives() -> None:
    found = {*_patterns(contract())}
    assert len(found) > 10
    assert {each for each in found if "|" in _outside_groups(each)} == set()
    assert all(each.startswith("^") and each.endswith("$") for each in found)
    assert _outside_groups("^map|creatures$") == "^map|creatures$"
