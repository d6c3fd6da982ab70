"""Sign the head of an encounter's tree, and read what others signed.

A checkpoint is a signed note of C2SP (signed-note, tlog-checkpoint) with Ed25519: three lines, an empty one,
and signature lines. Its origin, `<origin>/<encounter>`, is also the name of its key.

Laws. A note is verified before a field of it is believed. There is one spelling: base64 that another encoder
would write differently is refused, so that a note cannot be altered and still verify. Outside of this file a
key is its 32 secret bytes, its 32 public bytes, or the verifier key's line.
"""

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_ED25519: Final = b"\x01"
"""The signature type of C2SP, first byte of a verifier key and part of a key's id."""

_ID_BYTES: Final = 4
_KEY_BYTES: Final = 32
_ROOT_BYTES: Final = 32
_SIGNATURE_BYTES: Final = 64
_MOST_SIGNATURES: Final = 100
"""A note from outside costs no more than this many lines to read."""

_NAME: Final = re.compile(r"[^\s+\x00-\x1f\x7f\ud800-\udfff]+")
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_DASH: Final = "\N{EM DASH} "


class BadCheckpoint(ValueError):
    """A note, a signature or a verifier key that is malformed or does not verify."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is signed: how many commits the encounter has, and the root over their hashes.

    Raises `BadCheckpoint` for an origin that is no key's name, a size below 0, a root of another length.
    """

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        _check_name(self.origin)
        if _SIZE.fullmatch(str(self.size)) is None or len(self.root) != _ROOT_BYTES:
            raise BadCheckpoint(f"no tree has size {self.size} and a root of {len(self.root)} bytes")

    @property
    def text(self) -> str:
        """The signed text, its last newline included."""
        return f"{self.origin}\n{self.size}\n{_base64(self.root)}\n"


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature line: the name of the key, its id of 4 bytes, and what it signed with."""

    name: str
    key_id: bytes
    value: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A note as read: nothing of it is believed yet."""

    checkpoint: Checkpoint
    signatures: tuple[Signature, ...]


def public_key(secret: bytes) -> bytes:
    """Return the raw public key of a raw *secret* one."""
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def verifier_key(origin: str, public: bytes) -> str:
    """Return the line that verifiers are given: the key's name, its id and the key."""
    return f"{_check_name(origin)}+{_key_id(origin, public).hex()}+{_base64(_ED25519 + public)}"


def sign(checkpoint: Checkpoint, secret: bytes) -> str:
    """Return *checkpoint* as a note with one signature, by the raw *secret* key."""
    key = Ed25519PrivateKey.from_private_bytes(secret)
    key_id = _key_id(checkpoint.origin, key.public_key().public_bytes_raw())
    signature = _base64(key_id + key.sign(checkpoint.text.encode()))
    return f"{checkpoint.text}\n{_DASH}{checkpoint.origin} {signature}\n"


def verify(note: str, key: str) -> Checkpoint:
    """Return the checkpoint of *note* if the verifier key *key* signed it; raises `BadCheckpoint`.

    Signatures of other keys are passed over. The checkpoint's origin is the key's name, so a note of one
    encounter never verifies for another.
    """
    name, public = _read_verifier_key(key)
    read = parse(note)
    if read.checkpoint.origin != name:
        raise BadCheckpoint(f"the note is of {read.checkpoint.origin}, the key is of {name}")
    key_id = _key_id(name, public)
    ours = [line.value for line in read.signatures if (line.name, line.key_id) == (name, key_id)]
    if not ours:
        raise BadCheckpoint(f"the key {name}+{key_id.hex()} has not signed the note")
    for signature in ours:
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, read.checkpoint.text.encode())
        except InvalidSignature as fault:
            raise BadCheckpoint(f"the signature of {name}+{key_id.hex()} is false") from fault
    return read.checkpoint


def parse(note: str) -> Note:
    """Return *note* read but not verified; raises `BadCheckpoint`."""
    text, gap, tail = note.partition("\n\n")
    lines = text.split("\n")
    if not gap or len(lines) != 3 or not tail.endswith("\n"):  # noqa: PLR2004 - origin, size, root
        raise BadCheckpoint("a checkpoint has three lines, an empty one and signatures")
    origin, size, root = lines
    if _SIZE.fullmatch(size) is None:
        raise BadCheckpoint(f"{size!r} is no size")
    signatures = tail[:-1].split("\n")
    if len(signatures) > _MOST_SIGNATURES:
        raise BadCheckpoint(f"a note has at most {_MOST_SIGNATURES} signatures")
    return Note(Checkpoint(origin, int(size), _unbase64(root)), tuple(map(_read_signature, signatures)))


def _read_signature(line: str) -> Signature:
    name, _, value = line.removeprefix(_DASH).partition(" ")
    raw = _unbase64(value)
    if not line.startswith(_DASH) or len(raw) <= _ID_BYTES:
        raise BadCheckpoint(f"{line!r} is no signature line")
    return Signature(_check_name(name), raw[:_ID_BYTES], raw[_ID_BYTES:])


def _read_verifier_key(line: str) -> tuple[str, bytes]:
    """Return the name and the raw public key of a verifier key *line*."""
    name, _, rest = line.partition("+")
    given_id, _, value = rest.partition("+")
    raw = _unbase64(value)
    public = raw.removeprefix(_ED25519)
    if len(raw) != 1 + _KEY_BYTES or len(public) != _KEY_BYTES:
        raise BadCheckpoint(f"{line!r} is no Ed25519 verifier key")
    if verifier_key(name, public) != line:
        raise BadCheckpoint(f"the id {given_id!r} is not that of the key")
    return name, public


def _key_id(name: str, public: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:_ID_BYTES]


def _check_name(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise BadCheckpoint(f"{name!r} is no name: it has no spaces, no plus, no control characters")
    return name


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode("ascii")


def _unbase64(text: str) -> bytes:
    try:
        raw = b64decode(text, validate=True)
    except (Base64Error, ValueError) as fault:
        raise BadCheckpoint(f"{text!r} is not base64") from fault
    if _base64(raw) != text:
        raise BadCheckpoint(f"{text!r} is not the one spelling of its bytes")
    return raw
