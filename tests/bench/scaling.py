"""Measure a cluster of three: several workers, two API machines, and the mode `replicated`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from tests.bench import load, over_http, servers
from tests.bench.over_http import LINES, Turn
from tests.bench.servers import Serving
from tests.bench.table import QUICK, TURNS, Row, median, section
from tests.cluster.nodes import Cluster

SECONDS: Final = 3.0 if QUICK else 8.0
WORKERS: Final = (1, 2, 4)
MACHINES: Final = 2
"""API machines: each is a gunicorn with one process."""


class Stores(NamedTuple):
    """The addresses of a cluster and of a queue's server beside it, and the processes of both."""

    url: str
    queue_url: str
    pids: Sequence[int]


@contextmanager
def _cluster(replicas: int) -> Iterator[Stores]:
    with (
        TemporaryDirectory(prefix="rewound-bench-") as directory,
        Cluster(Path(directory), replicas=replicas) as cluster,
        servers.store() as queue,
    ):
        pids = [node.process.pid for node in cluster.nodes if node.process is not None]
        yield Stores(cluster.url, queue.queue_url, pids)


@contextmanager
def _machines(stores: Stores, workers: int, settings: Mapping[str, str]) -> Iterator[list[Serving]]:
    """Serve on *stores* from several API machines; the first has the workers."""
    with ExitStack() as started:
        serve = partial(servers.service, stores, processes=1, settings=settings)
        first = started.enter_context(serve(workers=workers))
        others = [started.enter_context(serve(workers=0)) for _ in range(MACHINES - 1)]
        yield [first, *others]


@section("A cluster of three")
def rows() -> list[Row | str]:
    """Measure commands by how many workers there are, and once with a replica of each primary."""
    found: list[Row | str] = []
    for replicas, workers in (*((0, count) for count in WORKERS), (1, WORKERS[1])):
        settings = {"REWOUND_REPLICAS": str(replicas)}
        with _cluster(replicas) as stores, _machines(stores, workers, settings) as machines:
            turns = [_over(machines) for _ in range(TURNS)]
        where = f"{workers} workers, {MACHINES} API machines" + (", replicated" if replicas else "")
        found += [
            Row(f"commands on a cluster of three, {where}", median(each.load.rate for each in turns), "/s"),
            Row(f"p99 of them, {where}", median(each.ms(0.99) for each in turns), "ms"),
            *(
                Row(f"CPU of a command, {kind}, {where}", median(each.cpu(kind) for each in turns), "µs")
                for kind in ("API", "worker", "store")
            ),
        ]
    return found


def _over(machines: Sequence[Serving]) -> Turn:
    """Load every machine with its part of the lines."""
    lines = [
        ((servers.HOST, at.port), over_http.line(at.key, path))
        for at in machines
        for path in over_http.encounters(at.port, at.key, LINES // len(machines))
    ]
    pids = {
        "API": list(chain.from_iterable(at.pids["API"] for at in machines)),
        "worker": machines[0].pids["worker"],
        "store": machines[0].pids["store"],
    }
    return over_http.turn(machines[0]._replace(pids=pids), lambda: load.closed_loop_over(lines, SECONDS))
