"""Know what was taken in: which record lies at an address, and how far a key that was accepted signed it.

An address is an encounter's id in this service; the record calls itself by the id that it had where it was
played. They are the same unless something else is here by that id already.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from service.log import SideStore

COLLECTION: Final = "imported"
BUNDLES: Final = "bundles"
"""Files that a worker is to take in, by job."""

_LABEL: Final = b"rewound/import-id/1\x00"
_PAGE: Final = 50


@dataclass(frozen=True)
class BundleImport:
    """What is known of an encounter that was taken in."""

    record: str
    """The id by which the record calls itself."""
    size: int
    """How many commits were taken in."""
    signed: int
    """How many of them lie under a head that an accepted key signed."""
    keys: tuple[str, ...] = ()
    """The public keys that were accepted, in hexadecimal digits."""

    @property
    def is_unsigned(self) -> bool:
        """Whether no accepted key signed the last commit: anybody may have written what it does not cover."""
        return self.signed < self.size

    @property
    def shown(self) -> dict[str, Any]:
        """What everybody who may read the encounter sees."""
        return {
            "record": self.record,
            "unsigned": self.is_unsigned,
            "signed": self.signed,
            "keys": [*self.keys],
        }


def find(store: SideStore, address: str) -> BundleImport | None:
    """Return what is known of the encounter at *address*, None if it was not taken in."""
    blob = store.record(COLLECTION, address)
    if blob is None:
        return None
    data: Mapping[str, Any] = json.loads(blob)
    return BundleImport(data["record"], data["size"], data["signed"], tuple(data["keys"]))


def put(store: SideStore, owner: str, address: str, taken: BundleImport) -> None:
    """Keep what is known of the encounter at *address*."""
    store.put_record(f"{COLLECTION}/{owner}/{taken.record}", address, b"")
    store.put_record(COLLECTION, address, json.dumps(asdict(taken)).encode())


def addresses(store: SideStore, owner: str, record: str) -> list[str]:
    """Return the addresses at which *owner* took in histories of *record*, the first one first."""
    found: list[str] = []
    before = None
    while page := store.records(f"{COLLECTION}/{owner}/{record}", before, _PAGE):
        found += [each.id for each in page]
        before = page[-1].number
    return found[::-1]


def address_of(owner: str, record: str, head: str) -> str:
    """Return an address for the history of *record* that ends with the hash *head*: a UUID of version 8."""
    said = f"{owner}\0{record}\0{head}".encode()
    raw = bytearray(sha256(_LABEL + said).digest()[:16])
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    return str(UUID(bytes=bytes(raw)))


def record_at(store: SideStore, address: str) -> str:
    """Return the id by which the record at *address* calls itself."""
    taken = find(store, address)
    return address if taken is None else taken.record
