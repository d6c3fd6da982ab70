"""Read how many creatures a name means: `Wolf x8`, `8 wolves`, `Wolf 1-8`, `2d4 goblins`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

LONGEST: Final = 100
"""Letters of a name that may have a count."""
_SIGN: Final = "[x\u00d7*]"
_WORDS: Final = r"(?P<name>[^\W\d].*)"
_AHEAD: Final = r"(?P<name>.*[^\s\d])"
_COUNTED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<count>\d{{1,3}})\s*{_SIGN}?\s+{_WORDS}",
        rf"(?P<name>.*?[^\s(])\s*(?:\(\s*{_SIGN}|\b{_SIGN}\s*|\s{_SIGN}\s*)(?P<count>\d{{1,3}})\s*\)?",
    )
)
_IN_BRACKETS: Final = re.compile(r"(?P<name>.*?\S)\s*\((?P<count>\d{1,3})\)")
_NUMBERED: Final = re.compile(
    rf"{_AHEAD}\s+#?(?P<first>\d{{1,3}})\s*(?:[-\u2013\u2014]|\.{{2,3}}|\u2026|\bto\b)\s*#?(?P<last>\d{{1,3}})"
)
_DICE: Final = re.compile(
    rf"\d{{1,2}}[dw]\d{{1,3}}\s+[^\W\d].*|.*[^\s\d]\s+{_SIGN}\s*\d{{0,2}}[dw]\d{{1,3}}", re.IGNORECASE
)
_WITH_NUMBERS: Final = re.compile(
    r"(?P<name>[^,]*[^\W\d][^,]*)(?:,\s*(?P<hp>\d{1,5}))(?:,\s*[+-]?\d{1,5}){0,3}"
)


class HeadCount(NamedTuple):
    """What a name says: the name of each creature, and their numbers."""

    name: str
    numbers: range


def counted(said: str, *, is_of_list: bool = False) -> HeadCount | None:
    """Return the creatures that a name means; None if it is the name of one.

    A number in brackets counts in a list of names alone: in a table a program numbers those of one name so.
    """
    if len(said) > LONGEST:
        return None
    patterns = (*_COUNTED, _IN_BRACKETS) if is_of_list else _COUNTED
    for pattern in patterns:
        found = pattern.fullmatch(said)
        if found and int(found["count"]) > 0:
            return HeadCount(found["name"], range(1, int(found["count"]) + 1))
    found = _NUMBERED.fullmatch(said)
    if found and int(found["first"]) < int(found["last"]):
        return HeadCount(found["name"], range(int(found["first"]), int(found["last"]) + 1))
    return None


def is_counted_by_dice(said: str) -> bool:
    """Tell whether a name has dice for the number of creatures."""
    return len(said) <= LONGEST and _DICE.fullmatch(said) is not None


def as_object(each: Any) -> Any:  # noqa: ANN401 - JSON
    """Return what a list has in place of an object as one: a name, `Orc, 15`, `{Orc: 3}` or `{3: Orc}`."""
    if isinstance(each, str):
        found = _WITH_NUMBERS.fullmatch(each) if len(each) <= LONGEST else None
        return {"name": each} if found is None else {"name": found["name"].strip(), "hp": found["hp"]}
    if isinstance(each, Mapping) and len(each) == 1:
        ((name, value),) = each.items()
        if is_number(value) and not is_number(name):
            return {"name": str(name), "count": value}
        if is_number(name) and isinstance(value, str):
            return {**as_object(value), "count": name}
    return each


def is_number(value: object) -> bool:
    """Tell whether *value* counts creatures."""
    is_text = isinstance(value, str) and value.isdecimal() and value.isascii()
    return is_text or (isinstance(value, int) and not isinstance(value, bool))
