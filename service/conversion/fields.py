"""Find the fields of a rulebook's opening, and of the records in it."""

from __future__ import annotations

from typing import Any

from service.rules.kernel import hints
from service.rules.kernel.hints import FieldShape, Shape
from service.rules.ruleset import Ruleset


def fields_by_name(kind: Any) -> dict[str, FieldShape]:  # noqa: ANN401 - a record
    """Return the fields of a record that data has."""
    return {field.name: field for field in hints.fields_of(kind) if field.given}


def record_of(shape: Shape | None) -> type[Any] | None:
    """Return the record of a shape, or of its one alternative; None if it has none."""
    if isinstance(shape, hints.Alternatives) and len(shape.ways) == 1:
        return record_of(shape.ways[0])
    found: type[Any] | None = shape.kind if isinstance(shape, hints.RecordObject) else None
    return found


def opening_fields(ruleset: Ruleset[Any]) -> dict[str, FieldShape]:
    """Return the fields of a rulebook's opening; none if it is not one record."""
    field = fields_by_name(ruleset.opening).get("opening")
    opening = record_of(field.shape) if field else None
    return fields_by_name(opening) if opening else {}
