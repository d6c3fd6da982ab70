"""Make requests from what operations declare, so that no test keeps a table of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from service.api import openapi, resources
from service.api.describe import json_schemas
from service.api.examples import example
from service.api.operations import OPERATIONS, Operation
from service.api.schemas import StrictSchema

COMMAND = {"type": "add", "amount": 1}
"""A command of the tests' own ruleset."""


def operations() -> list[Operation]:
    """Return every operation of the API."""
    resources.load()
    return list(OPERATIONS.all.values())


def target(each: Operation, known: Mapping[str, str]) -> str:
    """Return a path and query of *each*: what is *known* as it is, all else as the schemas have it."""
    path = re.sub(r"{(\w+)}", lambda found: known.get(found[1]) or in_path(found[1]), each.path)
    needed = [
        f"{one.name}={one.least if one.kind == 'whole' else 'none'}" for one in each.query if one.required
    ]
    return path + ("?" + "&".join(needed) if needed else "")


def in_path(name: str) -> str:
    """Return what a path may have as its part *name*."""
    return str(example(openapi.path_parameter(name)["schema"], {}, name))


def body(each: Operation) -> Any:
    """Return a body that fits what *each* declares, None where it takes none."""
    if isinstance(each.body, StrictSchema):
        made = json_schemas(type(each.body))
        return example(made[type(each.body).__name__], made | {"Opening": {"const": {}}})
    return None if each.body is None else COMMAND
