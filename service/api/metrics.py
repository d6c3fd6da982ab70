"""Prometheus metrics of the API's responses and of the backlog behind it.

Each process counts its own requests. If `PROMETHEUS_MULTIPROC_DIR` names a directory (`rewound serve` sets
it), the metrics are the sums over all processes of the API. The backlog is read from the store at each
scrape.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from service.api.store_metrics import StoreCollector
from service.usecases.services import Services

DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"
FAULT: Final = 500
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
        self._faults = Counter(
            "rewound_http_faults", "Requests answered 500: faults of the service.", registry=self._registry
        )
        for whose in ("process", "owner"):  # an alert sees a rise from 0 alone, not a first value
            self._refused.labels(whose)
        for quota in ("encounters", "commands", "bytes", "store"):
            self._quota_refusals.labels(quota)
        starts = Counter("rewound_api_starts", "Starts of processes of the API.", registry=self._registry)
        starts.inc()
        self._counted: dict[tuple[str, int], tuple[Counter, Histogram]] = {}
        """The counters by operation and status, cached because a lookup by labels takes a lock."""
        self._room.set(services.feeds.room.process)
        self._owner_room.set(services.feeds.room.owner)
        services.feeds.on_count(self._streams.set)

    def has_no_streams(self) -> None:
        """Count no room for event streams, because this process serves none."""
        self._room.set(0)
        self._owner_room.set(0)

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
        if status == FAULT:
            self._faults.inc()
        counted[1].observe(seconds)

    def exposition(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        waiting = CollectorRegistry()
        waiting.register(StoreCollector(self._host))
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
