"""Metrics: for the operator's key alone, in Prometheus's text format, summed over processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.api.app import create_app
from service.api.metrics import DIRECTORY
from service.log import Log, StoreUnavailable
from service.signals.feeds import FeedLimits
from service.stores import api_keys
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem


def operator(owner: Api, services: Services) -> Api:
    return owner.with_token(api_keys.create(services.log, "operator", time.time(), scopes=("operator",))[0])


def samples(who: Api) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answer = who("GET", "/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_only_an_operators_key_reads_them(owner: Api, services: Services, table: Table) -> None:
    for who in (owner, table.ada):
        is_problem(who("GET", "/metrics"), 403, "forbidden")
    is_problem(Api(owner.app)("GET", "/metrics"), 401, "unauthenticated")
    is_problem(operator(owner, services)("GET", "/v1/encounters"), 403, "forbidden")


def test_an_operators_key_reads_them_while_the_store_is_down(
    owner: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scrape comes less often than a key is cached; without it `rewound_store_up` would never be 0."""
    object.__setattr__(services, "keys", api_keys.KeyCache(services.log, time.time, seconds=0.0))
    who = operator(owner, services)
    assert samples(who)["rewound_store_up", ()] == 1

    def down(*_: object) -> NoReturn:
        raise StoreUnavailable("it is down")

    monkeypatch.setattr(services.log, "record", down)
    monkeypatch.setattr(services.log, "memory", down)
    assert samples(who)["rewound_store_up", ()] == 0
    is_problem(owner("GET", "/v1/encounters"), 503, "store-unavailable")
    services.keys.forget(str(who.token).split("_")[1])
    is_problem(who("GET", "/metrics"), 503, "store-unavailable")


def test_answers_are_counted_by_operation_and_status(owner: Api, services: Services, table: Table) -> None:
    who = operator(owner, services)
    before = samples(who)
    owner("GET", table.at)
    owner("GET", table.at)
    is_problem(owner("GET", f"/v1/encounters/{'0' * 8}-0000-0000-0000-000000000000"), 404, "not-found")

    after = samples(who)

    def more(status: str) -> float:
        name = ("rewound_http_requests_total", (("operation", "getEncounter"), ("status", status)))
        return after[name] - before.get(name, 0)

    assert (more("200"), more("404")) == (2, 1)
    assert after["rewound_http_request_seconds_count", (("operation", "getEncounter"),)] >= 3


def test_what_waits_is_told(owner: Api, services: Services, log: Log, table: Table) -> None:
    who = operator(owner, services)
    now_ms = int(time.time() * 1000)
    before = samples(who)
    log.mark_dirty("11111111-1111-1111-1111-111111111111", now_ms - 60_000)
    log.mark_dirty("22222222-2222-2222-2222-222222222222", now_ms - 10)

    found = samples(who)

    assert found["rewound_store_up", ()] == 1
    assert found["rewound_workers_alive", ()] == 1
    assert found["rewound_backlog_encounters", ()] - before["rewound_backlog_encounters", ()] == 2
    assert found["rewound_backlog_late_encounters", ()] - before["rewound_backlog_late_encounters", ()] == 1
    assert table.id not in str(found)


def test_streams_and_their_limits_are_measured(owner: Api, services: Services, table: Table) -> None:
    services.feeds.room = FeedLimits(process=2, owner=2)
    api = Api(create_app(services), owner.token)
    who = operator(api, services)
    streams = [api("GET", f"{table.at}/commits", Accept="text/event-stream") for _ in range(2)]

    full = samples(who)
    is_problem(api("GET", f"{table.at}/commits", Accept="text/event-stream"), 429, "too-many-streams")
    for each in streams:
        each.close()
    after = samples(who)

    assert [full[f"rewound_streams_{what}", ()] for what in ("open", "limit", "owner_limit")] == [2, 2, 2]
    assert after["rewound_streams_open", ()] == 0
    assert after["rewound_streams_refused_total", (("whose", "process"),)] == 1


PROCESS = """
import os, sys, time
from service.api.metrics import Metrics
from service.key_files import Keyring
from service.usecases.services import make_services
from service.log.memory import MemoryLog

host = make_services(MemoryLog(), {}, ring=print, clock=time.time, keys=Keyring.of(bytes(32)), mode="memory")
metrics = Metrics(host)
metrics.answered("getEncounter", 200, 0.001)
feed = host.feeds.open("e", "tests")
sys.stdout.buffer.write(metrics.exposition())
sys.stdout.flush()
host.outcomes.close()
os.kill(os.getpid(), 9)  # nothing is tidied up
"""


def test_processes_of_one_service_are_summed(tmp_path: Path) -> None:
    environment = {**os.environ, DIRECTORY: str(tmp_path)}

    output = [
        subprocess.run(
            [sys.executable, "-c", PROCESS], env=environment, check=False, capture_output=True
        ).stdout
        for _ in range(2)
    ]

    counted = 'rewound_http_requests_total{operation="getEncounter",status="200"} '
    assert [f"{counted}{sum_}".encode() in text for sum_, text in zip((1.0, 2.0), output, strict=True)] == [
        True
    ] * 2
    for text in output:
        assert b"rewound_streams_open 1.0" in text  # of the process that was killed nothing is open
        assert b"rewound_streams_limit 512.0" in text
