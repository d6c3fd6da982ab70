"""Check whether a process can serve: its store, a live worker, the subscription to outcomes."""

from __future__ import annotations

from typing import Final

import structlog

from service.log import LogError, StoreLoading
from service.usecases.services import Services

WELL: Final = "ok"
_logger: Final = structlog.get_logger()


def look(services: Services) -> dict[str, str]:
    """Return the result of each check: `ok`, or a reason."""
    try:
        services.log.ping()
        workers = services.heartbeats.alive()
    except LogError as failure:
        _logger.warning("readiness.store_down", why=str(failure))
        return {"store": _public_reason(failure)}
    return {
        "store": WELL,
        "worker": WELL if workers else "no worker is alive",
        "outcomes": WELL if services.outcomes.is_active else "the subscription to outcomes is being renewed",
    }


def _public_reason(failure: LogError) -> str:
    """Return what is public about *failure*: the progress of a start, never the store's address."""
    if isinstance(failure, StoreLoading) and failure.__cause__ is None:
        return str(failure)
    return "the store cannot be used; the log says why"
