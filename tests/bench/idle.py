"""Measure what a service costs that nobody uses: the CPU of its processes, the supervisor's among them."""

from __future__ import annotations

import time
from typing import Final

from tests.bench import usage, whole
from tests.bench.table import QUICK, Row, section
from tests.bench.usage import Usage

SECONDS: Final = 10.0 if QUICK else 30.0
SETTLED_S: Final = 5.0
"""Until what a start does is done."""

AIM: Final = 1.0
"""Percent of one core."""


@section("Nobody asks")
def rows() -> list[Row | str]:
    """Measure `rewound serve` at rest."""
    with whole.served() as service:
        time.sleep(SETTLED_S)
        pids = service.pids()
        before = {kind: usage.used(found) for kind, found in pids.items()}
        time.sleep(SECONDS)
        spent = {kind: usage.used(found).since(before[kind]) for kind, found in pids.items()}
    ours = [each for kind, each in spent.items() if kind != "store"]
    together = Usage(sum(each.cpu for each in ours), sum(each.switches for each in ours))
    return [
        *(Row(f"idle, {kind}", _percent(each), "% of a core") for kind, each in sorted(spent.items())),
        Row("idle, API, worker and supervisor together", _percent(together), "% of a core", AIM, most=True),
        Row("their context switches", together.switches / SECONDS, "/s"),
    ]


def _percent(used: Usage) -> float:
    return 100 * used.cpu / SECONDS
