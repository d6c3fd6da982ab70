"""Forget what has expired: a fork, and every line that went on from it.

Laws. Only what has an entry that says when it expires is ever forgotten, and nothing of its parent is
touched. It is taken from the agenda last, so that whoever dies amid it leaves it to be forgotten again. Its
entry stays: its address says what became of it, and it is not made a second time.
"""

from __future__ import annotations

from typing import Final

from service.encounter.signals import webhooks
from service.encounter.stores import disputes, forks, points
from service.encounter.stores.jobs import AUDITS
from service.encounter.stores.register import EXPIRING, Register, Registered
from service.log import Log

PAGE: Final = 100


def forget_due(log: Log, now: float) -> list[str]:
    """Forget a page of what is due at *now*, in seconds since 1970; which encounters these were."""
    register = Register(log)
    gone: list[str] = []
    for encounter in log.due(EXPIRING, int(now * 1000), PAGE):
        entry = register.find(encounter)
        if entry is not None and entry.has_expired(now):
            _forget(log, entry)
            gone.append(encounter)
        log.drop_due(EXPIRING, encounter)
    return gone


def _forget(log: Log, entry: Registered) -> None:
    """Delete the record of an encounter, and what stands beside it."""
    encounter = entry.encounter
    log.forget(encounter)
    AUDITS.forget(log, encounter)
    webhooks.forget(log, entry)
    forks.drop(log, entry)
    log.drop_shelf(f"{points.SHELF}/{encounter}")
    for shelf in (points.SHELF, disputes.SHELF):
        log.drop_record(shelf, encounter)
