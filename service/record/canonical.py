"""Canonical JSON: the one byte form of requests and commits that is stored, hashed and shown.

The form is RFC 8785 for a narrow profile: objects with ASCII keys, whole numbers with a magnitude below
2**53, true, false, null, strings in NFC of code points that Unicode 14.0 assigns, without lone surrogates, at
most 64 levels deep; no floats. For this profile a plain encoder with sorted keys gives RFC 8785's bytes;
orjson takes a fifth of the standard library's time.

Laws. Every value from outside passes `check` before it is encoded, so `dumps` need not check it. Hashes are
taken over stored bytes, never over a second encoding. Bytes from outside count as canonical only after
`is_canonical`.
"""

import json
from collections import Counter
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, NoReturn
from unicodedata import is_normalized
from uuid import UUID

import orjson

from service.dice.encoding import HASH_BYTES, check_length, hkdf
from service.record.unicode14 import VERSION, first_unassigned
from service.rules.json_pointer import escaped

FORMAT: Final = "rewound/log/1"

LARGEST: Final = 2**53 - 1
"""The greatest whole number that every JSON reader represents exactly; its negative is the least."""

DEEPEST: Final = 64
"""Levels of objects and lists: our own limit, so that no verdict depends on a reader's recursion limit."""

_LONGEST_NUMBER: Final = len(str(-LARGEST))
_SALT: Final = f"{FORMAT}/salt".encode("ascii") + b"\x00"


class NotCanonical(ValueError):
    """A value or bytes outside the profile.

    `pointer` is the JSON pointer (RFC 6901) of the first fault in document order; it is empty, for the whole
    document, if the bytes cannot be read at all.
    """

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer or 'the document'}: {reason}")
        self.pointer = pointer
        self.reason = reason


def dumps(value: object) -> bytes:
    """Return the canonical bytes of *value*, which is in the profile.

    It is not checked: a float (NaN too) or a string that is not NFC is the caller's mistake and passes;
    `check` refuses them. A value that cannot be encoded (a lone surrogate, an object of an unknown type)
    raises `NotCanonical`.
    """
    try:
        return orjson.dumps(value, option=_SPELLING)
    except orjson.JSONEncodeError:
        check(value)
        raise


