"""Prometheus metrics of the API's responses and of the backlog behind it.

Each process counts its own requests. If `PROMETHEUS_MULTIPROC_DIR` names a directory (`rewound serve` sets
it), the metrics are the sums over all processes of the API. The backlog is read from the store at each
scrape.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from service.log import ALL_BUCKETS, LogError
from service.usecases.services import Services

DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"
LONG_MS: Final = 5_000
_MOST: Final = 10_000
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters of one process of the API."""

    def __init__(self, services: Services) -> None:
        self._host = services
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "rewound_http_requests", "Requests answered.", ("operation", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "rewound_http_request_seconds",
            "Seconds from a request to its answer.",
            ("operation",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._streams = Gauge(
            "rewound_streams_open",
            "Event streams that are open now.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._room = Gauge(
            "rewound_streams_limit",
            "The maximum number of event streams of all processes together.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._owner_room = Gauge(
            "rewound_streams_owner_limit",
            "The maximum number of event streams of one owner in one process.",
            registry=self._registry,
            multiprocess_mode="livemax",
        )
        self._refused = Counter(
            "rewound_streams_refused",
            "Event streams refused because the process (`process`) or the owner (`owner`) had too many.",
            ("whose",),
            registry=self._registry,
        )
        self._quota_refusals = Counter(
            "rewound_quota_refusals",
            "Appends refused because a quota of the owner, or the store's memory (`store`), is used up.",
            ("quota",),
            registry=self._registry,
        )
        self._counted: dict[tuple[str, int], tuple[Counter, Histogram]] = {}
        """The counters by operation and status, cached because a lookup by labels takes a lock."""
        self._room.set(services.feeds.room.process)
        self._owner_room.set(services.feeds.room.owner)
        services.feeds.on_count(self._streams.set)

    def stream_refused(self, whose: str) -> None:
        """Count a refused stream; *whose* limit was reached: `process` or `owner`."""
        self._refused.labels(whose).inc()

    def quota_refused(self, quota: str) -> None:
        """Count a refused append; *quota* is `encounters`, `commands`, `bytes` or `store`."""
        self._quota_refusals.labels(quota).inc()

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """Count one response to *operation* with its HTTP status and its duration in seconds."""
        counted = self._counted.get((operation, status))
        if counted is None:
            counted = (self._requests.labels(operation, str(status)), self._seconds.labels(operation))
            self._counted[operation, status] = counted
        counted[0].inc()
        counted[1].observe(seconds)

    def exposition(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        waiting = CollectorRegistry()
        waiting.register(_Waiting(self._host))
        counted = self._registry
        if DIRECTORY in os.environ:
            _forget_the_dead(Path(os.environ[DIRECTORY]))
            counted = CollectorRegistry()
            MultiProcessCollector(counted)  # type: ignore[no-untyped-call]  # untyped there
        return generate_latest(counted) + generate_latest(waiting)


def _forget_the_dead(directory: Path) -> None:
    """Remove the gauges of processes that died without unregistering them, for example by SIGKILL."""
    for file in directory.glob("gauge_live*_*.db"):
        pid = int(file.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid)  # type: ignore[no-untyped-call]  # untyped there
        except PermissionError:
            continue  # the process is alive


class _Waiting(Collector):
    """Gauges that are read from the store at each scrape."""

    def __init__(self, services: Services) -> None:
        self._host = services

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Yield the gauges; if the store does not answer, only `rewound_store_up` with 0."""
        up = GaugeMetricFamily("rewound_store_up", "Whether the store answers: 1 or 0.")
        workers = GaugeMetricFamily("rewound_workers_alive", "Workers with a recent heartbeat.")
        all_ = GaugeMetricFamily("rewound_backlog_encounters", "Encounters with commands to fold.")
        late = GaugeMetricFamily(
            "rewound_backlog_late_encounters", "Encounters that have waited for five seconds or more."
        )
        used = GaugeMetricFamily("rewound_store_memory_bytes", "Memory that the store uses.")
        limit = GaugeMetricFamily(
            "rewound_store_memory_limit_bytes", "The store's `maxmemory`; 0 means that it has none."
        )
        archived = GaugeMetricFamily("rewound_archived_encounters", "Encounters in the archive.")
        archived_bytes = GaugeMetricFamily("rewound_archived_bytes", "The size of the archive's files.")
        now_ms = int(self._host.clock() * 1000)
        try:
            totals = self._host.log.archived_totals()
            archived.add_metric((), totals.encounters)
            archived_bytes.add_metric((), totals.bytes)
            memory = self._host.log.memory()
            used.add_metric((), memory.used)
            limit.add_metric((), memory.limit)
            workers.add_metric((), len(self._host.heartbeats.alive()))
            for family, since in ((all_, now_ms), (late, now_ms - LONG_MS)):
                family.add_metric((), len(self._host.log.dirty(ALL_BUCKETS, since, _MOST)))
        except LogError:
            up.add_metric((), 0)
            yield up
            return
        up.add_metric((), 1)
        yield from (up, workers, all_, late, used, limit, archived, archived_bytes)
