"""Parse a body as strict JSON, or report exactly where it is not strict.

Laws. Input that two parsers could read differently is refused: duplicate names, numbers other than integers
of at most 53 bits, NaN, lone surrogates, text that is not NFC. So are characters that deceive a reader. Depth
is bounded. Nothing is repaired.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final
from unicodedata import is_normalized

from service.record.text import fault
from service.rules.json_pointer import escaped

DEPTH: Final = 32
WHOLE: Final = 2**53 - 1
"""The largest integer that every JSON parser keeps exact."""

_DIGITS: Final = 17
_OPEN: Final = "[{"


class JsonNotStrict(ValueError):
    """The body is not strict JSON; *pointer* (a JSON pointer) is the place, *detail* the fault."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(f"{pointer or '/'}: {detail}")
        self.pointer = pointer
        self.detail = detail


class JsonNotAccepted(ValueError):
    """The body is strict JSON with unacceptable text; *pointer* is the place, *detail* what was expected."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(f"{pointer or '/'}: {detail}")
        self.pointer = pointer
        self.detail = detail


class _JsonFault:
    """Replaces an unacceptable value in the parsed tree, until the walk over the tree finds its pointer."""

    def __init__(self, detail: str, name: str = "") -> None:
        self.detail = detail
        self.name = name


def loads(body: bytes) -> Any:
    """Return the parsed *body*; raises `JsonNotStrict` or `JsonNotAccepted` for the first fault."""
    try:
        text = body.decode()
    except UnicodeDecodeError as fault:
        raise JsonNotStrict("", f"not UTF-8 at byte {fault.start}") from fault
    if sum(map(text.count, _OPEN)) > DEPTH:
        _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as fault:
        raise JsonNotStrict("", f"not JSON at character {fault.pos}: {fault.msg.lower()}") from fault
    for pointer, detail in _faults(value, ""):
        raise JsonNotStrict(pointer, detail)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _JsonFault:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: dict[str, None] = {}
    for name, _ in pairs:
        if name in seen:
            return _JsonFault("duplicate name", name)
        seen[name] = None
    raise AssertionError(pairs)


def _int(text: str) -> int | _JsonFault:
    if len(text) <= _DIGITS and -WHOLE <= (number := int(text)) <= WHOLE:
        return number
    return _JsonFault("a whole number of at most 53 bits")


def _float(text: str) -> _JsonFault:  # noqa: ARG001 - the parser passes the digits
    return _JsonFault("a whole number, written without decimal point or exponent")


def _constant(text: str) -> _JsonFault:
    return _JsonFault(f"{text} is not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant
)


def _check_depth(text: str) -> None:
    """Raise `JsonNotStrict` if *text* is nested deeper than `DEPTH`, before the parser recurses into it."""
    depth = 0
    quoted = escaped = False
    for char in text:
        if quoted:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char in _OPEN:
            depth += 1
            if depth > DEPTH:
                raise JsonNotStrict("", f"nested deeper than {DEPTH}")
        elif char in "]}":
            depth -= 1


def _faults(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    kind = type(value)
    if kind is str:
        if not (value.isascii() and value.isprintable()):
            yield from _text_faults(value, pointer)
    elif kind is dict:
        for name, item in value.items():
            if not (name.isascii() and name.isprintable()):
                yield f"{pointer}/{_shown(name)}", "names must be visible ASCII characters"
            if type(item) is str and item.isascii() and item.isprintable():
                continue
            yield from _faults(item, f"{pointer}/{escaped(name)}")
    elif kind is list:
        for i, item in enumerate(value):
            yield from _faults(item, f"{pointer}/{i}")
    elif kind is _JsonFault:
        yield (f"{pointer}/{_shown(value.name)}" if value.name else pointer), value.detail


def _text_faults(text: str, pointer: str) -> Iterator[tuple[str, str]]:
    try:
        text.encode()
    except UnicodeEncodeError:
        yield pointer, "lone surrogate"
        return
    wrong = fault(text, lines=True)
    if wrong is not None:
        raise JsonNotAccepted(pointer, wrong)
    if not is_normalized("NFC", text):
        yield pointer, "text must be in Unicode normalization form C"


def _shown(name: str) -> str:
    """Return *name* escaped for a JSON pointer in a response that is strict JSON itself."""
    return escaped(name).encode("ascii", "backslashreplace").decode()
