"""Liveness, readiness and metrics of the process."""

from __future__ import annotations

from typing import Final

from service.api.operations import KEY_HOLDERS, PUBLIC, ResponseSchema, operation
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import TEXT, closed, component
from service.usecases import health

TAG: Final = "Service"
LIVE: Final = component("Live", closed("The process answers.", status={"enum": ["alive"]}))
READY: Final = component(
    "Ready",
    closed(
        "Whether the service accepts commands, and the result of each check.",
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
    answers={200: ResponseSchema("The process answers.", LIVE)},
)
def is_alive(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - it asks nothing
    """Check that the process answers."""
    return ApiResponse({"status": "alive"})


@operation(
    "GET",
    "/readyz",
    "isReady",
    TAG,
    roles=PUBLIC,
    is_probe=True,
    answers={
        200: ResponseSchema("The service is ready.", READY),
        503: ResponseSchema("The service is not ready.", READY),
    },
)
def is_ready(request: ApiRequest) -> ApiResponse:
    """Check that the store answers and a worker is alive, and report how durable commands are.

    In mode `durable` a command is on disk before it is answered; in `replicated`, on the disk of a replica
    too.
    """
    found = health.look(request.services)
    ready = all(text == health.WELL for text in found.values())
    data = {"status": "ready" if ready else "not_ready", "mode": request.services.mode, "checks": found}
    return ApiResponse(data, 200 if ready else 503)


@operation(
    "GET",
    "/metrics",
    "getMetrics",
    TAG,
    roles=KEY_HOLDERS,
    scope="operator",
    answers={200: ResponseSchema("The metrics, in the text format of Prometheus.", None, "text/plain")},
)
def get_metrics(request: ApiRequest) -> ApiResponse:
    """Get metrics: the number and duration of answered requests, and the backlog of the workers.

    It needs a key with the scope `operator`: `rewound keys create NAME --operator`.
    """
    return ApiResponse(
        raw=request.metrics.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8"
    )
