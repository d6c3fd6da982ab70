"""Gauges that are read from the store at each scrape: what waits, since when, and how full the store is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from service.log import ALL_BUCKETS, Log, LogError
from service.signals import heartbeats
from service.stores import checkpoints, disputes, jobs, public_log, quarantines, removals, webhooks
from service.usecases.services import Services

LONG_MS: Final = 5_000
_MOST: Final = 10_000
_NAMED: Final = 1_000
"""How many names of one schedule are read, and how many disputes."""

KINDS: Final = {
    "webhooks": webhooks.SCHEDULE,
    "checkpoints": checkpoints.ASKED,
    "removals": removals.REMOVING,
    "public_log": public_log.PENDING,
    **{kind.collection: kind.collection for kind in (jobs.AUDITS, jobs.IMPORTS, jobs.SIMULATIONS)},
}
"""The schedules of what workers do besides the fold, by the label `kind`."""


class StoreCollector(Collector):
    """Reads the store when it is collected."""

    def __init__(self, services: Services) -> None:
        self._host = services

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Yield the gauges; if the store does not answer, only `rewound_store_up` with 0."""
        now_ms = int(self._host.clock() * 1000)
        try:
            found = [*_of_store(self._host.log), *self._of_work(now_ms), *_of_faults(self._host.log)]
            found += _of_public_log(public_log.PublicLog(self._host.log))
        except LogError:
            found = []
        yield _gauge("rewound_store_up", "Whether the store answers: 1 or 0.", int(bool(found)))
        yield from found
        quotas = GaugeMetricFamily(
            "rewound_quota", "What one owner may store; 0: no limit.", labels=("quota",)
        )
        for name in ("encounters", "commands", "bytes"):
            quotas.add_metric((name,), getattr(self._host.capacity.quotas, name))
        yield quotas

    def _of_work(self, now_ms: int) -> Iterator[GaugeMetricFamily]:
        log = self._host.log
        yield _gauge(
            "rewound_workers_alive", "Workers with a recent heartbeat.", len(self._host.heartbeats.alive())
        )
        started = log.records(heartbeats.COLLECTION, None, 1)
        yield _gauge(
            "rewound_workers_started",
            "Workers that have started; it rises by one with each start, and falls when all are forgotten.",
            started[0].number if started else 0,
        )
        for name, text, since in (
            ("rewound_backlog_encounters", "Encounters with commands to fold.", now_ms),
            (
                "rewound_backlog_late_encounters",
                "Encounters that have waited for five seconds or more.",
                now_ms - LONG_MS,
            ),
        ):
            yield _gauge(name, text, len(log.dirty(ALL_BUCKETS, since, _MOST)))
        due = GaugeMetricFamily(
            "rewound_backlog_due", "Things that workers have to do, by kind.", labels=("kind",)
        )
        age = GaugeMetricFamily(
            "rewound_backlog_age_seconds", "For how long the oldest of them has been due.", labels=("kind",)
        )
        waiting_since = log.waiting_since()
        due.add_metric(("fold",), len(log.dirty(ALL_BUCKETS, now_ms, _NAMED)))
        age.add_metric(("fold",), 0 if waiting_since is None else max(0, now_ms - waiting_since) / 1000)
        for kind, schedule in KINDS.items():
            times = [at for _, at in log.scheduled(schedule, _NAMED) if at <= now_ms]
            due.add_metric((kind,), len(times))
            age.add_metric((kind,), (now_ms - times[0]) / 1000 if times else 0)
        yield from (due, age)


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)


def _of_store(log: Log) -> Iterator[GaugeMetricFamily]:
    memory, disk, archived = log.memory(), log.disk(), log.archived_totals()
    yield _gauge("rewound_store_memory_bytes", "Memory that the store uses.", memory.used)
    yield _gauge(
        "rewound_store_memory_limit_bytes", "The store's `maxmemory`; 0 means that it has none.", memory.limit
    )
    yield _gauge("rewound_store_log_bytes", "The size of the store's append-only file.", disk.log_bytes)
    yield _gauge(
        "rewound_store_rewrites",
        "Whether the last rewrite of its file succeeded: 1 or 0.",
        int(disk.rewrites),
    )
    yield _gauge("rewound_archived_encounters", "Encounters in the archive.", archived.encounters)
    yield _gauge("rewound_archived_bytes", "The size of the archive's files.", archived.bytes)


def _of_faults(log: Log) -> Iterator[GaugeMetricFamily]:
    open_ = [
        each
        for each in log.records(disputes.COLLECTION, None, _NAMED)
        if not json.loads(each.blob)["accepted"]
    ]
    yield _gauge(
        "rewound_disputes_open", "Encounters that differ from what was signed about them.", len(open_)
    )
    yield _gauge(
        "rewound_commands_quarantined",
        "Commands that were set aside because no worker could decide them, since the store is in use.",
        quarantines.count(log),
    )


def _of_public_log(log: public_log.PublicLog) -> Iterator[GaugeMetricFamily]:
    newest, size = log.latest(), log.size()
    signed = 0 if newest is None else newest[0]
    yield _gauge("rewound_public_log_entries", "Entries of the public log.", size)
    yield _gauge(
        "rewound_public_log_unsigned_entries", "Entries that no checkpoint covers yet.", size - signed
    )
    yield _gauge(
        "rewound_public_log_disputed",
        "Whether the store does not hold the log that was signed, so that it stands still: 1 or 0.",
        int(log.dispute() is not None),
    )
    yield _gauge(
        "rewound_public_log_checkpoint_timestamp_seconds",
        "When the newest checkpoint was signed, in seconds since 1970; 0 if there is none.",
        log.signed_at(),
    )
    behind = GaugeMetricFamily(
        "rewound_witness_behind_entries",
        "Entries of the newest checkpoint that a witness has not cosigned.",
        labels=("witness",),
    )
    outcomes = GaugeMetricFamily(
        "rewound_witness_outcome",
        "1 for the outcome of the last submission to a witness, 0 for the others.",
        labels=("witness", "outcome"),
    )
    for name, known in log.witnesses().items():
        behind.add_metric((name,), max(0, signed - known.size))
        for outcome in public_log.OUTCOMES:
            outcomes.add_metric((name, outcome), int(outcome == known.outcome))
    yield from (behind, outcomes)
