"""The contract shows an answer of a real run for each operation, which fits its schema and is still given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from service.api import openapi
from service.api.operations import Operation
from service.api.problems import MEDIA_TYPE, PROBLEMS
from service.api.recorded import recorded
from tests.api import recording
from tests.api.declared import operations
from tests.support.discriminating import DiscriminatingValidator

ROOT = "urn:rewound:examples"
AGAIN = "the answers have changed: run `make examples`"
DEEP = 2
"""How many members of members are compared; below are events and states, which depend on dice."""


@cache
def document() -> dict[str, Any]:
    return openapi.document()


@cache
def registry() -> Registry[Any]:
    made: Registry[Any] = Registry().with_resource(ROOT, DRAFT202012.create_resource(document()))
    return made


def faults(schema: dict[str, Any], value: object) -> list[str]:
    there = {"$ref": schema["$ref"].replace("#", f"{ROOT}#")} if "$ref" in schema else schema
    found = DiscriminatingValidator(there, registry=registry()).iter_errors(value)
    return [f"{fault.json_path}: {fault.message[:200]}" for fault in found]


def contents(each: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the media types of requests and successes of an operation, each with its place."""
    described = document()["paths"][each.path][each.method.lower()]
    for media_type, content in described.get("requestBody", {}).get("content", {}).items():
        yield f"body {media_type}", content
    for status, answer in described["responses"].items():
        if status < "300":
            for media_type, content in answer.get("content", {}).items():
                yield f"{status} {media_type}", content


@pytest.mark.parametrize("each", operations(), ids=lambda each: each.id)
def test_each_success_has_an_example_that_fits_its_schema(each: Operation) -> None:
    shown = {place: content for place, content in contents(each) if "examples" in content}
    for status in recording.recordable(each):
        assert any(place.startswith(f"{status} ") for place in shown), f"{status}: {AGAIN}"
    for place, content in shown.items():
        for one in content["examples"].values():
            if "event-stream" not in place:  # its schema describes one event; a stream of text is shown
                assert faults(content["schema"], one["value"]) == [], f"{place}: {AGAIN}"


def test_a_stream_is_shown_as_it_is_sent() -> None:
    (shown,) = document()["paths"]["/v1/encounters/{encounter}/commits"]["get"]["responses"]["200"][
        "content"
    ]["text/event-stream"]["examples"].values()
    first, *_ = shown["value"].split("\n\n")
    assert first.startswith("id: ") or "event: commit" in shown["value"]


def test_common_problems_are_shown_at_each_operation_that_answers_with_them() -> None:
    examples = document()["components"]["examples"]
    assert {"unauthenticated", "not-found", "invalid", "command-refused", "version-mismatch"} <= set(examples)
    for code, shown in examples.items():
        assert faults({"$ref": "#/components/schemas/Problem"}, shown["value"]) == []
        assert (shown["value"]["type"], shown["value"]["status"]) == (
            f"/problems/{code}",
            PROBLEMS[code].status,
        )
    for each in operations():
        for code in set(openapi.problems_of(each)) & set(examples):
            answer = openapi.response_of(
                document(), each.path, each.method.lower(), str(PROBLEMS[code].status)
            )
            shown = answer["content"][MEDIA_TYPE]["examples"]
            assert shown[code] == {"$ref": f"#/components/examples/{code}"}


def test_no_example_contains_a_reference_which_generators_would_follow() -> None:
    assert '"$ref"' not in json.dumps(recorded())


def test_no_example_contains_a_secret_that_could_be_used() -> None:
    assert recording._safe(recorded()) == recorded()  # noqa: SLF001 - what it would replace is replaced


def alike(one: Any, other: Any, depth: int = DEEP) -> bool:
    """Return whether two answers have the same members, and so have their members; a list may be empty."""
    if isinstance(one, dict) and isinstance(other, dict) and depth:
        return set(one) == set(other) and all(alike(one[name], other[name], depth - 1) for name in one)
    if isinstance(one, list) and isinstance(other, list) and one and other and depth:
        return alike(one[0], other[0], depth - 1)
    return True


def test_a_fresh_run_gives_answers_of_the_same_shape() -> None:
    fresh = json.loads(recording.recorded().dumped())
    assert set(fresh["problems"]) == set(recorded()["problems"]), AGAIN
    assert {name: set(found) for name, found in fresh["answers"].items()} == {
        name: set(found) for name, found in recorded()["answers"].items()
    }, AGAIN
    for name, found in fresh["answers"].items():
        for key, each in found.items():
            before = recorded()["answers"][name][key]
            assert alike(each["answer"], before["answer"]), f"{name} {key}: {AGAIN}"
            assert ("note" in each) == ("note" in before)
