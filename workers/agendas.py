"""Keep the schedule of webhooks in step with the schedule of each webhook's deliveries."""

from __future__ import annotations

from typing import Final

from service.log.protocol import Log
from service.stores import webhooks

EVER: Final = 2**53
"""A time later than all others, in milliseconds."""

LATER_MS: Final = 500
"""When a webhook is looked at again whose next delivery is not due, although none was tried yet."""


def settle(log: Log, webhook: str, now_ms: int) -> None:
    """Schedule *webhook* for its next delivery, or unschedule it if it has none.

    Other workers may add deliveries meanwhile, so the deliveries are read again at the end.
    """
    first = log.due(webhooks.schedule_of(webhook), EVER, 1)
    if not first:
        log.drop_due(webhooks.SCHEDULE, webhook)
    else:
        each = webhooks.named(first[0])
        known = webhooks.delivery(log, webhook, each.id)
        due = now_ms if known is None or known.due is None else int(known.due * 1000)
        if due <= now_ms and not log.due(webhooks.schedule_of(webhook), now_ms, 1):
            due = now_ms + LATER_MS  # it is another worker's, or waits for its turn
        log.set_due(webhooks.SCHEDULE, [webhook], due, reschedule=True)
    if log.due(webhooks.schedule_of(webhook), now_ms if first else EVER, 1):
        log.set_due(webhooks.SCHEDULE, [webhook], now_ms, reschedule=True)


def look_at_all(log: Log, now_ms: int) -> None:
    """Schedule every webhook that has deliveries, because a worker may have died before it did so."""
    before: int | None = None
    while page := log.records(webhooks.COLLECTION, before, 200):
        for record in page:
            if log.due(webhooks.schedule_of(record.id), EVER, 1):
                log.set_due(webhooks.SCHEDULE, [record.id], now_ms, reschedule=False)
        before = page[-1].number
