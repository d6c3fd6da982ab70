"""Store jobs: requested over HTTP, done by a worker, read over HTTP.

A job is one JSON record in the collection `<kind>/<whose>`. Until it is done it is on the schedule `<kind>`,
so that any worker finds the job that has waited longest, and a lost notification only delays it. Only the
worker that does a job replaces its record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from service.log import IdempotencyKey, KeyReused, SideStore
from service.record.timestamps import timestamp_of

PENDING: Final = "pending"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"

KEPT: Final = 100
"""How many jobs of one kind and one encounter or owner are kept; a new one takes the place of the oldest."""
_PAGE: Final = 100
_DROPPED: Final = 5
"""How many old jobs a new one drops at most."""
_EVER_MS: Final = 2**52
"""A time at which every job is due."""

Job = dict[str, Any]


@dataclass(frozen=True)
class JobKind:
    """Jobs of one kind."""

    collection: str
    id: str
    """The field of a job that has its id."""
    of: str
    """The field that names the encounter or owner of the job."""
    internal: tuple[str, ...]
    """Fields that are not shown."""

    def ask(
        self, store: SideStore, whose: str, once: IdempotencyKey, wanted: Mapping[str, Any], now: float
    ) -> tuple[Job, bool]:
        """Schedule the *wanted* job at *now*, in seconds since 1970.

        Return the job, and whether an earlier request asked for it: a new one needs a worker to be notified.
        Raises `KeyReused` if the key was used for another request.
        """
        id_ = self.id_of(once)
        known = self.find(store, whose, id_)
        if known is not None:
            if known["fingerprint"] != once.fingerprint:
                raise KeyReused(0)
            if known["status"] == PENDING:  # an earlier request may have ended before it scheduled
                self._schedule(store, known, now)
            return known, True
        job: Job = {
            self.id: id_,
            self.of: whose,
            "status": PENDING,
            "requested": timestamp_of(now),
            "progress": None,
            "fingerprint": once.fingerprint,
            **wanted,
        }
        number = self.put(store, job)
        self._schedule(store, job, now)
        self._forget_old(store, whose, number)
        return job, False

    def id_of(self, once: IdempotencyKey) -> str:
        """Return the id of the job that *once* asks for."""
        return sha256(f"{once.scope}\0{once.key}".encode()).hexdigest()[:24]

    def put(self, store: SideStore, job: Job) -> int:
        """Store *job* as it is now; return its number among those of its encounter or owner."""
        return store.put_record(self._collection_of(job[self.of]), job[self.id], json.dumps(job).encode())

    def due(self, store: SideStore, now_ms: int, count: int) -> list[tuple[str, str]]:
        """Return up to *count* unleased jobs, the one that waits longest first, each as (whose, id)."""
        named = [name.rpartition("/") for name in store.due(self.collection, now_ms, count)]
        return [(whose, id_) for whose, _, id_ in named]

    def unfinished(self, store: SideStore, is_counted: Callable[[str], bool], most: int) -> int:
        """Count the unfinished jobs among the *most* that are due first.

        *is_counted* receives the encounter or owner of each.
        """
        return sum(is_counted(whose) for whose, _ in self.due(store, _EVER_MS, most))

    def lease(self, store: SideStore, whose: str, id_: str, until_ms: int) -> None:
        """Reserve a job for the calling worker until *until_ms*."""
        store.set_due(self.collection, [f"{whose}/{id_}"], until_ms, reschedule=True)

    def unschedule(self, store: SideStore, whose: str, id_: str) -> None:
        """Take a finished job off the schedule."""
        store.drop_due(self.collection, f"{whose}/{id_}")

    def find(self, store: SideStore, whose: str, id_: str) -> Job | None:
        """Return a job; None if there is none with this id."""
        blob = store.record(self._collection_of(whose), id_)
        return None if blob is None else json.loads(blob)

    def listed(self, store: SideStore, whose: str, before: int | None, limit: int) -> list[tuple[int, Job]]:
        """Return jobs, the newest first, each with its number in the collection."""
        page = store.records(self._collection_of(whose), before, limit)
        return [(record.number, json.loads(record.blob)) for record in page]

    def forget(self, store: SideStore, whose: str) -> None:
        """Drop every job of *whose*, done or not."""
        collection = self._collection_of(whose)
        while page := store.records(collection, None, _PAGE):
            for record in page:
                self.unschedule(store, whose, record.id)
                store.drop_record(collection, record.id)
        store.drop_collection(collection)

    def _forget_old(self, store: SideStore, whose: str, newest: int) -> None:
        """Drop the jobs of *whose* that are over and older than the `KEPT` up to the number *newest*."""
        for _, job in self.listed(store, whose, newest - KEPT + 1, _DROPPED):
            if job["status"] in (DONE, FAILED):
                store.drop_record(self._collection_of(whose), job[self.id])

    def shown(self, job: Job) -> Job:
        """Return *job* without its internal fields."""
        return {name: value for name, value in job.items() if name not in self.internal}

    def _schedule(self, store: SideStore, job: Job, now: float) -> None:
        name = f"{job[self.of]}/{job[self.id]}"
        store.set_due(self.collection, [name], int(now * 1000), reschedule=False)

    def _collection_of(self, whose: str) -> str:
        return f"{self.collection}/{whose}"


AUDITS: Final = JobKind("audits", id="audit", of="encounter", internal=("fingerprint",))
IMPORTS: Final = JobKind(
    "imports", id="bundle", of="owner", internal=("fingerprint", "owner", "keys", "required")
)
SIMULATIONS: Final = JobKind(
    "simulations", id="simulation", of="owner", internal=("fingerprint", "owner", "opening")
)
