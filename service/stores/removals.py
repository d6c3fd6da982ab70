"""Store removals: what the record of a removed encounter was, and who may still ask about it.

The signed notes and the audit certificates of a removed encounter are retained too. A holder of a bundle or a
receipt can compare it with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from service.log import SideStore
from service.rules.table.table import Seat
from service.stores.encounter_index import GRACE_S

COLLECTION: Final = "removed"
CLOSED: Final = "closed"
"""The schedule of closed encounters, by the time of closing."""

REMOVING: Final = "removing"
"""The schedule of encounters whose record is to be deleted."""


@dataclass(frozen=True)
class Removal:
    """What remains of an encounter."""

    encounter: str
    at: str
    """RFC 3339: from then on nothing of the record is shown."""
    by: Literal["owner", "retention"]
    size: int
    """The number of commits."""
    hash: str
    """The last commit's hash."""
    bundle: str
    """SHA-256 of the bundle that was downloaded or archived before, in hexadecimal digits."""
    seats: Mapping[str, tuple[str, int]]
    """The role and number of tokens of each open seat; these seats may read the removal."""

    @property
    def public_data(self) -> dict[str, Any]:
        """The removal as shown to everybody who may read the encounter."""
        return {name: value for name, value in asdict(self).items() if name != "seats"}

    def seat(self, name: str) -> Seat | None:
        """Return the role and tokens of a seat; None if it was not open."""
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


def put(store: SideStore, found: Sequence[Removal], now: float) -> None:
    """Store the removals of a fight's lines in one step; schedule the deletion of their records.

    It is a minute later, as a worker may still write to them.
    """
    store.put_records([(COLLECTION, each.encounter, json.dumps(asdict(each)).encode()) for each in found])
    store.set_due(REMOVING, [each.encounter for each in found], int((now + GRACE_S) * 1000), reschedule=True)
