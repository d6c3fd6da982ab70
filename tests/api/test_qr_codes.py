"""A text makes a QR code, or is refused with what a code holds."""

from __future__ import annotations

import pytest

from tests.api.client import Api, is_problem

PATH = "/v1/qr-codes"


@pytest.mark.parametrize("text", ["x", "x" * 1_000, "\u00e9" * 1_000, "\U0001f600" * 582])
def test_what_a_code_holds_becomes_one(api: Api, text: str) -> None:
    assert api("POST", PATH, {"text": text}).status_code == 200


@pytest.mark.parametrize("text", ["\U0001f600" * 583, "\U0001f600" * 1_000, "\ud55c" * 1_000])
def test_what_no_code_holds_is_refused_with_both_bounds(api: Api, text: str) -> None:
    problem = is_problem(api("POST", PATH, {"text": text}), 422, "invalid")
    assert problem["errors"] == [
        {"pointer": "/text", "detail": "text of 1 to 1000 characters, and of at most 2331 bytes"}
    ]
