"""Store snapshots and occasions of each interval beside the folding, and make those that a reader missed.

Nobody waits for a snapshot. If one is lost with its worker, it is made when somebody reads its commits.
"""

from __future__ import annotations

import time
from collections import deque
from threading import Event
from typing import Any, Final

import structlog

from service.core import snapshots
from service.core.decide import FoldedState
from service.core.fold import ChainBroken, Folder, Registry, UnknownEdition
from service.core.snapshot import snapshot_of
from service.log.errors import NoSuchEncounter
from service.log.protocol import Log
from service.record import occasions
from service.record.intervals import EVERY, SCHEDULE
from workers.periodic import PeriodicThread, WorkerStopped

EVERY_S: Final = 5.0
"""How long a reader's request for missing snapshots may wait."""

GAP_S: Final = 0.05
LEASE_MS: Final = 60_000
"""How long a worker has an encounter for itself while it makes the snapshots."""

_WAITING: Final = 256
"""How many states may wait to be written; beyond that the oldest are dropped until a reader needs them."""

_PAGE: Final = 10
_BREATH_S: Final = 0.002
"""Pause between two snapshots, for the threads that fold."""

_logger: Final = structlog.get_logger()


class SnapshotWriter(PeriodicThread):
    """One worker's thread that writes snapshots; several workers may do so at once."""

    name = "snapshots"
    every_s = EVERY_S
    gap_s = GAP_S

    def __init__(self, log: Log, registry: Registry, stopping: Event) -> None:
        super().__init__(stopping)
        self._log = log
        self._folder = Folder(log, registry, capacity=1, asks=False)
        self._waiting: deque[FoldedState[Any]] = deque(maxlen=_WAITING)

    def take(self, folded: FoldedState[Any]) -> None:
        """Queue a snapshot of *folded*, whose commit is written. Thread-safe."""
        self._waiting.append(folded)
        self.ring()

    def look(self) -> None:
        """Write the queued snapshots, then make those that readers missed."""
        self._write_waiting()
        for encounter in self._log.due(SCHEDULE, int(time.time() * 1000), _PAGE):
            lease = int(time.time() * 1000) + LEASE_MS
            self._log.set_due(SCHEDULE, [encounter], lease, reschedule=True)
            try:
                self._make_missing(encounter)
            except NoSuchEncounter:
                pass
            except (UnknownEdition, ChainBroken) as fault:
                _logger.warning("snapshots.failed", encounter=encounter, error=type(fault).__name__)
            self._log.drop_due(SCHEDULE, encounter)

    def _write_waiting(self) -> None:
        while self._waiting:
            self._write(self._waiting.popleft())

    def _write(self, folded: FoldedState[Any]) -> None:
        self._log.put_snapshot(folded.encounter, snapshot_of(folded))
        self._note_occasions(folded.encounter, folded.n)

    def _note_occasions(self, encounter: str, n: int) -> None:
        blob = occasions.derive(self._log, encounter, n)
        if blob is not None:
            self._log.put_occasions(encounter, n, blob)
        time.sleep(_BREATH_S)

    def _make_missing(self, encounter: str) -> None:
        """Make the encounter's missing snapshots in order, each from the one before; note missing occasions.

        Raises `WorkerStopped`.
        """
        head = self._log.head(encounter)
        if head is None:
            return
        ruleset = self._folder.ruleset(encounter)
        known = {
            name.n
            for name in snapshots.named(self._log, encounter, ruleset)
            if (cached := self._log.snapshot(encounter, name)) is not None
            and snapshots.is_of_record(self._log, encounter, cached)
        }
        unnoted = set(occasions.missing(self._log, encounter, head.folded))
        made = 0
        for n in range(EVERY, head.folded + 1, EVERY):
            if self.stopping.is_set():
                raise WorkerStopped
            if n not in known:
                self._write(self._folder.at(encounter, n))
                made += 1
            elif n in unnoted:
                self._note_occasions(encounter, n)
            self._write_waiting()
        if made:
            _logger.info("snapshots.made", encounter=encounter, count=made)
