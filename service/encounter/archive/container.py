"""Spell a whole encounter as one compressed, encrypted file, and read it back to the byte.

What follows from other bytes is left out: a commit's `prev` is the hash of the commit before it, and its
`request` the digest of its request. Text stands beside its like, so that a window of the compressor sees it
again. The file is encrypted with a key that follows from the service's own, for it holds what is sealed;
the encounter's secret is not in it.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from os import urandom
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.dice.encoding import hkdf
from service.encounter.record.canonical import commit_hash, request_digest
from service.log.values import ZERO_HASH, Payload, StoredEncounter

FORMAT: Final = "rewound/archive/1"
MAGIC: Final = b"RWARCH1\n"
_LABEL: Final = b"rewound/archive-key/1"
_NONCE_BYTES: Final = 12
_PRESET: Final = 6
"""Above it a file of a long fight shrinks by less than a hundredth and takes twice the time."""

_PREV: Final = b'"prev":"%b"'
_REQUEST: Final = b'"request":"%b"'


class NotAnArchive(Exception):
    """The bytes are not the archived encounter: damaged, of another one, or written with another key."""

    def __init__(self, encounter: str, why: str) -> None:
        super().__init__(f"the archived file of {encounter} cannot be read: {why}")
        self.encounter = encounter


def key_of(service_key: bytes) -> bytes:
    """Return the key that encrypts archived encounters."""
    return hkdf(salt=b"", ikm=service_key, info=_LABEL)


def pack(stored: StoredEncounter, key: bytes) -> bytes:
    """Return the file that holds *stored*."""
    nonce = urandom(_NONCE_BYTES)
    body = lzma.compress(b"".join(_parts(stored)), preset=_PRESET)
    return MAGIC + nonce + AESGCM(key).encrypt(nonce, body, stored.encounter.encode())


def unpack(encounter: str, raw: bytes, key: bytes) -> StoredEncounter:
    """Return the encounter that `pack` put into *raw*; raises `NotAnArchive`."""
    start = len(MAGIC) + _NONCE_BYTES
    if not raw.startswith(MAGIC):
        raise NotAnArchive(encounter, "it is of another format")
    try:
        body = AESGCM(key).decrypt(raw[len(MAGIC) : start], raw[start:], encounter.encode())
        return _read(encounter, lzma.decompress(body))
    except (InvalidTag, lzma.LZMAError, ValueError, KeyError, IndexError) as fault:
        raise NotAnArchive(encounter, type(fault).__name__) from fault


# --- the parts ----------------------------------------------------------------------------------------


def _parts(stored: StoredEncounter) -> Iterator[bytes]:
    head = {
        "format": FORMAT,
        "encounter": stored.encounter,
        "hash": stored.hash,
        "frontier": stored.frontier.hex(),
        "counts": [len(stored.commands), len(stored.commits), len(stored.sealed), len(stored.derived)],
        "keys": stored.keys,
        "marks": {name: value.decode("latin-1") for name, value in stored.marks.items()},
    }
    yield _framed(json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode())
    for raw in stored.commands:
        yield _framed(raw)
    prev = ZERO_HASH
    for n, raw in enumerate(stored.commits):
        request = request_digest(stored.commands[n]).hex()
        yield _framed(_short(raw, prev, request))
        prev = commit_hash(raw).hex()
    for payload in stored.sealed:
        yield _framed(f"{payload.n} {payload.index} ".encode() + payload.raw)
    for name, value in stored.derived.items():
        yield _framed(name.encode() + b" " + value)


def _read(encounter: str, body: bytes) -> StoredEncounter:
    parts = _frames(body)
    head: dict[str, Any] = json.loads(next(parts))
    if head["format"] != FORMAT or head["encounter"] != encounter:
        raise ValueError("it is another encounter")
    counts = head["counts"]
    commands = [next(parts) for _ in range(counts[0])]
    commits: list[bytes] = []
    prev = ZERO_HASH
    for n in range(counts[1]):
        commits.append(_whole(next(parts), prev, request_digest(commands[n]).hex()))
        prev = commit_hash(commits[-1]).hex()
    if prev != head["hash"]:
        raise ValueError("the chain ends in another hash")
    sealed = []
    for _ in range(counts[2]):
        of, index, raw = next(parts).split(b" ", 2)
        sealed.append(Payload(int(of), int(index), raw))
    derived = dict(_named(next(parts)) for _ in range(counts[3]))
    return StoredEncounter(
        encounter=encounter,
        hash=head["hash"],
        frontier=bytes.fromhex(head["frontier"]),
        commands=commands,
        commits=commits,
        sealed=sealed,
        keys=head["keys"],
        marks={name: value.encode("latin-1") for name, value in head["marks"].items()},
        derived=derived,
    )


def _named(part: bytes) -> tuple[str, bytes]:
    name, _, value = part.partition(b" ")
    return name.decode(), value


def _short(raw: bytes, prev: str, request: str) -> bytes:
    """Return a commit without what follows from others, with a mark in front; as it is where it does not."""
    short = raw
    for member, value in ((_PREV, prev), (_REQUEST, request)):
        short = short.replace(member % value.encode(), member % b"", 1)
    whole = b"-" + short
    return whole if _whole(whole, prev, request) == raw else b"=" + raw


def _whole(part: bytes, prev: str, request: str) -> bytes:
    """Return the commit that `_short` made *part* of."""
    whole = part[1:]
    if part[:1] == b"=":
        return whole
    for member, value in ((_PREV, prev), (_REQUEST, request)):
        whole = whole.replace(member % b"", member % value.encode(), 1)
    return whole


def _framed(part: bytes) -> bytes:
    return b"%d\n" % len(part) + part


def _frames(body: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(body):
        end = body.index(b"\n", at)
        size = int(body[at:end])
        part = body[end + 1 : end + 1 + size]
        if len(part) != size:
            raise ValueError("it is cut short")
        yield part
        at = end + 1 + size
