"""Tell whether the process lives, whether it can serve, and how it fares."""

from __future__ import annotations

from typing import Final

from service.api.call import Answer, Call
from service.api.operations import KEY_HOLDERS, PUBLIC, Shape, operation
from service.api.shapes import TEXT, closed, component
from service.encounter.signals import readiness

TAG: Final = "Service"
LIVE: Final = component("Live", closed("The process answers.", status={"enum": ["alive"]}))
READY: Final = component(
    "Ready",
    closed(
        "Whether commands are taken, and what was looked at.",
        status={"enum": ["ready", "not_ready"]},
        mode={"enum": ["durable", "replicated", "memory"]},
        checks={"type": "object", "additionalProperties": TEXT},
    ),
)


@operation(
    "GET",
    "/livez",
    "isAlive",
    TAG,
    roles=PUBLIC,
    is_probe=True,
    is_quick=True,
    answers={200: Shape("It does.", LIVE)},
)
def is_alive(call: Call) -> Answer:  # noqa: ARG001 - it asks nothing
    """Tell that the process answers."""
    return Answer({"status": "alive"})


@operation(
    "GET",
    "/readyz",
    "isReady",
    TAG,
    roles=PUBLIC,
    is_probe=True,
    answers={200: Shape("Commands are taken.", READY), 503: Shape("They are not.", READY)},
)
def is_ready(call: Call) -> Answer:
    """Tell whether the store answers and a worker lives, and how durable answers are.

    In the mode `durable` an answered command is on disk; in `replicated`, on disk at a replica, too.
    """
    found = readiness.look(call.host)
    ready = all(text == readiness.WELL for text in found.values())
    data = {"status": "ready" if ready else "not_ready", "mode": call.host.mode, "checks": found}
    return Answer(data, 200 if ready else 503)


@operation(
    "GET",
    "/metrics",
    "getMetrics",
    TAG,
    roles=KEY_HOLDERS,
    scope="operator",
    answers={200: Shape("The metrics, in the text format of Prometheus.", None, "text/plain")},
)
def get_metrics(call: Call) -> Answer:
    """Tell how many requests were answered, how fast, and what waits to be folded.

    It needs a key with the scope `operator`: `rewound keys create NAME --operator`.
    """
    return Answer(raw=call.metrics.told(), media_type="text/plain; version=0.0.4; charset=utf-8")
