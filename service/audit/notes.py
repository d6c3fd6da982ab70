"""Sign texts as C2SP notes (signed-note) with Ed25519, and read notes that others signed.

A note is a text that ends in a newline, an empty line, and signature lines. A key has a name and 32 public
bytes; its id is a hash of both.

Laws. Verify a note before you trust anything in it. Each value has one spelling: non-canonical base64 is
refused, so that an altered note never verifies. Outside this file a key is its 32 secret bytes, its 32 public
bytes, or the verifier key's line.
"""

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from service.record.ed25519 import is_signed, public_key, sign_bytes

LOG: Final = b"\x01"
"""The type of a key that signs notes: the first byte of its verifier key, and part of its id."""
COSIGNER: Final = b"\x04"
"""The type of a key that cosigns checkpoints (tlog-cosignature, Ed25519)."""

_ID_BYTES: Final = 4
_KEY_BYTES: Final = 32
_MOST_SIGNATURES: Final = 100
"""The limit on signature lines, which bounds the cost of reading a stranger's note."""

_NAME: Final = re.compile(r"[^\s+\x00-\x1f\x7f\ud800-\udfff]+")
_DASH: Final = "\N{EM DASH} "


class BadNote(ValueError):
    """A note, a signature or a verifier key is malformed or does not verify."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature line: the name of the key, its id of 4 bytes, and the signature."""

    name: str
    key_id: bytes
    value: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note, unverified."""

    text: str
    """The signed text, its last newline included."""
    signatures: tuple[Signature, ...]


# --- keys --------------------------------------------------------------------------------------------


def verifier_key(name: str, public: bytes, kind: bytes = LOG) -> str:
    """Return the C2SP verifier key: a line with the key's name, its id and the key; raises `BadNote`."""
    return f"{check_name(name)}+{id_of(name, public, kind).hex()}+{base64(kind + public)}"


def read_verifier_key(line: str, kind: bytes = LOG) -> tuple[str, bytes]:
    """Return the name and the raw public key of a verifier key *line* of a *kind*; raises `BadNote`."""
    name, _, rest = line.partition("+")
    given_id, _, value = rest.partition("+")
    raw = unbase64(value)
    public = raw.removeprefix(kind)
    if len(raw) != 1 + _KEY_BYTES or len(public) != _KEY_BYTES:
        raise BadNote(f"{line!r} is not an Ed25519 verifier key of this kind")
    if verifier_key(name, public, kind) != line:
        raise BadNote(f"the id {given_id!r} is not that of the key")
    return name, public


# --- notes -------------------------------------------------------------------------------------------


def sign(text: str, name: str, secret: bytes) -> str:
    """Return *text* as a note with one signature, by the raw *secret* key called *name*."""
    key_id = id_of(name, public_key(secret))
    return f"{text}\n{signature_line(name, key_id + sign_bytes(text.encode(), secret))}"


def signature_line(name: str, value: bytes) -> str:
    """Return a signature line, its newline included: *value* is the key's id, then the signature."""
    return f"{_DASH}{name} {base64(value)}\n"


def verify(note: str, key: str) -> str:
    """Return the text of *note* if the verifier key *key* signed it; raises `BadNote`.

    Signatures of other keys are ignored.
    """
    name, public = read_verifier_key(key)
    read = parse(note)
    key_id = id_of(name, public)
    ours = [line.value for line in read.signatures if (line.name, line.key_id) == (name, key_id)]
    if not ours:
        raise BadNote(f"the key {name}+{key_id.hex()} has not signed the note")
    if not all(is_signed(read.text.encode(), signature, public) for signature in ours):
        raise BadNote(f"the signature of {name}+{key_id.hex()} is false")
    return read.text


def parse(note: str) -> Note:
    """Return *note* parsed but not verified; raises `BadNote`."""
    text, gap, tail = note.partition("\n\n")
    if not gap or not tail.endswith("\n"):
        raise BadNote("a note is a text, an empty line and signatures")
    signatures = tail[:-1].split("\n")
    if len(signatures) > _MOST_SIGNATURES:
        raise BadNote(f"a note has at most {_MOST_SIGNATURES} signatures")
    return Note(text + "\n", tuple(map(_read_signature, signatures)))


def _read_signature(line: str) -> Signature:
    name, _, value = line.removeprefix(_DASH).partition(" ")
    raw = unbase64(value)
    if not line.startswith(_DASH) or len(raw) <= _ID_BYTES:
        raise BadNote(f"{line!r} is not a signature line")
    return Signature(check_name(name), raw[:_ID_BYTES], raw[_ID_BYTES:])


def id_of(name: str, public: bytes, kind: bytes = LOG) -> bytes:
    """Return the key's id, the 4 bytes that identify it in a signature line."""
    return sha256(name.encode() + b"\n" + kind + public).digest()[:_ID_BYTES]


# --- texts -------------------------------------------------------------------------------------------


def check_name(name: str) -> str:
    """Return *name* if it is a valid key name; raises `BadNote`."""
    if _NAME.fullmatch(name) is None:
        raise BadNote(f"{name!r} is not a name without spaces, plus signs and control characters")
    return name


def base64(raw: bytes) -> str:
    """Return the canonical base64 of *raw*."""
    return b64encode(raw).decode("ascii")


def unbase64(text: str) -> bytes:
    """Return the bytes that *text* encodes as canonical base64; raises `BadNote`."""
    try:
        raw = b64decode(text, validate=True)
    except (Base64Error, ValueError) as fault:
        raise BadNote(f"{text!r} is not base64") from fault
    if base64(raw) != text:
        raise BadNote(f"{text!r} is not the canonical base64 of its bytes")
    return raw
