"""Send traces of requests, decisions and deliveries to OpenTelemetry, if its variables ask for it.

Without `OTEL_TRACES_EXPORTER=otlp` or an address of an exporter this is off, and the packages are not even
imported: they are an extra. A span's context travels as a W3C `traceparent`, in a context variable while the
request is served and beside the request in the store.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any, Final, Literal

Kind = Literal["server", "consumer", "producer", "client"]
"""What a span does, in OpenTelemetry's words."""

TRACEPARENT: Final = "traceparent"
_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_OVER_HTTP: Final = "http/protobuf"
_SERVICE: Final = "service.name"
_FAULT: Final = 500

_provider: Any = None
"""A `TracerProvider` of OpenTelemetry, whose types are an extra too; None: no span is made."""

_current: ContextVar[str] = ContextVar(TRACEPARENT, default="")


class TracesUnusable(Exception):
    """Traces are wanted and cannot be sent."""


def is_wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the variables ask for traces."""
    exporter = environment.get("OTEL_TRACES_EXPORTER", "")
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true" or exporter not in ("", "otlp"):
        return False
    return bool(exporter) or any(environment.get(name) for name in _ENDPOINTS)


def check() -> None:
    """Return if traces can be sent or are not wanted; raise `TracesUnusable` otherwise."""
    if not is_wanted():
        return
    protocol = next(filter(None, map(os.environ.get, _PROTOCOLS)), _OVER_HTTP)
    if protocol != _OVER_HTTP:
        raise TracesUnusable(f"OTEL_EXPORTER_OTLP_PROTOCOL: {protocol} is not there: set {_OVER_HTTP}")
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        raise TracesUnusable("OTEL_…: traces are wanted, and their packages are missing: rewound[traces]")


def begin(service: str) -> None:
    """Send the traces of this process, if they are wanted, under the name *service*; raises `TracesUnusable`.

    The exporter has a thread of its own, so this is called after the last fork.
    """
    check()
    if not is_wanted():
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415 - an extra
        OTLPSpanExporter,
    )
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - an extra
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - an extra

    named = "OTEL_SERVICE_NAME" in os.environ or _SERVICE in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    provider = TracerProvider(resource=Resource.create({} if named else {_SERVICE: service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    use(provider)


def use(provider: Any) -> None:  # noqa: ANN401 - see `_provider`
    """Make spans with *provider* from now on; None: make none."""
    global _provider  # noqa: PLW0603 - one for each process, as its log
    _provider = provider


def end() -> None:
    """Send what is left, and make no span any more."""
    provider = _provider
    use(None)
    if provider is not None:
        provider.shutdown()


def is_on() -> bool:
    """Return whether spans are made."""
    return _provider is not None


def current() -> str:
    """Return the `traceparent` of the request that is served here; empty if it is not traced."""
    return _current.get() if _provider is not None else ""


def record(
    name: str, kind: Kind, parent: str, begun: int, ended: int, attributes: Mapping[str, str | int]
) -> None:
    """Make a span of what was done from *begun* to *ended* (nanoseconds) on behalf of *parent*."""
    if _provider is None:
        return
    span = _started(_provider, name, kind, parent, begun)
    span.set_attributes(dict(attributes))
    span.end(ended)


class RequestSpan(AbstractContextManager["RequestSpan"]):
    """The span of one request, as a context; nothing if traces are off.

    It leaves the context variable as it is at its end, which may come in another thread's context: each
    request sets it at its beginning.
    """

    def __init__(self, method: str, route: str, parent: str) -> None:
        """Begin the span, as part of the trace of *parent*, the client's `traceparent`, if it sent one."""
        self._span: Any = None
        if _provider is None:
            return
        from opentelemetry.propagate import get_global_textmap  # noqa: PLC0415 - an extra

        # by OTEL_PROPAGATORS: with `none` a client cannot choose its trace
        self._span = _started(
            _provider, f"{method} {route}", "server", parent, time.time_ns(), get_global_textmap()
        )
        self._span.set_attributes({"http.request.method": method, "http.route": route})
        context = self._span.get_span_context()
        _current.set(f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}")

    @property
    def log_fields(self) -> dict[str, str]:
        """What a log line says of it."""
        return {} if self._span is None else {"trace": f"{self._span.get_span_context().trace_id:032x}"}

    def answered(self, status: int, attributes: Mapping[str, str | int | None]) -> None:
        """Note the response."""
        if self._span is None:
            return
        from opentelemetry.trace import StatusCode  # noqa: PLC0415 - an extra

        known = {name: value for name, value in attributes.items() if value is not None}
        self._span.set_attributes({"http.response.status_code": status, **known})
        if status >= _FAULT:
            self._span.set_status(StatusCode.ERROR)

    def __exit__(self, *_: object) -> None:
        if self._span is not None:
            self._span.end()


def _started(
    provider: Any,  # noqa: ANN401 - see `_provider`
    name: str,
    kind: Kind,
    parent: str,
    begun: int,
    propagator: Any = None,  # noqa: ANN401 - as above
) -> Any:  # noqa: ANN401 - as above
    """Return a span that began at *begun* (nanoseconds), below *parent* if that is a `traceparent`."""
    from opentelemetry.context import Context  # noqa: PLC0415 - an extra
    from opentelemetry.trace import SpanKind  # noqa: PLC0415 - an extra
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415 - an extra
        TraceContextTextMapPropagator,
    )

    carrier = {TRACEPARENT: parent} if parent else {}
    context = (propagator or TraceContextTextMapPropagator()).extract(carrier, Context())
    return provider.get_tracer("rewound").start_span(name, context, SpanKind[kind.upper()], start_time=begun)
