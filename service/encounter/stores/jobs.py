"""Keep jobs: asked for over HTTP, done by a worker, read over HTTP.

A job is one JSON record on the shelf `<kind>/<whose>`; a pointer on the shelf `<kind>` lets any worker find
what is still to do, so a lost ring only delays it. The worker replaces the job; nobody else writes to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from service.encounter.host import Host
from service.encounter.play import Once, now
from service.log import KeyReused, Log, Record

PENDING: Final = "pending"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"

_PAGE: Final = 100

Job = dict[str, Any]


@dataclass(frozen=True)
class Pointer:
    """Where a job lies."""

    number: int
    """The pointer's place on its shelf."""
    whose: str
    id: str
    is_done: bool
    """Whether nobody needs to look for the job any more."""


@dataclass(frozen=True)
class Kind:
    """Jobs of one kind."""

    shelf: str
    id: str
    """The field of a job that has its id."""
    of: str
    """The field that says whose it is: an encounter's, or an owner's."""
    internal: tuple[str, ...]
    """Fields that are not shown."""

    def ask(
        self, host: Host, whose: str, once: Once, wanted: Mapping[str, Any], shard: int
    ) -> tuple[Job, bool]:
        """Return the job for what is *wanted*, and whether an earlier request asked for it.

        A worker of *shard* is rung. Raises `KeyReused` where the key stands for another request.
        """
        id_ = sha256(f"{once.scope}\0{once.key}".encode()).hexdigest()[:24]
        known = self.find(host.log, whose, id_)
        if known is not None:
            if known["fingerprint"] != once.fingerprint:
                raise KeyReused(0)
            return known, True
        job: Job = {
            self.id: id_,
            self.of: whose,
            "status": PENDING,
            "asked": now(host),
            "progress": None,
            "fingerprint": once.fingerprint,
            **wanted,
        }
        self.put(host.log, job)
        self._point(host.log, job)
        host.ring(shard)
        return job, False

    def put(self, log: Log, job: Job) -> None:
        """Keep *job* as it is now."""
        log.put_record(self._shelf_of(job[self.of]), job[self.id], json.dumps(job).encode())

    def close(self, log: Log, job: Job) -> None:
        """Note that *job* is done with: nobody looks for it any more."""
        self._point(log, job, done=True)

    def find(self, log: Log, whose: str, id_: str) -> Job | None:
        """Return a job, None if there is none of that name."""
        blob = log.record(self._shelf_of(whose), id_)
        return None if blob is None else json.loads(blob)

    def listed(self, log: Log, whose: str, before: int | None, limit: int) -> list[tuple[int, Job]]:
        """Return jobs, the newest first, each with its number on the shelf."""
        page = log.records(self._shelf_of(whose), before, limit)
        return [(record.number, json.loads(record.blob)) for record in page]

    def pointers(self, log: Log, before: int | None, limit: int) -> list[Pointer]:
        """Return what points to jobs, the newest first, numbered below *before*."""
        return [self._pointer(record) for record in log.records(self.shelf, before, limit)]

    def forget(self, log: Log, whose: str) -> None:
        """Drop every job of *whose*, and what points to it."""
        shelf = self._shelf_of(whose)
        while page := log.records(shelf, None, _PAGE):
            for record in page:
                log.drop_record(self.shelf, f"{whose}/{record.id}")
                log.drop_record(shelf, record.id)
        log.drop_shelf(shelf)

    def shown(self, job: Job) -> Job:
        """Return *job* without what belongs to nobody else."""
        return {name: value for name, value in job.items() if name not in self.internal}

    def _point(self, log: Log, job: Job, **noted: bool) -> None:
        pointer = {self.of: job[self.of], self.id: job[self.id], **noted}
        log.put_record(self.shelf, f"{job[self.of]}/{job[self.id]}", json.dumps(pointer).encode())

    def _pointer(self, record: Record) -> Pointer:
        data = json.loads(record.blob)
        return Pointer(record.number, data[self.of], data[self.id], data.get("done", False))

    def _shelf_of(self, whose: str) -> str:
        return f"{self.shelf}/{whose}"


AUDITS: Final = Kind("audits", id="audit", of="encounter", internal=("fingerprint",))
SIMULATIONS: Final = Kind(
    "simulations", id="simulation", of="owner", internal=("fingerprint", "owner", "opening")
)
