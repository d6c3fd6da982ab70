"""Forget what has expired: a fork, and every line that went on from it.

Laws. Only what has an entry that says when it expires is ever forgotten, and nothing of its parent is
touched. It is taken from the agenda last, so that whoever dies amid it leaves it to be forgotten again. Its
entry stays: its address says what became of it, and it is not made a second time.
"""

from __future__ import annotations

from typing import Final

from service.log import Log
from service.stores import checkpoints, disputes, forks, webhooks
from service.stores.encounter_index import EXPIRING, EncounterEntry, EncounterIndex
from service.stores.jobs import AUDITS

PAGE: Final = 100


def delete_expired(log: Log, now: float) -> list[str]:
    """Forget a page of what is due at *now*, in seconds since 1970; which encounters these were."""
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
    """Delete the record of an encounter, and what stands beside it."""
    encounter = entry.encounter
    log.forget(encounter)
    AUDITS.forget(log, encounter)
    webhooks.forget(log, entry)
    forks.drop(log, entry)
    log.drop_collection(f"{checkpoints.COLLECTION}/{encounter}")
    for collection in (checkpoints.COLLECTION, disputes.COLLECTION):
        log.drop_record(collection, encounter)
