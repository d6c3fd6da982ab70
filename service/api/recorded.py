"""Show answers of a real run as the examples of the contract.

`make examples` records them in `recorded_answers.json`: a success of each status of each operation, and the
common problems. A test holds that each fits its schema and that a fresh run gives answers of the same shape.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from service.api.shapes import Schema

RECORDED: Final = Path(__file__).parent / "recorded_answers.json"
_NAME: Final = "played"
"""The name of each example of an operation."""


@cache
def recorded() -> dict[str, Any]:
    """Return the recording: `answers` by operation, status and media type; `problems` by code."""
    found: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return found


def problem_examples() -> dict[str, Schema]:
    """Return the components of the recorded problems, by code."""
    return {code: {"value": value} for code, value in recorded()["problems"].items()}


def references_to_problems(codes: Iterable[str]) -> Schema:
    """Return the member `examples` of a response that is one of the problems *codes*, if any is recorded."""
    there = [code for code in codes if code in recorded()["problems"]]
    return {"examples": {code: {"$ref": f"#/components/examples/{code}"} for code in there}} if there else {}


def add_examples(operation_id: str, described: Schema) -> None:
    """Add what was sent and answered to the description of an operation."""
    for key, each in recorded()["answers"].get(operation_id, {}).items():
        status, media_type = key.split()
        shown = {"summary": each["request"], "value": each["answer"]}
        if "note" in each:
            shown = {"summary": f"{each['request']} ({each['note']})", "value": each["answer"]}
        described["responses"][status]["content"][media_type]["examples"] = {_NAME: shown}
        if "sent" in each:
            sent = {_NAME: {"summary": each["request"], "value": each["sent"]}}
            described["requestBody"]["content"]["application/json"]["examples"] = sent