def loads(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of the JSON in *raw*, canonical or not.

    Raises `NotCanonical` for bytes that are not UTF-8 or JSON, and for faults that a plain reader would
    accept: a duplicate key, a float, NaN, a number too large.
    """
    try:
        return _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as fault:
        raise NotCanonical("", f"byte {fault.start} is not UTF-8") from fault
    except json.JSONDecodeError as fault:
        raise NotCanonical("", f"not JSON at character {fault.pos}: {fault.msg.lower()}") from fault
    except RecursionError as fault:
        raise NotCanonical("", _TOO_DEEP) from fault


def read_strictly(raw: bytes) -> Any:  # noqa: ANN401 - as `loads`
    """Return the value of which *raw* is the canonical form; raise `NotCanonical`."""
    value = _read_plainly(raw)
    if value is None:
        value = loads(raw)
        check(value)
        if dumps(value) != raw:
            raise NotCanonical("", "not the canonical form of its value")
    return value


def _read_plainly(raw: bytes) -> Any:  # noqa: ANN401 - as `loads`
    """Return the value of plain bytes, as nearly all bytes are; None if they need a closer look.

    ASCII text needs no normalization, and anything that a reader dropped or changed would not encode to the
    same bytes.
    """
    if not raw.isascii() or b"\\u" in raw:
        return None
    try:
        value = _PLAIN_DECODER.decode(raw.decode("ascii"))
        is_spelling = orjson.dumps(value, option=_SPELLING | orjson.OPT_STRICT_INTEGER) == raw
    except (ValueError, TypeError, RecursionError):  # no JSON, a float, a number too large, too deep
        return None
    few = raw.count(b"{") + raw.count(b"[") <= DEEPEST
    return value if is_spelling and (few or _fits(value, DEEPEST)) else None


def _fits(value: object, levels: int) -> bool:
    """Return whether objects and lists in *value* are nested at most *levels* deep."""
    level = [value] if isinstance(value, _NESTING) else []
    while level and levels:
        inside = [outer.values() if isinstance(outer, dict) else outer for outer in level]
        level = [item for items in inside for item in items if isinstance(item, _NESTING)]
        levels -= 1
    return not level


def is_canonical(raw: bytes) -> bool:
    """Return whether *raw* is the canonical form of a value in the profile."""
    try:
        read_strictly(raw)
    except NotCanonical:
        return False
    return True


def check(value: object) -> None:
    """Raise `NotCanonical` for the first part of *value* that is outside the profile, with its pointer."""
    _check(value, "", DEEPEST)


def commit_hash(raw: bytes) -> bytes:
    """Return the hash of a commit's bytes: its RFC 9162 leaf hash, and the next commit's `prev`."""
    return sha256(b"\x00" + raw).digest()


def request_digest(raw: bytes) -> bytes:
    """Return the digest of a request's bytes, which its commit contains."""
    return sha256(raw).digest()


@lru_cache(maxsize=1024)
def eid_of(encounter: str) -> bytes:
    """Return the 16 raw bytes of an encounter's id; raise `NotCanonical` unless it is a lower-case UUID."""
    try:
        uuid = UUID(encounter)
    except ValueError as fault:
        raise NotCanonical("/encounter", "not a UUID") from fault
    if str(uuid) != encounter:
        # Python also reads capitals, braces and urn:uuid:, which would give one encounter several names.
        raise NotCanonical("/encounter", "not a UUID in lower case with hyphens")
    return uuid.bytes


def envelope_salt(encounter: str, envelope_secret: bytes, request_digest: bytes, n: int, index: int) -> bytes:
    """Return the salt of the envelope at *index* of the events of commit *n*.

    It is derived, so that deciding again seals to the same bytes. It cannot be guessed, because it depends on
    the envelope secret and, through the digest, on the request's nonce.
    """
    check_length(envelope_secret, HASH_BYTES, "an envelope secret")
    check_length(request_digest, HASH_BYTES, "a request's digest")
    info = _SALT + request_digest + n.to_bytes(8, "big") + index.to_bytes(2, "big")
    return hkdf(salt=eid_of(encounter), ikm=envelope_secret, info=info)


def _check(value: object, pointer: str, levels: int) -> None:
    if isinstance(value, str):
        _check_text(value, pointer)
    elif value is None or isinstance(value, bool):
        return
    elif isinstance(value, int):
        if not -LARGEST <= value <= LARGEST:
            raise NotCanonical(pointer, _TOO_LARGE)
    elif isinstance(value, dict | list | tuple):
        if levels == 0:
            raise NotCanonical(pointer, _TOO_DEEP)
        if isinstance(value, dict):
            _check_object(value, pointer, levels - 1)
        else:
            for index, item in enumerate(value):
                _check(item, f"{pointer}/{index}", levels - 1)
    elif isinstance(value, float):
        raise NotCanonical(pointer, _FLOAT)
    else:
        raise NotCanonical(pointer, f"{type(value).__name__} has no JSON form")


def _check_object(value: dict[Any, object], pointer: str, levels: int) -> None:
    for key, item in value.items():
        if not isinstance(key, str) or not key.isascii():
            raise NotCanonical(pointer, f"key {key!a} is not ASCII text")
        _check(item, f"{pointer}/{escaped(key)}", levels)


def _check_text(value: str, pointer: str) -> None:
    if value.isascii():
        return
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as fault:
        raise NotCanonical(pointer, "a lone surrogate is not a character") from fault
    # NFC of assigned characters never changes (UAX 15), so readers with other Unicode tables agree on it.
    point = first_unassigned(value)
    if point is not None:
        raise NotCanonical(pointer, f"Unicode {VERSION} does not assign U+{point:04X}")
    if not is_normalized("NFC", value):
        raise NotCanonical(pointer, "text is not in NFC")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    given = dict(pairs)
    if len(given) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise NotCanonical("", f"key {twice!a} occurs twice in one object")
    return given


def _whole(text: str) -> int:
    # The length first: Python refuses to read thousands of digits, with an error of its own.
    if len(text) > _LONGEST_NUMBER or not -LARGEST <= (number := int(text)) <= LARGEST:
        raise NotCanonical("", _TOO_LARGE)
    return number


def _no_float(_text: str) -> NoReturn:
    raise NotCanonical("", _FLOAT)


_NESTING: Final = (dict, list)
_TOO_DEEP: Final = f"more than {DEEPEST} levels deep"
_TOO_LARGE: Final = "a whole number of magnitude 2**53 or more"
_FLOAT: Final = "not a whole number"
_SPELLING: Final = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
"""Sorted keys, and an error for every type outside the profile."""

_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_no_float, parse_constant=_no_float
)

_PLAIN_DECODER: Final = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float)
"""Reads five times as fast; it does not notice a duplicate key or a number too large."""
