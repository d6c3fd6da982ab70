"""Read members of foreign JSON: what is odd is a fault with its place, or nothing with a note."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, NoReturn

from service.conversion.faults import Unconvertible

FARTHEST: Final = 10**6
"""The greatest coordinate of a file, either way."""
LONGEST_NUMBER: Final = 300
"""The most digits of a whole number; one with more is beyond every number that a computer calculates with."""
_NUMBER: Final = re.compile(r"\s*[+-]?\d{1,9}(?:[.,]\d{1,15})?\s*")
_TRUTHS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Odd(ValueError):
    """A value that is not what its place asks for; who reads it leaves it out with a note, or refuses."""


def parsed(text: str) -> Any:  # noqa: ANN401 - JSON
    """Return the data of *text*, a file or a part of one; raises `Unconvertible` with line and column."""
    try:
        return json.loads(text, parse_constant=_no_constant, parse_int=_whole)
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        raise Unconvertible(f"{place}: not valid JSON: {fault.msg}") from None
    except RecursionError:
        raise Unconvertible("the file is nested too deeply") from None


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise Unconvertible(f"a number has at most {LONGEST_NUMBER} digits")
    return int(digits)


def _no_constant(name: str) -> NoReturn:
    raise Unconvertible(f"{name} is not a number of JSON")


def fault(place: str, expected: str) -> NoReturn:
    """Refuse the whole file for what is at *place*."""
    raise Unconvertible(f"{place or '/'}: {expected}")


def object_at(of: Mapping[str, Any], at: str, name: str) -> Mapping[str, Any]:
    """Return an object that the file must have."""
    found = of.get(name)
    if not isinstance(found, dict):
        fault(f"{at}/{name}", "an object is required")
    return found


def list_at(of: Mapping[str, Any], at: str, name: str) -> Sequence[Any]:
    """Return a list that may be missing; some programs write an object, by numbers or names, in its place."""
    found = of.get(name)
    if found is None:
        return ()
    if found and isinstance(found, dict) and all(isinstance(each, dict | list) for each in found.values()):
        return [*found.values()]
    if not isinstance(found, list):
        fault(f"{at}/{name}", "a list is required")
    return found


def number(value: object) -> float:
    """Return a number of JSON, or one in quotes, with a decimal comma too; raises `Odd`."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value.replace(",", "."))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Odd("a number is required")
    if not isfinite(value) or abs(value) > FARTHEST:
        raise Odd(f"a number from {-FARTHEST} to {FARTHEST}")
    return float(value)


def number_at(of: Mapping[str, Any], name: str, default: float | None = None) -> float:
    """Return the number *name*, or *default* where it is missing or null; raises `Odd`."""
    value = of.get(name)
    if value is None and default is not None:
        return default
    try:
        return number(value)
    except Odd as odd:
        raise Odd(f"{name}: {odd}") from None


def truth(value: object, *, default: bool) -> bool:
    """Return yes or no, also of 1, 0 and words; *default* for anything else."""
    if isinstance(value, bool | int | float):
        return bool(value)
    return _TRUTHS.get(str(value).strip().casefold(), default)


def code(value: object) -> object:
    """Return the number of a kind, also in quotes and of 1.0; anything else as it is."""
    try:
        found = number(value)
    except Odd:
        return value
    return int(found) if found == int(found) else value
