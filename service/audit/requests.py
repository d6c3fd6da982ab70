"""Read requests strictly by the format: an audit trusts no bytes, unlike the store's reader."""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Callable, Mapping
from typing import Any, Final

from service.core.decide import MALFORMED
from service.record.canonical import NotCanonical, read_strictly
from service.record.commit import VERSION, Commit, Request, load_request
from service.record.ed25519 import SIGNATURE
from service.rules.kernel.hexadecimal import is_hex
from service.rules.kernel.records import EMPTY

_AT: Final = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)
_NONCE_BYTES: Final = 16

_LONGEST: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""The number of days of each month in a leap year."""

_Shape = Callable[[Any], bool]


def read_request(raw: bytes) -> Request | None:
    """Return the request in *raw*, None unless *raw* is the canonical JSON of a valid request."""
    try:
        data = read_strictly(raw)
    except NotCanonical:
        return None
    return load_request(raw) if _has(data, _MEMBERS, _OPTIONAL) else None


def was_refused_for_it(commit: Commit) -> bool:
    """Return whether *commit* refused its request because it was not a valid request."""
    return commit.refusal is not None and commit.refusal["code"] == MALFORMED


def _has(value: object, members: Mapping[str, _Shape], optional: Mapping[str, _Shape] = EMPTY) -> bool:
    """Return whether *value* has exactly *members* and perhaps *optional* ones, each of its shape."""
    if not isinstance(value, dict) or value.keys() - optional.keys() != members.keys():
        return False
    shapes = {**members, **optional}
    return all(shapes[name](each) for name, each in value.items())


def _text(value: object) -> bool:
    return isinstance(value, str)


def _whole(value: object) -> bool:
    return type(value) is int


def _instant(value: object) -> bool:
    """Return whether *value* is a valid RFC 3339 time in UTC with milliseconds."""
    if not isinstance(value, str) or _AT.fullmatch(value) is None:
        return False
    year, month, day = int(value[:4]), int(value[5:7]), int(value[8:10])
    return day <= _LONGEST[month - 1] and ((month, day) != (2, 29) or isleap(year))


_BATCH: Final[Mapping[str, _Shape]] = {
    "id": _text,
    "index": _whole,
    "of": _whole,
    "stop": lambda value: isinstance(value, bool),
}
_MEMBERS: Final[Mapping[str, _Shape]] = {
    "v": lambda value: _whole(value) and value == VERSION,
    "encounter": _text,
    "type": _text,
    "at": _instant,
    "nonce": lambda value: is_hex(value, _NONCE_BYTES),
    "actor": lambda value: _has(value, {"seat": _text, "role": _text}),
    "batch": lambda value: value is None or _has(value, _BATCH),
    "data": lambda value: isinstance(value, dict),
}
_SIGNED: Final[Mapping[str, _Shape]] = {
    "key": _text,
    "index": _whole,
    "head": lambda value: _has(value, {"n": _whole, "hash": is_hex}),
    "signature": lambda value: is_hex(value, SIGNATURE),
}
_OPTIONAL: Final[Mapping[str, _Shape]] = {"signed": lambda value: _has(value, _SIGNED)}
