"""Encode the byte strings that rewound/dice/1 hashes.

Two laws. Every hash input begins with a label that names its use, so a value made for one use is invalid for
another. A part of variable length is length-prefixed or comes last, so two inputs never have the same bytes.
Integers are big-endian: u8, u16, u32, u64.
"""

import hmac
import re
from typing import Final

from service.dice.errors import BadParameter

ALGORITHM: Final = "rewound/dice/1"

HASH_BYTES: Final = 32
"""The length of SHA-256 hashes, seeds and salts."""

EID_BYTES: Final = 16
"""The length of an encounter's UUID as raw bytes."""

ID: Final = "[a-z0-9][a-z0-9-]{0,23}"
"""The pattern of ids of creatures, seats, sides and groups; use `fullmatch`, because `$` allows a newline."""

_ID: Final = re.compile(ID)


def label(use: str) -> bytes:
    """Return the label with which every hash input for *use* begins."""
    return f"{ALGORITHM}/{use}".encode("ascii") + b"\x00"


def lp(raw: bytes) -> bytes:
    """Return *raw* with its length as a u16 prefix."""
    return len(raw).to_bytes(2, "big") + raw


def hkdf(salt: bytes, ikm: bytes, info: bytes) -> bytes:
    """Return 32 bytes of HKDF-SHA-256 (RFC 5869): one block of output, so the counter is always 1."""
    extracted = hmac.digest(salt, ikm, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


def check_id(value: str) -> str:
    """Return *value* if it is an id; raises `BadParameter`."""
    if _ID.fullmatch(value) is None:
        raise BadParameter(f"{value!r} is not an id: 1 to 24 of a-z, 0-9 and -, not beginning with -")
    return value


def check_length(raw: bytes, length: int, what: str) -> bytes:
    """Return *raw* if it has *length* bytes; raises `BadParameter`, which never contains the bytes."""
    if len(raw) != length:
        raise BadParameter(f"{what} has {len(raw)} bytes, not {length}")
    return raw
