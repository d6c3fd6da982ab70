"""Look whether a process can serve: its store, a worker that lives, the subscription to outcomes."""

from __future__ import annotations

from typing import Final

import structlog

from service.log import LogError, StoreLoading
from service.usecases.services import Services

WELL: Final = "ok"
_logger: Final = structlog.get_logger()


def look(services: Services) -> dict[str, str]:
    """Return what each check found: `ok`, or why not."""
    try:
        services.log.ping()
        workers = services.heartbeats.alive()
    except LogError as failure:
        _logger.warning("readiness.store_down", why=str(failure))
        return {"store": _told(failure)}
    return {
        "store": WELL,
        "worker": WELL if workers else "no worker lives",
        "outcomes": WELL if services.outcomes.stands else "the subscription to outcomes is being made anew",
    }


def _told(failure: LogError) -> str:
    """Return what anybody may know of *failure*: how far a start is, and never where the store is."""
    if isinstance(failure, StoreLoading) and failure.__cause__ is None:
        return str(failure)
    return "it cannot be used: the log says why"
