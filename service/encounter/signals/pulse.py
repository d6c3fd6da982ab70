"""Know which workers live: each writes the time beside its name, again and again.

The records lie on a shelf of the log. A worker that ends leaves its last one behind; those that live drop it
a minute later, so that the shelf holds no more names than workers of the last minute.
"""

from __future__ import annotations

from typing import Final

from service.log.protocol import Log

SHELF: Final = "workers"
"""The shelf of the names, and the agenda of those to drop."""
STALE_MS: Final = 10_000
"""How old the last beat of a worker that lives may be."""
KEPT_MS: Final = 60_000
"""How long the name of a worker that ended is kept."""

_PAGE: Final = 50


def beat(log: Log, worker: str, now_ms: int) -> None:
    """Write that *worker* lives, and drop a page of those that ended."""
    log.put_record(SHELF, worker, b"%d" % now_ms)
    log.set_due(SHELF, [worker], now_ms + KEPT_MS, anew=True)
    for ended in log.due(SHELF, now_ms, _PAGE):
        log.drop_record(SHELF, ended)
        log.drop_due(SHELF, ended)


def alive(log: Log, now_ms: int) -> tuple[str, ...]:
    """Return the workers that live, those that were started last first; raises `StoreFailure`."""
    found: list[str] = []
    before = None
    while page := log.records(SHELF, before, _PAGE):
        found += [record.id for record in page if now_ms - int(record.blob) < STALE_MS]
        before = page[-1].number
    return tuple(found)
