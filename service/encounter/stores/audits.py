"""Keep the jobs of audits: asked for over HTTP, done by a worker, read over HTTP.

A job is one JSON record on the shelf `audits/<encounter>`; a pointer on the shelf `audits` lets any worker
find what is still to do, so a lost ring only delays it. The worker replaces the job; nobody else writes to
it.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from service.encounter.host import Host
from service.encounter.play import now
from service.log import KeyReused, Log

SHELF: Final = "audits"
PENDING: Final = "pending"
INTERNAL: Final = ("fingerprint",)
"""Fields of a job that are not shown."""

Job = dict[str, Any]


def ask(
    host: Host, encounter: str, scope: str, key: str, fingerprint: str, *, first: int | None, last: int | None
) -> tuple[Job, bool]:
    """Return the job of an audit of rounds *first* to *last*, and whether an earlier request asked for it.

    Raises `KeyReused` where the key stands for another request.
    """
    id_ = sha256(f"{scope}\0{key}".encode()).hexdigest()[:24]
    known = find(host, encounter, id_)
    if known is not None:
        if known["fingerprint"] != fingerprint:
            raise KeyReused(0)
        return known, True
    job: Job = {
        "audit": id_,
        "encounter": encounter,
        "status": PENDING,
        "asked": now(host),
        "from": first,
        "to": last,
        "verdict": None,
        "progress": None,
        "certificate": None,
        "fingerprint": fingerprint,
    }
    put(host.log, job)
    pointer = json.dumps({"encounter": encounter, "audit": id_}).encode()
    host.log.put_record(SHELF, f"{encounter}/{id_}", pointer)
    host.ring(host.shard_of(encounter))
    return job, False


def put(log: Log, job: Job) -> None:
    """Keep *job* as it is now."""
    log.put_record(f"{SHELF}/{job['encounter']}", job["audit"], json.dumps(job).encode())


def find(host: Host, encounter: str, id_: str) -> Job | None:
    """Return a job of the encounter, None if it has none of that name."""
    blob = host.log.record(f"{SHELF}/{encounter}", id_)
    return None if blob is None else _read(blob)


def listed(host: Host, encounter: str, before: int | None, limit: int) -> list[tuple[int, Job]]:
    """Return jobs of the encounter, the newest first, each with its number on the shelf."""
    page = host.log.records(f"{SHELF}/{encounter}", before, limit)
    return [(record.number, _read(record.blob)) for record in page]


def _read(blob: bytes) -> Job:
    job: Job = json.loads(blob)
    return job
