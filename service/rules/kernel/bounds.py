"""Hold a record to the bounds of its fields, where rules and not a client have made it."""

from __future__ import annotations

from typing import Any

from service.rules.kernel.hints import Alternatives, AnyList, Scalar, fields_of


def bounds_fault(record: object) -> str | None:
    """Return which field of *record* is out of bounds, and what it may be; None if all are within.

    Only numbers and the lengths of lists are looked at: those that rules add to.
    """
    kind: Any = type(record)
    for field in fields_of(kind):
        value = vars(record)[field.name]  # what is sealed stays sealed
        shape = field.shape.ways[0] if isinstance(field.shape, Alternatives) else field.shape
        expected = None
        if isinstance(shape, Scalar) and type(value) is int:
            expected = shape.meaning.number_fault(value)
        elif isinstance(shape, AnyList) and isinstance(value, tuple):
            expected = shape.meaning.count_fault(len(value), "a list")
        if expected is not None:
            return f"{field.name} may be {expected}"
    return None
