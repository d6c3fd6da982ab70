"""Put a whole encounter into one compressed, encrypted file, and restore every byte of it.

The file is encrypted with a key derived from the service's own, because it contains sealed data. The
encounter's secret is not in it.
"""

from __future__ import annotations

import bz2
from collections.abc import Sequence
from os import urandom
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.dice.encoding import hkdf
from service.key_files import Keyring
from service.log.values import StoredEncounter
from service.stores.archive import lines
from service.stores.secrets import opened_by_one

MAGIC: Final = b"RWARCH2\n"
_LABEL: Final = b"rewound/archive-key/1"
_NONCE_BYTES: Final = 12
_LENGTH_BYTES: Final = 8


class NotAnArchive(Exception):
    """The bytes are not the archived encounter: damaged, of another one, or written with another key."""

    def __init__(self, encounter: str, why: str) -> None:
        super().__init__(f"the archived file of {encounter} cannot be read: {why}")
        self.encounter = encounter


def key_of(secret_key: bytes) -> bytes:
    """Return the key that encrypts archived encounters."""
    return hkdf(salt=b"", ikm=secret_key, info=_LABEL)


def keys_of(ring: Keyring) -> tuple[bytes, ...]:
    """Return the keys that open archived encounters; the first encrypts them."""
    return (*map(key_of, ring.keys), *ring.archives)


def pack(stored: StoredEncounter, key: bytes, pause: lines.Pause = lines.no_pause) -> bytes:
    """Return the file with *stored*; raise `lines.NotSpelled`. *pause* is called repeatedly meanwhile."""
    nonce = urandom(_NONCE_BYTES)
    text, data = lines.spell(stored, pause)
    text = bz2.compress(text)  # smaller than LZMA for texts of a few hundred commands
    body = len(text).to_bytes(_LENGTH_BYTES, "big") + text + data
    return MAGIC + nonce + AESGCM(key).encrypt(nonce, body, stored.encounter.encode())


def unpack(
    encounter: str, raw: bytes, keys: Sequence[bytes], pause: lines.Pause = lines.no_pause
) -> StoredEncounter:
    """Return the encounter that `pack` put into *raw* under one of *keys*; raise `NotAnArchive`."""
    if not raw.startswith(MAGIC):
        raise NotAnArchive(encounter, "it is of another format")
    body = opened_by_one(keys, raw[len(MAGIC) :], encounter.encode())
    if body is None:
        raise NotAnArchive(encounter, "it is damaged, or was written with another key")
    try:
        end = _LENGTH_BYTES + int.from_bytes(body[:_LENGTH_BYTES], "big")
        return lines.read(encounter, bz2.decompress(body[_LENGTH_BYTES:end]), body[end:], pause)
    except (OSError, ValueError, LookupError) as fault:
        raise NotAnArchive(encounter, type(fault).__name__) from fault
