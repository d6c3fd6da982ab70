"""Canonical JSON: the one byte form of requests and commits that is stored, hashed and shown.

The form is RFC 8785 for a narrow profile: objects with ASCII keys, whole numbers with a magnitude below
2**53, true, false, null, strings in NFC of code points that Unicode 14.0 assigns, without lone surrogates, at
most 64 levels deep; no floats. For this profile a plain encoder with sorted keys gives RFC 8785's bytes;
orjson takes a fifth of the standard library's time.

Laws. Every text from outside passes `check` before it is encoded, so `dumps` need not check it; numbers also
come from sums, so `dumps` refuses those that `check` refuses. Hashes are taken over stored bytes, never over
a second encoding. Bytes from outside count as canonical only after `is_canonical`.
"""

import json
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, NoReturn
from uuid import UUID

import orjson

from service.dice.encoding import HASH_BYTES, check_length, hkdf
from service.record import strict_json
from service.record.strict_json import JsonProfile, NotStrict
from service.record.text import unassigned_fault

FORMAT: Final = "rewound/log/1"

DEEPEST: Final = 64
"""Levels of objects and lists: our own limit, so that no verdict depends on a reader's recursion limit."""

PROFILE: Final = JsonProfile(DEEPEST, str.isascii, "names must be ASCII", unassigned_fault)
"""The values that have a canonical form."""

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

    It is not checked whole: a float (NaN too) or a string that is not NFC is the caller's mistake and passes;
    `check` refuses them. A value that cannot be encoded (a number of more than 53 bits, a lone surrogate, an
    object of an unknown type) raises `NotCanonical`.
    """
    try:
        return orjson.dumps(value, option=_SPELLING)
    except orjson.JSONEncodeError:
        check(value)
        raise


def loads(raw: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of the JSON in *raw*, which is in the profile but need not be its canonical form.

    Raises `NotCanonical`.
    """
    try:
        return strict_json.read(raw, PROFILE)
    except NotStrict as fault:
        raise NotCanonical(fault.pointer, fault.reason) from None


def read_strictly(raw: bytes) -> Any:  # noqa: ANN401 - as `loads`
    """Return the value of which *raw* is the canonical form; raise `NotCanonical`."""
    value = _read_plainly(raw)
    if value is None:
        value = loads(raw)
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
        is_spelling = orjson.dumps(value, option=_SPELLING) == raw
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
    try:
        strict_json.check(value, PROFILE)
    except NotStrict as fault:
        raise NotCanonical(fault.pointer, fault.reason) from None


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


_NESTING: Final = (dict, list)
_SPELLING: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)
"""Sorted keys, and an error for every number and every type outside the profile."""


def _no_float(_text: str) -> NoReturn:
    raise NotStrict("", "a float")


_PLAIN_DECODER: Final = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float)
"""Reads five times as fast; it does not notice a duplicate key or a number too large."""
