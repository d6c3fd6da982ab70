"""Sign bytes with Ed25519 (RFC 8032), and verify signatures strictly.

Outside this file a key is its 32 secret bytes or its 32 public bytes. A public key has one spelling, so that
two verifiers cannot differ about it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SIGNATURE: Final = 64
"""Bytes of a signature."""
_P: Final = 2**255 - 19
"""The prime of the curve's field."""


@lru_cache(maxsize=4)
def _private(secret: bytes) -> Ed25519PrivateKey:
    """Return the raw *secret* key, parsed; cached because parsing takes longer than signing."""
    return Ed25519PrivateKey.from_private_bytes(secret)


@lru_cache(maxsize=4)
def public_key(secret: bytes) -> bytes:
    """Return the raw public key of a raw *secret* one."""
    return _private(secret).public_key().public_bytes_raw()


def sign_bytes(message: bytes, secret: bytes) -> bytes:
    """Return the signature (64 bytes) of *message* by the raw *secret* key."""
    return _private(secret).sign(message)


def is_signed(message: bytes, signature: bytes, public: bytes) -> bool:
    """Return whether *signature* is a valid signature of *message* by the raw *public* key."""
    if not _is_one_spelling(public):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_one_spelling(public: bytes) -> bool:
    """Return whether *public* encodes a point canonically (RFC 8032, 5.1.3), which OpenSSL does not check."""
    encoded = int.from_bytes(public, "little")
    y, sign = encoded & (2**255 - 1), encoded >> 255
    return y < _P and not (sign and y in (1, _P - 1))
