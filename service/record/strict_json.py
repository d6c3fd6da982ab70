"""Read JSON that every reader understands alike, or say where it is not strict.

Laws. Input that two parsers could read differently is refused: duplicate names, numbers other than integers
of at most 53 bits, NaN, lone surrogates, text that is not NFC. Depth is bounded. Nothing is repaired. A
profile says how deep data may be, and which names and characters it may have.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import is_normalized

from service.rules.kernel.json_pointer import escaped

LARGEST: Final = 2**53 - 1
"""The greatest whole number that every JSON reader represents exactly; its negative is the least."""

_LONGEST_NUMBER: Final = len(str(-LARGEST))
_TOO_LARGE: Final = "a whole number of at most 53 bits"
_FLOAT: Final = "a whole number, written without decimal point or exponent"
_NESTING: Final = (dict, list, tuple)
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.?[^"\\]*+)*+"?', re.DOTALL)
"""A string in a JSON text, up to the end of the text if it is not closed."""
_BRACKET: Final = re.compile(r"[\[{\]}]")


class NotStrict(ValueError):
    """Data outside a profile: *pointer* (a JSON pointer) is the place, *reason* what was expected.

    The pointer is empty, for the whole document, if the bytes cannot be read at all.
    """

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer}: {reason}" if pointer else reason)
        self.pointer = pointer
        self.reason = reason


class UnacceptedText(NotStrict):
    """Text with a character that the profile does not accept."""


@dataclass(frozen=True)
class JsonProfile:
    """What strict JSON may contain for one purpose."""

    levels: int
    """How many objects and lists may be nested."""
    is_name: Callable[[str], bool]
    """Returns whether an object may have a name that is not of visible ASCII characters alone."""
    names: str
    """What a name must be."""
    unaccepted: Callable[[str], str | None]
    """Returns why text is not accepted; None if it is."""


@dataclass(frozen=True)
class _Unreadable:
    """Replaces an unacceptable value in the parsed data, until the walk over the data finds its pointer."""

    reason: str
    name: str = ""
    """The duplicate name in the object that this replaces."""


def read(raw: bytes, profile: JsonProfile) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of the JSON in *raw*; raises `NotStrict` for the first fault."""
    if raw.startswith(BOM_UTF8):
        raise NotStrict("", "a byte order mark, which JSON has not: send UTF-8 without it")
    try:
        text = raw.decode()
    except UnicodeDecodeError as fault:
        raise NotStrict("", f"not UTF-8 at byte {fault.start}") from fault
    if text.count("[") + text.count("{") > profile.levels:
        _check_depth(text, profile.levels)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as fault:
        raise NotStrict("", f"not JSON at character {fault.pos}: {fault.msg.lower()}") from fault
    check(value, profile)
    return value


def check(value: object, profile: JsonProfile) -> None:
    """Raise `NotStrict` for the first part of *value*, in document order, that is outside *profile*."""
    _check(value, "", profile.levels, profile)


def _check_depth(text: str, levels: int) -> None:
    """Raise `NotStrict` if *text* is nested deeper than *levels*, before the parser recurses into it."""
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > levels:
            raise NotStrict("", _too_deep(levels))


def _check(value: object, pointer: str, levels: int, profile: JsonProfile) -> None:
    if isinstance(value, str):
        if not (value.isascii() and value.isprintable()):
            _check_text(value, pointer, profile)
    elif value is None or isinstance(value, bool):
        return
    elif isinstance(value, int):
        if not -LARGEST <= value <= LARGEST:
            raise NotStrict(pointer, _TOO_LARGE)
    elif isinstance(value, _NESTING):
        if levels == 0:
            raise NotStrict(pointer, _too_deep(profile.levels))
        if isinstance(value, dict):
            _check_object(value, pointer, levels - 1, profile)
        else:
            for index, item in enumerate(value):
                _check(item, f"{pointer}/{index}", levels - 1, profile)
    else:
        raise _outside(value, pointer)


def _check_object(value: dict[Any, Any], pointer: str, levels: int, profile: JsonProfile) -> None:
    for name, item in value.items():
        if not isinstance(name, str):
            raise NotStrict(f"{pointer}/{name!a}", profile.names)
        if not (name.isascii() and name.isprintable()) and not profile.is_name(name):
            raise NotStrict(f"{pointer}/{_shown(name)}", profile.names)
        kind = type(item)
        if kind is str:  # most values need no call
            if item.isascii() and item.isprintable():
                continue
        elif kind is bool or item is None:
            continue
        _check(item, f"{pointer}/{escaped(name)}", levels, profile)


def _check_text(value: str, pointer: str, profile: JsonProfile) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as fault:
        raise NotStrict(pointer, "lone surrogate") from fault
    # NFC of assigned characters never changes (UAX 15), so readers with other Unicode tables agree on it.
    unaccepted = profile.unaccepted(value)
    if unaccepted is not None:
        raise UnacceptedText(pointer, unaccepted)
    if not is_normalized("NFC", value):
        raise NotStrict(pointer, "text must be in Unicode normalization form C")


def _outside(value: object, pointer: str) -> NotStrict:
    """Return the fault of a value that is of no JSON type."""
    if isinstance(value, _Unreadable):
        return NotStrict(f"{pointer}/{_shown(value.name)}" if value.name else pointer, value.reason)
    if isinstance(value, float):
        return NotStrict(pointer, _FLOAT)
    return NotStrict(pointer, f"{type(value).__name__} has no JSON form")


def _too_deep(levels: int) -> str:
    return f"nested deeper than {levels}"


def _shown(name: str) -> str:
    """Return *name* escaped for a JSON pointer in a response that is strict JSON itself."""
    return escaped(name).encode("ascii", "backslashreplace").decode()


# --- what the parser calls ----------------------------------------------------------------------------


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Unreadable:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return _Unreadable("duplicate name", name)
        seen.add(name)
    raise AssertionError(pairs)


def _int(text: str) -> int | _Unreadable:
    # The length first: Python refuses to read thousands of digits, with an error of its own.
    if len(text) <= _LONGEST_NUMBER and -LARGEST <= (number := int(text)) <= LARGEST:
        return number
    return _Unreadable(_TOO_LARGE)


def _float(_text: str) -> _Unreadable:
    return _Unreadable(_FLOAT)


def _constant(text: str) -> _Unreadable:
    return _Unreadable(f"{text} is not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant
)
