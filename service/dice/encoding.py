"""Spell the byte strings that rewound/dice/1 hashes.

Two laws. Every hash begins with a label that names its use, so no value made for one use passes for another.
What varies in length is length-prefixed or stands last, so no two inputs have the same bytes. Integers are
big-endian: u8, u16, u32, u64.
"""

import hmac
import re
from typing import Final

from service.dice.errors import BadParameter

ALGORITHM: Final = "rewound/dice/1"

HASH_BYTES: Final = 32
"""Length of everything SHA-256 gives, and of seeds and salts."""

EID_BYTES: Final = 16
"""Length of an encounter's UUID, raw."""

ID: Final = "[a-z0-9][a-z0-9-]{0,23}"
"""Pattern of the id of a creature, seat, side or group; for `fullmatch`, because `$` lets a newline pass."""

_ID: Final = re.compile(ID)


def label(use: str) -> bytes:
    """Return what every hash for *use* begins with."""
    return f"{ALGORITHM}/{use}".encode("ascii") + b"\x00"


def lp(raw: bytes) -> bytes:
    """Return *raw* behind its length as u16."""
    return len(raw).to_bytes(2, "big") + raw


def hkdf(salt: bytes, ikm: bytes, info: bytes) -> bytes:
    """Return 32 bytes of HKDF with SHA-256 (RFC 5869): one block of output, so the counter is always 1."""
    extracted = hmac.digest(salt, ikm, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


def check_id(value: str) -> str:
    """Return *value* if it is an id; raises `BadParameter`."""
    if _ID.fullmatch(value) is None:
        raise BadParameter(f"{value!r} is no id: 1 to 24 of a-z, 0-9 and -, not beginning with -")
    return value


def check_length(raw: bytes, length: int, what: str) -> bytes:
    """Return *raw* if it has *length* bytes; raises `BadParameter` with the lengths, never with the bytes."""
    if len(raw) != length:
        raise BadParameter(f"{what} has {len(raw)} bytes, not {length}")
    return raw
