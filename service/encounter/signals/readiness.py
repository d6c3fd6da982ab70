"""Look whether a process can serve: its store, a worker that lives, the subscription to outcomes."""

from __future__ import annotations

from typing import Final

from service.encounter.host import Host
from service.encounter.signals.pulse import alive
from service.log import LogError

WELL: Final = "ok"


def look(host: Host) -> dict[str, str]:
    """Return what each check found: `ok`, or why not."""
    try:
        host.log.ping()
        workers = alive(host.log, int(host.clock() * 1000))
    except LogError as failure:
        return {"store": str(failure)}
    return {
        "store": WELL,
        "worker": WELL if workers else "no worker lives",
        "outcomes": WELL if host.outcomes.stands else "the subscription to outcomes is being made anew",
    }
