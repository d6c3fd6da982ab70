"""Cosign checkpoints of logs as a witness does (C2SP tlog-cosignature), and verify cosignatures.

A cosignature states: at this time (seconds since 1970), the largest consistent tree that the witness has seen
of this log has this root. It is a signature line of the checkpoint's note, by a key of type 4.

Laws. A cosignature is valid only for the whole text of its note, so every cosignature of one note is of one
size and one root.
"""

from __future__ import annotations

from typing import Final

from service.audit import notes
from service.audit.notes import COSIGNER, Note
from service.record.ed25519 import is_signed, public_key, sign_bytes

_HEADER: Final = "cosignature/v1"
_TIME_BYTES: Final = 8
_SIGNATURE_BYTES: Final = 64
_LATEST: Final = 2**53 - 1
"""The latest time that both verifiers read exactly."""


def cosign(text: str, name: str, secret: bytes, now: int) -> str:
    """Return the signature line, its newline included, with which *name* cosigns a note's *text* at *now*."""
    signature = sign_bytes(_message(text, now), secret)
    key_id = notes.id_of(name, public_key(secret), COSIGNER)
    return notes.signature_line(name, key_id + now.to_bytes(_TIME_BYTES, "big") + signature)


def cosigned_at(note: Note, name: str, public: bytes) -> int | None:
    """Return when the witness *name* with this key cosigned *note*; None if it did not.

    Of several valid cosignatures the first time counts. A line of the key that is false counts as none.
    """
    key_id = notes.id_of(name, public, COSIGNER)
    found = [
        time
        for line in note.signatures
        if (line.name, line.key_id) == (name, key_id)
        and (time := _verified(note.text, line.value, public)) is not None
    ]
    return min(found, default=None)


def _verified(text: str, value: bytes, public: bytes) -> int | None:
    if len(value) != _TIME_BYTES + _SIGNATURE_BYTES:
        return None
    time = int.from_bytes(value[:_TIME_BYTES], "big")
    if time > _LATEST or not is_signed(_message(text, time), value[_TIME_BYTES:], public):
        return None
    return time


def _message(text: str, time: int) -> bytes:
    return f"{_HEADER}\ntime {time}\n{text}".encode()


def merged(note: str, lines: str) -> str:
    """Return *note* with the signature *lines* of an answer added, each once; raises `BadNote`."""
    signed = notes.parse(note)
    added = notes.parse(f"{signed.text}\n{lines}")
    known = set(signed.signatures)
    fresh = [line for line in dict.fromkeys(added.signatures) if line not in known]
    return note + "".join(notes.signature_line(line.name, line.key_id + line.value) for line in fresh)
