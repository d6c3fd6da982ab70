"""Keep the agenda of webhooks in step with each one's own: who has anything due, and when."""

from __future__ import annotations

from typing import Final

from service.log.protocol import Log
from service.stores import webhooks

EVER: Final = 2**53
"""A time after all times, in milliseconds."""


def settle(log: Log, webhook: str, now_ms: int) -> None:
    """Have *webhook* looked at when its next delivery is due, and no more if it has none.

    What others put on its agenda meanwhile is looked for once more: they said so before, or say so after.
    """
    first = log.due(webhooks.agenda_of(webhook), EVER, 1)
    if not first:
        log.drop_due(webhooks.SCHEDULE, webhook)
    else:
        each = webhooks.named(first[0])
        known = webhooks.delivery(log, webhook, each.id)
        due = now_ms if known is None or known.due is None else int(known.due * 1000)
        log.set_due(webhooks.SCHEDULE, [webhook], due, reschedule=True)
    if log.due(webhooks.agenda_of(webhook), now_ms if first else EVER, 1):
        log.set_due(webhooks.SCHEDULE, [webhook], now_ms, reschedule=True)


def look_at_all(log: Log, now_ms: int) -> None:
    """Have every webhook looked at that has anything due: a worker may have died while it settled one."""
    before: int | None = None
    while page := log.records(webhooks.COLLECTION, before, 200):
        for record in page:
            if log.due(webhooks.agenda_of(record.id), EVER, 1):
                log.set_due(webhooks.SCHEDULE, [record.id], now_ms, reschedule=False)
        before = page[-1].number
