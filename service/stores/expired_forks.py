"""Delete expired forks, and every line that continues them.

Laws. Only an encounter whose entry has an expiry is deleted, and its parent is not touched. It leaves the
schedule last, so that a crash on the way leaves it to be deleted again. Its entry stays: the address reports
that it expired, and the fork is not created a second time.
"""

from __future__ import annotations

from typing import Final

from service.log import Log
from service.stores import checkpoints, disputes, forks, webhooks
from service.stores.encounter_index import EXPIRING, EncounterEntry, EncounterIndex
from service.stores.jobs import AUDITS

PAGE: Final = 100


def delete_expired(log: Log, now: float) -> list[str]:
    """Delete a page of what has expired at *now*, in seconds since 1970; return the encounters."""
    register = EncounterIndex(log)
    gone: list[str] = []
    for encounter in log.due(EXPIRING, int(now * 1000), PAGE):
        entry = register.find(encounter)
        if entry is not None and entry.has_expired(now):
            _forget(log, entry)
            gone.append(encounter)
        log.drop_due(EXPIRING, encounter)
    return gone


def _forget(log: Log, entry: EncounterEntry) -> None:
    """Delete the record of an encounter, and its data in other collections, except its entry."""
    encounter = entry.encounter
    log.forget(encounter)
    AUDITS.forget(log, encounter)
    webhooks.forget(log, entry)
    forks.drop(log, entry)
    log.drop_collection(f"{checkpoints.COLLECTION}/{encounter}")
    for collection in (checkpoints.COLLECTION, disputes.COLLECTION):
        log.drop_record(collection, encounter)
