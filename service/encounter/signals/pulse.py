"""Know which workers live: each writes the time beside its name, again and again.

The records lie on a shelf of the log; a worker that ends leaves its last one behind, which grows stale.
"""

from __future__ import annotations

from typing import Final

from service.log.protocol import Log

SHELF: Final = "workers"
STALE_MS: Final = 10_000
"""How old the last beat of a worker that lives may be."""


def beat(log: Log, worker: str, now_ms: int) -> None:
    """Write that *worker* lives."""
    log.put_record(SHELF, worker, b"%d" % now_ms)


def alive(log: Log, now_ms: int) -> tuple[str, ...]:
    """Return the workers that live, of the fifty that were started last; raises `StoreFailure`."""
    records = log.records(SHELF, limit=50)
    return tuple(record.id for record in records if now_ms - int(record.blob) < STALE_MS)
