"""The entries of the public log: that an encounter was opened, that its head was signed, that it ended.

An entry is one canonical JSON object. It names the encounter and what its host is bound to, and nothing that
is a secret of the table: no player, no title, no event. The owner stands there under a pseudonym, so that
anybody counts the openings of one owner without learning who it is.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from service.record.canonical import NotCanonical, commit_hash, dumps, eid_of, read_strictly

VERSION: Final = 1
OPENING: Final = "opening"
HEAD: Final = "head"
END: Final = "end"

MOST_BYTES: Final = 65_535
"""An entry's length is written in two bytes."""

_OWNER: Final = b"rewound/public-log/1/owner\x00"
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_PSEUDONYM: Final = re.compile(r"[0-9a-f]{32}")
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
    """The number of commits that it is about; 1 for an opening."""
    hash: str
    """The Merkle root over these commits; of one commit it is the commit's hash."""
    owner: str = ""
    """Of an opening: the owner's pseudonym."""
    continued_in: str = ""
    """Of an end: the line of play that continues this one, if there is one."""

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
    extra = {OPENING: {"owner"}, HEAD: set(), END: {"continued_in"}}.get(kind)
    if extra is None or set(data) != {"v", "kind", "encounter", "size", "root"} | extra:
        raise BadEntry("an entry has exactly the members of its kind")
    size = data["size"]
    is_sized = type(size) is int and (size == 1 if kind == OPENING else 1 <= size < _MOST)
    later = data.get("continued_in")
    if not (
        type(data["v"]) is int
        and data["v"] == VERSION
        and _is_encounter(data["encounter"])
        and is_sized
        and _fits(_HASH, data["root"])
        and (kind != OPENING or _fits(_PSEUDONYM, data["owner"]))
        and (later is None or _is_encounter(later))
        and len(raw) <= MOST_BYTES
    ):
        raise BadEntry("a member of the entry has not its form")
    return LogEntry(kind, data["encounter"], size, data["root"], data.get("owner", ""), later or "")


def pseudonym_of(owner: str, service_key: bytes) -> str:
    """Return the owner's pseudonym: the same in every opening, and nobody's name without *service_key*."""
    return hmac.new(service_key, _OWNER + owner.encode(), sha256).hexdigest()[:32]


def _fits(form: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def _is_encounter(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        eid_of(value)
    except NotCanonical:
        return False
    return True
