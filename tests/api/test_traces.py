"""One trace links a request, the decision of its command, and every delivery of the commit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode

from service import tracing
from service.usecases.services import Services
from tests.api.client import Api, Table
from tests.api.test_stream import STREAM, Stream
from tests.api.test_webhooks import OUTWARD, Narrator
from tests.support.webhook_receiver import Receiver, receiver

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
WANTED = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


@pytest.fixture
def services(services: Services) -> Services:
    return replace(services, address_guard=OUTWARD)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    found = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    tracing.use(provider)
    yield found
    tracing.end()


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def in_trace(spans: InMemorySpanExporter, names: set[str], trace: str = TRACE) -> dict[str, ReadableSpan]:
    """Return the spans of *trace* by name, once each of *names* is there."""
    ends = time.monotonic() + 60
    while True:
        found = {
            span.name: span
            for span in spans.get_finished_spans()
            if span.context is not None and f"{span.context.trace_id:032x}" == trace
        }
        if names <= set(found):
            return found
        assert time.monotonic() < ends, (names, set(found))
        time.sleep(0.005)


def added(table: Table) -> int:
    """Send a command within the trace, and return its number."""
    answer = table.send(table.gm, {"type": "add", "amount": 3}, traceparent=PARENT)
    return int(json.loads(answer.text)["n"])


def test_one_trace_has_the_request_the_decision_and_each_delivery(
    owner: Api, services: Services, spans: InMemorySpanExporter, hook: Receiver
) -> None:
    table = Table.opened(owner)
    made = json.loads(owner("POST", "/v1/webhooks", {"url": hook.url, "encounter": table.id}).text)
    teller = Narrator(services)
    stream = Stream(table.ada("GET", f"{table.at}/commits", Accept=STREAM))
    try:
        answer = table.send(table.gm, {"type": "add", "amount": 3}, traceparent=PARENT)
        n = json.loads(answer.text)["n"]
        teller.event_type.heard(table.id)
        while stream.next()["event"] != "heartbeat":
            pass
        deliveries = {"decide command", "send event", "deliver webhook"}
        request = "POST /v1/encounters/{encounter}/commands"
        found = in_trace(spans, {request, *deliveries})
    finally:
        stream.close()
        teller.stop()

    server = found[request]
    assert server.parent is not None
    assert f"{server.parent.span_id:016x}" == "b7ad6b7169203331"
    assert server.kind is SpanKind.SERVER
    for name in deliveries:
        span = found[name]
        assert span.parent is not None
        assert server.context is not None
        assert span.parent.span_id == server.context.span_id, name
        assert span.attributes is not None
        assert (span.attributes["rewound.encounter"], span.attributes["rewound.n"]) == (table.id, n)
        assert span.start_time is not None
        assert span.end_time is not None
        assert server.start_time is not None
        assert server.start_time <= span.start_time <= span.end_time
    sent = found["deliver webhook"].attributes
    assert sent is not None
    assert (sent["rewound.webhook"], sent["http.response.status_code"]) == (made["webhook"], 200)


def test_the_record_is_the_same_with_a_trace_and_without(
    table: Table, services: Services, spans: InMemorySpanExporter
) -> None:
    n = added(table)
    (raw,) = [each.raw for each in services.log.commands(table.id, n - 1, 1)]
    assert services.log.trace(table.id, n).startswith(f"00-{TRACE}-")
    assert TRACE.encode() not in raw
    assert TRACE not in table.gm("GET", f"{table.at}/bundle").text


def test_a_trace_has_no_secret(table: Table, services: Services, spans: InMemorySpanExporter) -> None:
    """Of a request its method, the pattern of its path, its status and ids: no key, no token, no content."""
    table.send(table.gm, {"type": "add", "amount": 4242})
    ticket = json.loads(table.gm("POST", f"{table.at}/tickets").text)["ticket"]
    table.gm("GET", f"{table.at}/commits?ticket={ticket}", Accept=STREAM).close()
    keys = {name for span in spans.get_finished_spans() for name in span.attributes or ()}
    assert keys <= {
        "http.request.method",
        "http.route",
        "http.response.status_code",
        "rewound.request",
        "rewound.encounter",
        "rewound.n",
    }
    text = "".join(span.to_json() for span in spans.get_finished_spans())
    for secret in (ticket, table.gm.token, table.ada.token, "4242"):
        assert secret
        assert secret not in text


def test_a_fault_is_an_error_and_a_refusal_is_none(
    table: Table, services: Services, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table.gm("GET", "/v1/encounters/nowhere").status_code == 404
    monkeypatch.setattr(services.encounters, "find", lambda _: 1 / 0)
    assert table.gm("GET", table.at).status_code == 500
    statuses = [
        (span.attributes["http.response.status_code"], span.status.status_code)
        for span in spans.get_finished_spans()[-2:]
        if span.attributes
    ]
    assert statuses == [(404, StatusCode.UNSET), (500, StatusCode.ERROR)]


def test_what_is_not_sampled_has_no_later_span(
    table: Table, services: Services, spans: InMemorySpanExporter
) -> None:
    provider = TracerProvider(sampler=ALWAYS_OFF)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    tracing.use(provider)
    spans.clear()
    trace = services.log.trace(table.id, added(table))
    assert trace.endswith("-00")
    tracing.record("later", "consumer", trace, 1, 2, {})
    assert spans.get_finished_spans() == ()


def test_without_its_variables_nothing_is_traced_or_imported(table: Table, services: Services) -> None:
    assert services.log.trace(table.id, added(table)) == ""
    code = "import sys, service.asgi, workers.run; sys.exit('opentelemetry.exporter' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
        (WANTED, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        (WANTED | {"OTEL_TRACES_EXPORTER": "none"}, False),
        (WANTED | {"OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_the_standard_variables_switch_it_on(environment: dict[str, str], *, wanted: bool) -> None:
    assert tracing.is_wanted(environment) is wanted


@pytest.mark.parametrize(
    ("environment", "named"), [({}, "rewound-api"), ({"OTEL_SERVICE_NAME": "house-one"}, "house-one")]
)
def test_spans_are_sent_over_http(environment: dict[str, str], named: str, hook: Receiver) -> None:
    code = (
        "from service import tracing; tracing.begin('rewound-api');"
        f" tracing.record('decide command', 'consumer', '{PARENT}', 1, 2, {{'rewound.n': 7}}); tracing.end()"
    )
    address = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{hook.port}"}
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **address, **environment})
    ((headers, body, _),) = hook.came
    assert {name.lower(): text for name, text in headers.items()}["content-type"] == "application/x-protobuf"
    (sent,) = ExportTraceServiceRequest.FromString(body).resource_spans
    names = {each.key: each.value.string_value for each in sent.resource.attributes}
    assert names["service.name"] == named
    (span,) = sent.scope_spans[0].spans
    assert (span.name, span.trace_id.hex()) == ("decide command", TRACE)


@pytest.mark.parametrize(
    ("planted", "complaint"),
    [
        ("import sys; sys.modules['opentelemetry.sdk'] = None", "rewound[traces]"),
        ("import os; os.environ['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'grpc'", "http/protobuf"),
    ],
)
def test_traces_that_cannot_be_sent_are_refused_at_the_start(planted: str, complaint: str) -> None:
    code = f"{planted}; from service.cli import main; main(['serve'])"
    made = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **WANTED},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode not in (0, None)
    assert complaint in made.stderr
    assert "Traceback" not in made.stderr
