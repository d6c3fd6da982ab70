"""Make encounter ids of hashes, so that a repeated request names the same encounter."""

from __future__ import annotations

from typing import Final
from uuid import UUID

_BYTES: Final = 16


def uuid8(digest: bytes) -> str:
    """Return the UUID of version 8 (RFC 9562) with the first 122 free bits of *digest*."""
    raw = bytearray(digest[:_BYTES])
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    return str(UUID(bytes=bytes(raw)))
