"""The entries of the public log: an encounter was opened, a line goes on, a head was signed, it ended.

An entry is one canonical JSON object. It names the encounter and what its host is bound to, and nothing that
is a secret of the table: no player, no title, no event. The owner stands there under a pseudonym, so that
anybody counts the openings of one owner without learning who it is.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from service.record.canonical import NotCanonical, commit_hash, dumps, eid_of, read_strictly
from service.rules.kernel.hexadecimal import is_hex

VERSION: Final = 1
OPENING: Final = "opening"
LINE: Final = "line"
"""A line of play goes on from another one."""
HEAD: Final = "head"
END: Final = "end"

MOST_BYTES: Final = 65_535
"""An entry's length is written in two bytes."""

_OWNER: Final = b"rewound/public-log/1/owner\x00"
_PSEUDONYM: Final = 16
"""Bytes of an owner's pseudonym."""
_MOST: Final = 10**15

leaf_hash: Final = commit_hash
"""Return the leaf hash of an entry: it is hashed as a commit is (RFC 6962, 2.1)."""


class BadEntry(ValueError):
    """The bytes are not an entry of the public log."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One statement about an encounter."""

    kind: str
    encounter: str
    size: int
    """The number of commits that it is about; 1 for an opening; of a line that of its acceptance."""
    hash: str
    """The Merkle root over these commits; of one commit it is the commit's hash."""
    owner: str = ""
    """Of an opening: the owner's pseudonym."""
    continued_in: str = ""
    """Of an end: the line of play that continues this one, if there is one."""
    parent: str = ""
    """Of a line: the line whose record it continues."""
    n: int = 0
    """Of a line: how many commits it has of its parent."""
    head: str = ""
    """Of a line: the hash of the last of these."""
    ruled_in: str = ""
    """Of a line: the line that ends with it; its parent, unless that had ended before."""

    def to_bytes(self) -> bytes:
        """Return the entry's bytes."""
        data: dict[str, Any] = {
            "v": VERSION,
            "kind": self.kind,
            "encounter": self.encounter,
            "size": self.size,
            "root": self.hash,
        }
        if self.kind == OPENING:
            data["owner"] = self.owner
        if self.kind == LINE:
            data |= {"parent": self.parent, "n": self.n, "head": self.head, "ruled_in": self.ruled_in}
        if self.kind == END:
            data["continued_in"] = self.continued_in or None
        return dumps(data)


def read_entry(raw: bytes) -> LogEntry:
    """Return the entry of *raw*; raises `BadEntry`."""
    try:
        data = read_strictly(raw)
    except NotCanonical as fault:
        raise BadEntry(f"not canonical JSON: {fault}") from fault
    named = data.get("kind") if isinstance(data, dict) else None
    kind = named if isinstance(named, str) else ""
    own = _OWN.get(kind)
    if own is None or set(data) != {*_COMMON, *own}:
        raise BadEntry("an entry has exactly the members of its kind")
    if not all(fits(data[name]) for name, fits in {**_COMMON, **own}.items()) or len(raw) > MOST_BYTES:
        raise BadEntry("a member of the entry has not its form")
    if (kind == OPENING and data["size"] != 1) or (kind == LINE and data["n"] >= data["size"]):
        raise BadEntry("the entry is about another number of commits than its kind")
    members = {name: data[name] for name in own}
    later = members.pop("continued_in", None) or ""
    return LogEntry(kind, data["encounter"], data["size"], data["root"], continued_in=later, **members)


def pseudonym_of(owner: str, service_key: bytes) -> str:
    """Return the owner's pseudonym: the same in every opening, and nobody's name without *service_key*."""
    return hmac.new(service_key, _OWNER + owner.encode(), sha256).hexdigest()[: 2 * _PSEUDONYM]


def _is_number(value: object) -> bool:
    return type(value) is int and 1 <= value < _MOST


def _is_encounter(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        eid_of(value)
    except NotCanonical:
        return False
    return True


_COMMON: Final[Mapping[str, Callable[[object], bool]]] = {
    "v": lambda value: type(value) is int and value == VERSION,
    "kind": lambda value: isinstance(value, str),
    "encounter": _is_encounter,
    "size": _is_number,
    "root": is_hex,
}
_OWN: Final[Mapping[str, Mapping[str, Callable[[object], bool]]]] = {
    OPENING: {"owner": lambda value: is_hex(value, _PSEUDONYM)},
    LINE: {"parent": _is_encounter, "n": _is_number, "head": is_hex, "ruled_in": _is_encounter},
    HEAD: {},
    END: {"continued_in": lambda value: value is None or _is_encounter(value)},
}
"""The members of each kind of entry beside the common ones, each with its form."""
