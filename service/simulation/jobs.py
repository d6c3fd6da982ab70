"""Keep the jobs of simulations: asked for over HTTP, played by a worker, read over HTTP.

A job is one JSON record on the shelf `simulations/<owner>`; a pointer on the shelf `simulations` lets any
worker find what is still to do. Its fights follow from its seed, so whoever begins anew plays the same ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from service.encounter.host import Host
from service.encounter.play import now
from service.log import KeyReused, Log

SHELF: Final = "simulations"
PENDING: Final = "pending"
INTERNAL: Final = ("fingerprint", "owner", "opening")
"""Fields of a job that are not shown."""

Job = dict[str, Any]


def ask(host: Host, owner: str, key: str, fingerprint: str, wanted: Mapping[str, Any]) -> tuple[Job, bool]:
    """Return the job for what is *wanted*, and whether an earlier request asked for it.

    *wanted* has `opening`, `times`, `seed`, `rounds`, `commands`. Raises `KeyReused` where the key stands for
    another request.
    """
    id_ = sha256(f"{owner}\0{key}".encode()).hexdigest()[:24]
    known = find(host.log, owner, id_)
    if known is not None:
        if known["fingerprint"] != fingerprint:
            raise KeyReused(0)
        return known, True
    job: Job = {
        "simulation": id_,
        "owner": owner,
        "status": PENDING,
        "asked": now(host),
        "progress": None,
        "fights": None,
        "winners": None,
        "fingerprint": fingerprint,
        **wanted,
    }
    put(host.log, job)
    host.log.put_record(SHELF, f"{owner}/{id_}", json.dumps({"owner": owner, "simulation": id_}).encode())
    host.ring(0)
    return job, False


def put(log: Log, job: Job) -> None:
    """Keep *job* as it is now."""
    log.put_record(f"{SHELF}/{job['owner']}", job["simulation"], json.dumps(job).encode())


def find(log: Log, owner: str, id_: str) -> Job | None:
    """Return a job of *owner*, None if there is none of that name."""
    blob = log.record(f"{SHELF}/{owner}", id_)
    if blob is None:
        return None
    job: Job = json.loads(blob)
    return job


def close(log: Log, job: Job) -> None:
    """Note that *job* is done with: nobody looks for it any more."""
    pointer = {"owner": job["owner"], "simulation": job["simulation"], "done": True}
    log.put_record(SHELF, f"{job['owner']}/{job['simulation']}", json.dumps(pointer).encode())
