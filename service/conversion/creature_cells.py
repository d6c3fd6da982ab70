"""Read one cell of a list of creatures as its column takes it.

A cell is text of a table, or a value of JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from service.conversion import foreign
from service.conversion.faults import Unconvertible
from service.conversion.json_members import parsed
from service.rules.kernel import hints
from service.rules.kernel.hints import Shape

_TRUE: Final = ("true", "yes", "y", "1")
_FALSE: Final = ("false", "no", "n", "0")


class Cannot(Exception):
    """A value that its column does not take; the text says what it takes."""


def excerpt(value: object) -> str:
    """Return the beginning of a value, as a fault shows it."""
    return str(value)[:40]


def hit_points_of(name: str, value: Any, *, is_foreign: bool) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return hit points that say more than a number, as `12/15`, `15 (2d8)` or an object; raises `Cannot`."""
    both = foreign.now_and_most(value) if name == "hp" else None
    if both is not None:
        if both[0] < both[1]:
            return {"hp": both[0], "hp_max": both[1]}
        return {name if is_foreign and both[0] == both[1] else "hp_max": both[1]}
    has_dice = foreign.average_of_dice(value) is not None
    has_dice = has_dice or (isinstance(value, str) and bool(re.match(r"\s*\d+\s*\(", value)))
    if not (is_foreign or has_dice or isinstance(value, Mapping)):
        return {}
    points = foreign.hit_points(value)
    if points is None:
        raise Cannot(f"hit points, not {excerpt(value)}")
    return {name: points}


def tidied(name: str, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a place without brackets, and a count without the sign of times."""
    if name == "position" and isinstance(value, Mapping):
        return [value.get("x"), value.get("y")]
    if name == "position" and isinstance(value, str):
        return value.strip("()[] ")
    if name == "count" and isinstance(value, str):
        return value.strip("xX\u00d7 ")
    return value


def value_of(value: Any, shape: Shape) -> Any:  # noqa: ANN401 - JSON
    """Return a value as its column takes it: a cell of text, or a value of JSON.

    In a cell a list is written `a; b`, an object of names `land=30; fly=40`, anything else that is not one
    value as JSON. Raises `Cannot`.
    """
    if isinstance(shape, hints.Alternatives):
        return value_of(value, shape.ways[0])
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return parsed(value)
        except Unconvertible:
            raise Cannot("not valid JSON") from None
    if isinstance(value, str):
        return _of_cell(value.strip(), shape)
    if isinstance(shape, hints.FixedList) and isinstance(value, list):
        return [value_of(each, part) for each, part in zip(value, shape.items, strict=False)]
    if isinstance(shape, hints.Scalar) and shape.kind is int and isinstance(value, float):
        return _scalar(value, shape)
    return value


def _of_cell(cell: str, shape: Shape) -> Any:  # noqa: ANN401 - JSON
    if isinstance(shape, hints.Names):
        pairs = [part.partition("=") for part in _parts(cell)]
        if not all(sign for _, sign, _ in pairs):
            raise Cannot("names and values, as a=1; b=2")
        return {name.strip(): value_of(value.strip(), shape.each) for name, _, value in pairs}
    if isinstance(shape, hints.AnyList):
        return [value_of(part, shape.each) for part in _parts(cell)]
    if isinstance(shape, hints.FixedList):
        parts = [part.strip() for part in cell.replace(";", ",").split(",")]
        return [value_of(part, each) for part, each in zip(parts, shape.items, strict=False) if part]
    return _scalar(cell, shape)


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(";") if part.strip()]


def _scalar(cell: str | float, shape: Shape) -> Any:  # noqa: ANN401 - JSON
    if isinstance(shape, hints.Choice):
        known = {str(value).casefold(): value for value in shape.values}
        number = foreign.whole(cell)
        return known.get(str(cell).casefold(), number if number in shape.values else cell)
    kind = shape.kind if isinstance(shape, hints.Scalar) else str
    if kind is bool:
        if str(cell).casefold() not in (*_TRUE, *_FALSE):
            raise Cannot("true or false")
        return str(cell).casefold() in _TRUE
    if kind is not int:
        return cell
    number = foreign.whole(cell)
    if number is None:
        raise Cannot(f"a whole number, not {excerpt(cell)}")
    return number
