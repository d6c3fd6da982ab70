"""Remove a closed encounter: its record is deleted, a summary of it remains.

Laws. Only a closed encounter is removed, and only after its bundle was downloaded by the owner or written by
the archive. A line of play that continues an encounter is removed before it. From its removal on an encounter
is answered as removed; a worker deletes its record a minute later. Its id is never used for another.
"""

from __future__ import annotations

from typing import Any, Literal

from service.core.decide import FoldedState
from service.log import Log
from service.record.timestamps import timestamp_of
from service.stores import disputes, removals, webhooks
from service.stores.disputes import Disputes
from service.stores.encounter_index import EncounterEntry
from service.stores.removals import Removal


class NotRemovable(Exception):
    """The encounter cannot be removed; the message says why."""


def check(log: Log, entry: EncounterEntry, folded: FoldedState[Any]) -> None:
    """Return if the encounter *entry*, as *folded*, may be removed; raise `NotRemovable` otherwise."""
    state = folded.state
    if not state.closed and not entry.imported:
        raise NotRemovable("it is not closed")
    if entry.expires is not None:
        raise NotRemovable("a fork is deleted when it expires")
    if state.continued is not None and not entry.imported and removals.find(log, state.continued) is None:
        raise NotRemovable(f"it continues as {state.continued}: remove that one first")
    if Disputes(log).standing(entry.encounter) is not None:
        raise NotRemovable("its record is in dispute: accept the stored history first")


def remove(
    log: Log, folded: FoldedState[Any], bundle: str, by: Literal["owner", "retention"], now: float
) -> Removal:
    """Remove the encounter *folded*, which `check` allows; *bundle* is the digest of its bundle."""
    seats = {name: (seat.role, seat.tokens) for name, seat in folded.state.seats.items() if not seat.closed}
    made = Removal(folded.encounter, timestamp_of(now), by, folded.n, folded.hash, bundle, seats)
    removals.put(log, made, now)
    return made


def delete(log: Log, entry: EncounterEntry) -> None:
    """Delete the record of an encounter and its data in other collections.

    Its entry, its removal, the notes that signed it, and its audits with their certificates remain.
    """
    log.forget(entry.encounter)
    log.drop_due(removals.CLOSED, entry.encounter)
    log.drop_record(disputes.COLLECTION, entry.encounter)
    webhooks.forget(log, entry)
