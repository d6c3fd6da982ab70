"""Put a backup into files of a storage, and read it again; a file that is not as it was written is refused.

A backup is a manifest and numbered parts. The manifest is written last, with the digest of every part: a
backup without one was not finished. Each file is compressed and ends with its digest; an encrypted one is
sealed (AES-256-GCM) and bound to its name, with a key that follows from the service's secret key.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from os import urandom
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.dice.encoding import hkdf
from service.key_files import Keyring
from service.stores.archive.storage import FileMissing, Storage
from service.stores.backups import items
from service.stores.backups.items import Item
from service.stores.secrets import opened_by_one

PREFIX: Final = "backup-"
PART_BYTES: Final = 4_000_000
"""The size from which a part takes no further item, in bytes before they are compressed."""

_MAGIC: Final = b"RWBACK1\n"
_PLAIN: Final = b"p"
_SEALED: Final = b"s"
_LABEL: Final = b"rewound/backup-key/1"
_NONCE_BYTES: Final = 12
_MANIFEST: Final = ".manifest"
_PART: Final = ".part"
_LEVEL: Final = 6


class BackupRefused(Exception):
    """A backup cannot be read or used; the message names the place and the reason."""


@dataclass(frozen=True)
class BackupPart:
    """One file of a backup."""

    name: str
    size: int
    digest: str
    """SHA-256 of the file, in hexadecimal digits."""


@dataclass(frozen=True)
class Manifest:
    """What a backup has."""

    backup: str
    began: str
    """RFC 3339: what was acknowledged before is in the backup."""
    version: str
    """The version of Rewound that wrote it."""
    store: str
    """The format of the store."""
    encounters: int = 0
    archived: int = 0
    commits: int = 0
    waiting: int = 0
    """Commands that were not decided yet."""
    records: int = 0
    unsound: dict[str, str] = field(default_factory=dict)
    """Encounters whose record was not sound when it was read, each with its verdict."""
    parts: tuple[BackupPart, ...] = ()

    @property
    def size(self) -> int:
        """The size of all parts, in bytes."""
        return sum(part.size for part in self.parts)


def keys_of(ring: Keyring) -> tuple[bytes, ...]:
    """Return the keys that open backups; the first seals them."""
    return tuple(hkdf(salt=b"", ikm=key, info=_LABEL) for key in ring.keys)


def name_at(now: float) -> str:
    """Return a name for a backup that begins *now*, in seconds since 1970; names sort by time."""
    return f"{PREFIX}{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%SZ}-{urandom(3).hex()}"


class BackupWriter:
    """Writes the parts of one backup, then its manifest."""

    def __init__(self, storage: Storage, name: str, key: bytes | None) -> None:
        """Write to *storage*, sealed with *key* if there is one."""
        self._storage = storage
        self._name = name
        self._key = key
        self._waiting: list[bytes] = []
        self._bytes = 0
        self.parts: list[BackupPart] = []

    def add(self, item: Item) -> None:
        """Write *item*, now or with those that follow."""
        spelled = items.spell(item)
        self._waiting.append(spelled)
        self._bytes += len(spelled)
        if self._bytes >= PART_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write a part with the items that wait."""
        if self._waiting:
            name = f"{self._name}.{len(self.parts) + 1:06}{_PART}"
            self.parts.append(self._put(name, b"".join(self._waiting)))
            self._waiting, self._bytes = [], 0

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest: from now on the backup is there."""
        self._put(self._name + _MANIFEST, json.dumps(asdict(manifest)).encode())

    def _put(self, name: str, body: bytes) -> BackupPart:
        raw = _wrap(name, body, self._key)
        self._storage.put(name, raw)
        return BackupPart(name, len(raw), sha256(raw).hexdigest())


def finished(storage: Storage) -> list[str]:
    """Return the names of the finished backups of *storage*, the oldest first."""
    return [name.removesuffix(_MANIFEST) for name in storage.names(PREFIX) if name.endswith(_MANIFEST)]


def read_manifest(storage: Storage, name: str, keys: Sequence[bytes]) -> Manifest:
    """Return the manifest of the backup *name*; raises `BackupRefused`."""
    data = _read(storage, name + _MANIFEST, keys)
    try:
        said = json.loads(data)
        parts = tuple(BackupPart(**part) for part in said.pop("parts"))
        manifest = Manifest(**said, parts=parts)
    except (ValueError, LookupError, TypeError) as fault:
        raise BackupRefused(f"{name}{_MANIFEST}: it is of another version of Rewound: {fault}") from fault
    if manifest.backup != name:
        raise BackupRefused(f"{name}{_MANIFEST}: it is the manifest of {manifest.backup}")
    return manifest


def read_parts(storage: Storage, parts: tuple[BackupPart, ...], keys: Sequence[bytes]) -> Iterator[Item]:
    """Yield the items of *parts*; raises `BackupRefused` with the file's name if one is not as written."""
    for part in parts:
        body = _read(storage, part.name, keys, part)
        try:
            yield from items.read_all(body)
        except (ValueError, LookupError, TypeError, StopIteration) as fault:
            raise BackupRefused(f"{part.name}: {fault}") from fault


def drop(storage: Storage, name: str) -> None:
    """Delete the backup *name*, finished or not: its manifest first."""
    for file in sorted(storage.names(f"{name}."), key=lambda each: not each.endswith(_MANIFEST)):
        storage.drop(file)


def unfinished_before(storage: Storage, name: str) -> list[str]:
    """Return the backups before *name* that have parts and no manifest."""
    begun = {file.split(".")[0] for file in storage.names(PREFIX)}
    return sorted(each for each in begun - set(finished(storage)) if each < name)


def _wrap(name: str, body: bytes, key: bytes | None) -> bytes:
    packed = zlib.compress(body, _LEVEL)
    if key is None:
        return _MAGIC + _PLAIN + packed + sha256(packed).digest()
    nonce = urandom(_NONCE_BYTES)
    return _MAGIC + _SEALED + nonce + AESGCM(key).encrypt(nonce, packed, name.encode())


def _read(storage: Storage, name: str, keys: Sequence[bytes], part: BackupPart | None = None) -> bytes:
    """Return the content of the file *name*; raises `BackupRefused`."""
    try:
        raw = storage.get(name)
    except FileMissing as fault:
        raise BackupRefused(f"{name}: the file is missing") from fault
    if part is not None and len(raw) != part.size:
        raise BackupRefused(f"{name}: it has {len(raw)} bytes, and {part.size} were written")
    if part is not None and sha256(raw).hexdigest() != part.digest:
        raise BackupRefused(f"{name}: it is not the file that was written")
    if not raw.startswith(_MAGIC):
        raise BackupRefused(f"{name}: it is no file of a backup")
    rest = raw[len(_MAGIC) + 1 :]
    try:
        return zlib.decompress(_opened(name, raw[len(_MAGIC) : len(_MAGIC) + 1], rest, keys))
    except zlib.error as fault:
        raise BackupRefused(f"{name}: it is damaged") from fault


def _opened(name: str, mode: bytes, rest: bytes, keys: Sequence[bytes]) -> bytes:
    if mode == _SEALED:
        opened = opened_by_one(keys, rest, name.encode())
        if opened is None:
            raise BackupRefused(
                f"{name}: it is damaged, or was sealed with another secret key than this installation's"
            )
        return opened
    packed, digest = rest[:-32], rest[-32:]
    if mode != _PLAIN or sha256(packed).digest() != digest:
        raise BackupRefused(f"{name}: it is damaged")
    return packed
