"""Make cases from the contract as a stranger's tool reads it, and hold every answer to it.

The public tool (schemathesis) generates requests, valid and broken, from the served document. One of its
checks is left out: a request that fits its schema may still be illegal now, which the rules alone know, so
that it was not accepted is no fault (`positive_data_acceptance`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode

import tests.contract.hooks  # noqa: F401 - importing it teaches the tool

HELD: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)


class Contract:
    """The document that *app* serves, as the tool understands it."""

    def __init__(self, app: Flask) -> None:
        self._schema = schemathesis.openapi.from_wsgi("/openapi.json", app)
        load_all_checks()
        self._checks = [CHECKS.get_one(name) for name in HELD]

    def operations(self) -> Iterator[Any]:
        """Yield every operation."""
        for found in self._schema.get_all_operations():
            assert isinstance(found, Ok), found
            yield found.ok()

    def play(
        self, operation: Any, token: str | None, path: Mapping[str, str], examples: int, start: int
    ) -> int:
        """Send *examples* valid and as many broken requests to *operation*; how many were sent.

        Raises at the first answer that the contract does not describe. *path* names what exists: valid
        requests ask for it.
        """
        sent = 0
        headers = {"Accept-Encoding": "identity"}  # the tool's WSGI transport decodes none
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        for mode in _modes(operation):
            there = {name: path[name] for name in _names(operation) if name in path}
            given_path = {"path_parameters": there} if there and mode is GenerationMode.POSITIVE else {}

            @seed(start)
            @settings(
                max_examples=examples,
                deadline=None,
                database=None,
                phases=(Phase.generate,),
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode, **given_path))
            def send(case: Any) -> None:
                nonlocal sent
                answer = case.call(headers=headers)
                case.validate_response(answer, checks=self._checks, headers=headers)
                sent += 1

            send()
        return sent


def _modes(operation: Any) -> Iterator[GenerationMode]:
    """Yield the modes in which *operation* can be asked.

    No request for an operation that takes nothing but strings is broken; the tool would look for one hundreds
    of times.
    """
    yield GenerationMode.POSITIVE
    parameters = [each.definition for each in operation.iter_parameters()]
    if operation.body or any(each["schema"] != {"type": "string"} for each in parameters):
        yield GenerationMode.NEGATIVE


def _names(operation: Any) -> list[str]:
    return [parameter.name for parameter in operation.path_parameters]
