"""Remove closed encounters after the retention period, and keep a bundle of each.

Laws. An encounter is removed only after its bundle was written, read back and audited as sound. A bundle is
named after its encounter; a sound one is never deleted here. If a removal fails, the log says so and it is
tried again a day later.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from threading import Event
from typing import Final

import structlog

from service.audit import bundle
from service.audit.evidence import fight_of, stored
from service.audit.fight import verify_fight
from service.audit.signing import own_keys
from service.core.fold import Folder, Registry
from service.log.errors import NoSuchEncounter, StoreFailure
from service.log.protocol import Log
from service.rules.table.table import GM
from service.stores import removals
from service.stores.archive.storage import Storage
from service.stores.encounter_index import EncounterIndex
from service.stores.removing import NotRemovable, Remover, delete
from workers.periodic import PeriodicThread

EVERY_S: Final = 30.0
DAY_S: Final = 86_400
PAGE: Final = 50
_SUFFIX: Final = ".jsonl"
_UNSOUND: Final = ".unsound"
"""The suffix of an unsound bundle, so that nobody takes it for the record."""
_BREATH_S: Final = 0.002
"""Pause between two steps of an audit, for the threads that fold."""

_logger: Final = structlog.get_logger()


class Retention(PeriodicThread):
    """One worker's thread that removes closed encounters; several workers may do so at once."""

    name = "retention"
    every_s = EVERY_S

    def __init__(
        self,
        log: Log,
        registry: Registry,
        storage: Storage,
        days: int,
        stopping: Event,
        gone: Callable[[str], object],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Keep closed encounters for *days* (0: forever), and then their bundles in *storage*.

        *gone* is called with each deleted encounter.
        """
        super().__init__(stopping)
        self._log = log
        self._registry = registry
        self._folder = Folder(log, registry, capacity=1)
        self._register = EncounterIndex(log)
        self._remover = Remover(log, self._folder, self._register)
        self._storage = storage
        self._days = days
        self._gone = gone
        self._clock = clock

    def look(self) -> None:
        """Delete the records of removed encounters that are due, then remove those closed long enough ago."""
        now = self._clock()
        for encounter in self._log.due(removals.REMOVING, int(now * 1000), PAGE):
            entry = self._register.find(encounter)
            if entry is not None and removals.find(self._log, encounter) is not None:
                delete(self._log, entry)
                self._gone(encounter)
                _logger.info("encounter.deleted", encounter=encounter)
            self._log.drop_due(removals.REMOVING, encounter)
        if not self._days:
            return
        upto = now - self._days * DAY_S
        for encounter in self._log.due(removals.CLOSED, int(upto * 1000), PAGE):
            if self.stopping.is_set():
                return
            self._retire(encounter, now)

    def _retire(self, encounter: str, now: float) -> None:
        """Remove *encounter*; after a fault, try again in a day."""
        try:
            is_gone = removals.find(self._log, encounter) is not None
            if not is_gone and not self._is_fork(encounter) and self._is_played(encounter):
                self._remove(encounter, now)
        except NoSuchEncounter:
            _logger.info("retention.already_removed", encounter=encounter)
        except StoreFailure:
            raise
        except Exception as why:  # noqa: BLE001 - one record's fault must not stop the others
            reason = str(why) if isinstance(why, NotRemovable) else type(why).__name__
            _logger.warning("retention.skipped", encounter=encounter, why=reason)
            again = int((now - self._days * DAY_S + DAY_S) * 1000)
            self._log.set_due(removals.CLOSED, [encounter], again, reschedule=True)
            return
        self._log.drop_due(removals.CLOSED, encounter)

    def _remove(self, encounter: str, now: float) -> None:
        self._remover.check(encounter)
        folded = self._folder.current(encounter)
        address = self._remover.lines(encounter)[0]
        name = f"{address}{_SUFFIX}"
        fight = [stored(self._log, line) for line in fight_of(self._log, encounter)]
        self._storage.put(name, b"".join(bundle.write_fight(fight, GM)))
        raw = self._storage.get(name)
        keys = own_keys(self._log, encounter)
        report = verify_fight(bundle.read_fight(raw, pinned=keys), self._registry, progress=_breathe)
        if not report.verdict.is_sound or report.head != folded.hash:
            self._storage.put(f"{address}{_UNSOUND}", raw)
            self._storage.drop(name)
            raise NotRemovable(f"its bundle is {report.verdict.name}")
        self._remover.remove(encounter, sha256(raw).hexdigest(), "retention", now)
        _logger.info("encounter.removed", encounter=address, commits=folded.n)

    def _is_played(self, encounter: str) -> bool:
        """Return whether *encounter* is the line that is played; the others are removed with it."""
        return self._remover.played(encounter) == encounter

    def _is_fork(self, encounter: str) -> bool:
        entry = self._register.find(encounter)
        return entry is not None and entry.expires is not None


def _breathe(_done: int, _of: int) -> None:
    time.sleep(_BREATH_S)
