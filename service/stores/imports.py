"""Record imports: which record is at an address, and how many of its commits an accepted key signed.

An address is an encounter's id in this service; the record uses the id of the service in which it was played.
The two are the same unless that id was already taken here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Final

from service.log import SideStore
from service.record.ids import uuid8

COLLECTION: Final = "imported"
BUNDLES: Final = "bundles"
"""Uploaded files that a worker is to import, by job."""

_LABEL: Final = b"rewound/import-id/1\x00"
_PAGE: Final = 50


@dataclass(frozen=True)
class BundleImport:
    """The data of an imported encounter."""

    record: str
    """The encounter's id in the record itself."""
    size: int
    """The number of imported commits."""
    signed: int
    """How many of them are covered by a head that an accepted key signed."""
    keys: tuple[str, ...] = ()
    """The accepted public keys, in hexadecimal digits."""
    lines: Mapping[str, str] = field(default_factory=dict)
    """The address of each line of play that came with it and led to it, by its id in the record, in order."""

    @property
    def is_unsigned(self) -> bool:
        """Whether no accepted key signed the last commit; anybody may have written the unsigned commits."""
        return self.signed < self.size

    @property
    def shown(self) -> dict[str, Any]:
        """The import as shown to everybody who may read the encounter."""
        return {
            "record": self.record,
            "unsigned": self.is_unsigned,
            "signed": self.signed,
            "keys": [*self.keys],
        }


def find(store: SideStore, address: str) -> BundleImport | None:
    """Return the import at *address*; None if nothing was imported there."""
    blob = store.record(COLLECTION, address)
    if blob is None:
        return None
    data: Mapping[str, Any] = json.loads(blob)
    lines = {str(record): str(at) for record, at in data["lines"]}
    return BundleImport(data["record"], data["size"], data["signed"], tuple(data["keys"]), lines)


def lines_of(store: SideStore, address: str) -> Mapping[str, str] | None:
    """Return the addresses of the lines that led to an import, by their ids; None if it is no import."""
    taken = find(store, address)
    return None if taken is None else taken.lines


def put(store: SideStore, owner: str, address: str, taken: BundleImport) -> None:
    """Store the import at *address*."""
    store.put_record(f"{COLLECTION}/{owner}/{taken.record}", address, b"")
    data = asdict(taken) | {"lines": list(taken.lines.items())}
    store.put_record(COLLECTION, address, json.dumps(data).encode())


def addresses(store: SideStore, owner: str, record: str) -> list[str]:
    """Return the addresses at which *owner* imported histories of *record*, the first one first."""
    found: list[str] = []
    before = None
    while page := store.records(f"{COLLECTION}/{owner}/{record}", before, _PAGE):
        found += [each.id for each in page]
        before = page[-1].number
    return found[::-1]


def address_of(owner: str, record: str, head: str) -> str:
    """Return an address (UUID version 8) for the history of *record* that ends with the hash *head*."""
    said = f"{owner}\0{record}\0{head}".encode()
    return uuid8(sha256(_LABEL + said).digest())


def record_at(store: SideStore, address: str) -> str:
    """Return the encounter's id in the record at *address*."""
    taken = find(store, address)
    return address if taken is None else taken.record
