"""Validate data that a discriminator divides into hundreds of types, without trying each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError, validators


def _one_of(
    validator: Any, ways: list[Any], data: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Yield the faults of *data* in the one way that the discriminator selects; without one, as usual."""
    selected = schema.get("discriminator")
    if selected is None:
        yield from Draft202012Validator.VALIDATORS["oneOf"](validator, ways, data, schema)
        return
    value = data.get(selected["propertyName"]) if isinstance(data, dict) else None
    at = selected["mapping"].get(value) if isinstance(value, str) else None
    if at is None:
        yield ValidationError(f"{selected['propertyName']} is {value!r}, which selects no schema")
    else:
        yield from validator.descend(data, {"$ref": at}, schema_path=value)


DiscriminatingValidator: Final[Any] = validators.extend(Draft202012Validator, {"oneOf": _one_of})  # type: ignore[no-untyped-call]  # jsonschema left it untyped
