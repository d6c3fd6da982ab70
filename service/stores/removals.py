"""Keep what is left of an encounter that was removed: what its record was, and who may still ask.

The notes that signed it stay beside this, and so do the certificates of its audits: whoever holds a bundle or
a receipt can hold it to them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from service.log import SideStore
from service.rules.table import Seat
from service.stores.encounter_index import GRACE_S

COLLECTION: Final = "removed"
CLOSED: Final = "closed"
"""The agenda of encounters that were closed, since when."""

REMOVING: Final = "removing"
"""The agenda of those whose record is to be deleted."""


@dataclass(frozen=True)
class Removal:
    """What is left of an encounter."""

    encounter: str
    at: str
    """RFC 3339: from then on nothing of the record is told."""
    by: Literal["owner", "retention"]
    size: int
    """How many commits there were."""
    hash: str
    """The last one's."""
    bundle: str
    """SHA-256 of the bundle that was had first, in hexadecimal digits."""
    seats: Mapping[str, tuple[str, int]]
    """Of each open seat its role, and how many tokens there were: they are told what became of it."""

    @property
    def told(self) -> dict[str, Any]:
        """What everybody who may read the encounter is told."""
        return {name: value for name, value in asdict(self).items() if name != "seats"}

    def seat(self, name: str) -> Seat | None:
        """Return a seat as far as its tokens go, None if it was not open."""
        if name not in self.seats:
            return None
        role, tokens = self.seats[name]
        return Seat(role=role, tokens=tokens)


def find(store: SideStore, encounter: str) -> Removal | None:
    """Return what is left of *encounter*, None if it was not removed."""
    return find_all(store, (encounter,))[0]


def find_all(store: SideStore, encounters: Sequence[str]) -> list[Removal | None]:
    """Return what is left of each of *encounters*, read in one round trip."""
    blobs = store.records_named([(COLLECTION, each) for each in encounters])
    return [None if blob is None else Removal(**json.loads(blob)) for blob in blobs]


def put(store: SideStore, removal: Removal, now: float) -> None:
    """Keep *removal*, and have a worker delete the record a minute later: one may be writing it down yet."""
    store.put_record(COLLECTION, removal.encounter, json.dumps(asdict(removal)).encode())
    store.set_due(REMOVING, [removal.encounter], int((now + GRACE_S) * 1000), reschedule=True)
