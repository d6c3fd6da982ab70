"""Sign commands with a key of the seat, so that nobody, the service included, speaks in its name.

A signature covers the command, its idempotency key, and the newest commit that the seat has seen: the service
cannot take the command into another history. It needs the package `cryptography` (the extra `signing`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from rewound_client.errors import RewoundError
from rewound_client.transport import Request

HEADER: Final = "Rewound-Signature"
_LABEL: Final = b"rewound/request/1\x00"
_SECRET_BYTES: Final = 32


class OtherKey(RewoundError):
    """The seat has another key than the given one; the gm can replace it."""


class SeatKey:
    """The secret key of a seat (Ed25519). Anyone who has it speaks for the seat, so keep it to yourself."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        """32 bytes; store them to sign with the same key later."""
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - an extra

        self._key = ed25519.Ed25519PrivateKey.from_private_bytes(secret)

    @classmethod
    def make(cls) -> Self:
        """Return a new key."""
        return cls(os.urandom(_SECRET_BYTES))

    @classmethod
    def kept_in(cls, path: str | os.PathLike[str]) -> Self:
        """Return the key in the file at *path*; if there is no file, make a key and store it there.

        The file has the secret as 64 hexadecimal digits, and is readable by its owner alone.
        """
        file = Path(path)
        if not file.exists():
            made = cls.make()
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as out:
                out.write(f"{made.secret.hex()}\n")
                out.flush()
                os.fsync(out.fileno())
        return cls(bytes.fromhex(file.read_text("ascii").strip()))

    @property
    def public(self) -> str:
        """The public key, as the service takes it: 64 hexadecimal digits."""
        return self._key.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        """Return the signature of *message*, as 128 hexadecimal digits."""
        return self._key.sign(message).hex()


class Head(NamedTuple):
    """The newest commit that a seat has seen: its line of play, its number and its hash."""

    line: str
    n: int
    hash: str


class Signer:
    """Signs the commands of one seat, together with the newest commit that it has seen."""

    def __init__(self, seat: str, key: SeatKey) -> None:
        self.seat = seat
        self.key = key
        self.head: Head | None = None

    def see(self, line: str, n: int, hash_: str) -> None:
        """Remember commit *n* of *line*, unless a later commit of the same line has been seen."""
        if self.head is None or self.head.line != line or self.head.n < n:
            self.head = Head(line, n, hash_)

    def see_outcomes(self, answer: object) -> None:
        """Remember the last commit of the outcomes in *answer*, which are of the line that was signed."""
        outcomes: Sequence[Any] = answer.get("outcomes") or [answer] if isinstance(answer, Mapping) else []
        for each in outcomes:
            if self.head is not None and isinstance(each, Mapping) and "n" in each and each.get("hash"):
                self.see(self.head.line, each["n"], each["hash"])

    def signed(self, request: Request) -> Request:
        """Return *request* with a signature of each of its commands."""
        assert self.head is not None, "the signer has seen the encounter"
        values = [
            self.key.sign(_statement(self.head, self.seat, command, request.key, index))
            for index, command in enumerate(request.commands)
        ]
        field = f"{self.head.n}:{self.head.hash} {' '.join(values)}"
        return replace(request, headers={**request.headers, HEADER: field})


def _statement(head: Head, seat: str, command: Mapping[str, Any], key: str, index: int) -> bytes:
    """Return the bytes that a seat signs (`rewound/request/1`)."""
    said = {
        "encounter": head.line,
        "seat": seat,
        "type": command["type"],
        "data": {name: value for name, value in command.items() if name != "type"},
        "key": key,
        "index": index,
        "head": {"n": head.n, "hash": head.hash},
    }
    return _LABEL + json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
