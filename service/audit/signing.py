"""Manage the service's signing key: publish its public half, and rotate it.

Laws. The secret key is in a file that only its owner may read, never in the store; only workers read it. A
published key is never withdrawn: an older key stays listed for its signatures. A rotation is a note, signed
by the older key, that names the newer one, so those who trust the one may trust the other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from service.audit import notes
from service.audit.checkpoint import Checkpoint, sign
from service.audit.notes import BadNote, base64, unbase64, verifier_key
from service.log import Log
from service.record.ed25519 import public_key

COLLECTION: Final = "signing"
FOREIGN: Final = "signing-foreign"
ALGORITHM: Final = "Ed25519"
_ROTATION: Final = "rewound/key/1"
_PAGE: Final = 50
_LINES: Final = 3
_KEY_BYTES: Final = 32


@dataclass(frozen=True)
class Signer:
    """A signer: the origin of the service, and its secret key."""

    origin: str
    secret: bytes = field(repr=False)

    @property
    def public(self) -> bytes:
        """The raw public key."""
        return public_key(self.secret)

    def checkpoint(self, encounter: str, size: int, root: bytes) -> str:
        """Return the signed note that the first *size* commits of *encounter* have this *root*."""
        return sign(Checkpoint(name_of(self.origin, encounter), size, root), self.secret)


@dataclass(frozen=True)
class PublishedKey:
    """A public key of this service, as published."""

    name: str
    """The origin: keys of encounters are called `<name>/<encounter>`."""
    public: str
    """64 hexadecimal digits."""
    since: int
    """Seconds since 1970."""
    rotation: str | None = None
    """The note in which the previous key names this one; None if no key vouches for it."""


@dataclass(frozen=True)
class VouchedKey:
    """A public key in a bundle: its name, and the rotation note in which the previous key names it."""

    name: str
    public: bytes
    rotation: str | None = None


def name_of(origin: str, encounter: str) -> str:
    """Return the name of the key that signs for *encounter*: the first line of its checkpoints."""
    return f"{origin}/{encounter}"


# --- in the store ------------------------------------------------------------------------------------


def publish(log: Log, signer: Signer, now: float) -> None:
    """Publish the public key of *signer* unless it is published already."""
    put(log, PublishedKey(signer.origin, signer.public.hex(), int(now)))


def put(log: Log, key: PublishedKey) -> None:
    """Publish *key* unless it is published already; a stored entry never changes."""
    if log.record(COLLECTION, key.public) is None:
        log.put_record(COLLECTION, key.public, json.dumps(asdict(key)).encode())


def published(log: Log) -> list[PublishedKey]:
    """Return every key of this service, oldest first."""
    found: list[PublishedKey] = []
    before = None
    while page := log.records(COLLECTION, before, _PAGE):
        found += [PublishedKey(**json.loads(record.blob)) for record in page]
        before = page[-1].number
    return found[::-1]


def is_unvouched(log: Log, signer: Signer) -> bool:
    """Return whether the service has earlier keys and none of them names the key of *signer*.

    Two machines with different key files sign two series of checkpoints, and those who pinned one key cannot
    trust the other. Publish the key first: if two machines start at once, the later key is unvouched.
    """
    listed = published(log)
    mine = next((key for key in listed if key.public == signer.public.hex()), None)
    return mine is not None and mine != listed[0] and mine.rotation is None


def vouched(log: Log) -> list[VouchedKey]:
    """Return every key of this service as in a bundle, oldest first."""
    return [VouchedKey(key.name, bytes.fromhex(key.public), key.rotation) for key in published(log)]


def own_keys(log: Log, encounter: str) -> tuple[bytes, ...]:
    """Return the public keys with which this service signs *encounter*; none for an import."""
    return () if foreign(log, encounter) else tuple(key.public for key in vouched(log))


def store_foreign_keys(log: Log, encounter: str, keys: Iterable[VouchedKey]) -> None:
    """Store the keys with which another service signed *encounter*, an import."""
    entries = [{"name": key.name, "public": key.public.hex(), "rotation": key.rotation} for key in keys]
    if entries:
        log.put_record(FOREIGN, encounter, json.dumps(entries).encode())


def foreign(log: Log, encounter: str) -> list[VouchedKey]:
    """Return the keys with which another service signed *encounter*; none if it is not an import."""
    blob = log.record(FOREIGN, encounter)
    entries = [] if blob is None else json.loads(blob)
    return [VouchedKey(key["name"], bytes.fromhex(key["public"]), key["rotation"]) for key in entries]


# --- rotation ----------------------------------------------------------------------------------------


def rotation(origin: str, old_secret: bytes, new_public: bytes) -> str:
    """Return the note in which the key *old_secret* names its successor *new_public*."""
    return notes.sign(f"{origin}\n{_ROTATION}\n{base64(new_public)}\n", origin, old_secret)


def read_rotation(note: str, origin: str, old_public: bytes) -> bytes:
    """Return the public key that *old_public* names as its successor in *note*; raises `BadNote`."""
    vouched_for, public = _rotation_in(notes.verify(note, verifier_key(origin, old_public)))
    if vouched_for != origin:
        raise BadNote(f"the rotation is of {vouched_for}, the key is of {origin}")
    return public


def check_rotation(note: str) -> None:
    """Raise `BadNote` unless *note* has the form of a rotation. Its signature is not verified."""
    origin, _ = _rotation_in(notes.parse(note).text)
    notes.check_name(origin)


def _rotation_in(text: str) -> tuple[str, bytes]:
    """Return the origin and the next key in a rotation's *text*; raises `BadNote`."""
    lines = text[:-1].split("\n")
    if len(lines) != _LINES or lines[1] != _ROTATION:
        raise BadNote("a rotation consists of the origin, its format and the next key")
    public = unbase64(lines[2])
    if len(public) != _KEY_BYTES:
        raise BadNote("a rotation names a key of 32 bytes")
    return lines[0], public


def believed(origin: str, pinned: Iterable[bytes], rotations: Iterable[str]) -> set[bytes]:
    """Return the *pinned* keys and all their successors by *rotations*."""
    found, left = set(pinned), list(rotations)
    while True:
        fresh = {key for note in left for old in found if (key := _named(note, origin, old)) is not None}
        if fresh <= found:
            return found
        found |= fresh


def _named(note: str, origin: str, old_public: bytes) -> bytes | None:
    try:
        return read_rotation(note, origin, old_public)
    except BadNote:
        return None


def rotate(
    log: Log, origin: str, file: Path, now: float, read_or_create_key: Callable[[Path], bytes]
) -> PublishedKey:
    """Replace the key in *file* with a new one that the old key vouches for; the old secret is deleted.

    *read_or_create_key* reads a key file, and creates it if it does not exist. The call can be repeated after
    an interruption: the new key is in a file beside the old one until it is published.
    """
    old = Signer(origin, read_or_create_key(file))
    coming = file.with_name(file.name + ".next")
    new = Signer(origin, read_or_create_key(coming))
    publish(log, old, now)
    key = PublishedKey(origin, new.public.hex(), int(now), rotation(origin, old.secret, new.public))
    put(log, key)
    os.replace(coming, file)  # noqa: PTH105 - os.replace is atomic
    return key
