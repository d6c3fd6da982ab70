"""Every alert rule and every panel reads metrics that are there, and each alert fires when it should."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.api.app import create_app
from service.log import Log, StoreMemory, StoreUnavailable
from service.log.values import StoreDisk
from service.signals import heartbeats
from service.signals.feeds import FeedLimits
from service.stores import jobs, public_log, quarantines, webhooks
from service.stores.disputes import Dispute, Disputes
from service.stores.public_log import COSIGNED, DOWN, FORKED, LogDispute, PublicLog, WitnessState
from service.usecases.services import Services
from tests.api.client import Api, Table
from tests.api.conftest import Worker
from tests.api.test_metrics import operator, samples
from tests.support.promql import Samples, fires, names_in

ROOT = Path(__file__).parents[2]
OBSERVE = ROOT / "deploy" / "observe"


def rules() -> dict[str, dict[str, Any]]:
    """Return the alert rules by name."""
    (group,) = yaml.safe_load((OBSERVE / "alerts.yaml").read_text("utf-8"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


RULES = rules()


def test_every_alert_and_every_panel_reads_metrics_that_are_there(owner: Api, services: Services) -> None:
    PublicLog(services.log).put_witness("ada", WitnessState(1, COSIGNED, 1))  # its gauges have a label
    found = samples(operator(owner, services))
    there = {name for name, _ in found} | {"up"}
    there |= {name for name, _ in samples(operator(owner, services))}  # the first scrape was a request, too
    assert "rewound_http_requests_total" in there
    panels = json.loads((OBSERVE / "grafana.json").read_text("utf-8"))["panels"]
    expressions = [each["expr"] for panel in panels for each in panel["targets"]]
    for expression in [*expressions, *(rule["expr"] for rule in RULES.values())]:
        assert names_in(expression) <= there, expression
    shown = {name for expression in expressions for name in names_in(expression)}
    counted = {name.removesuffix("_count").removesuffix("_sum").removesuffix("_bucket") for name in there}
    unseen = {
        name
        for name in counted - {each.removesuffix("_bucket") for each in shown}
        if not name.endswith("_created") and name not in {"up", "rewound_http_faults_total"}
    }
    assert unseen == set(), "no panel shows them"


def test_every_alert_has_an_entry_in_the_runbook_and_no_entry_lacks_one() -> None:
    text = (ROOT / "docs" / "runbook.md").read_text("utf-8")
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == list(RULES)
    for name, rule in RULES.items():
        assert rule["annotations"]["runbook"] == f"docs/runbook.md#{name.lower()}"
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"].endswith(".")


def test_the_scrape_takes_the_rules_and_asks_with_a_key() -> None:
    scrape = yaml.safe_load((OBSERVE / "prometheus.yaml").read_text("utf-8"))
    assert all((OBSERVE / name).is_file() for name in scrape["rule_files"])
    (job,) = scrape["scrape_configs"]
    assert (job["job_name"], job["metrics_path"]) == ("rewound", "/metrics")
    assert job["authorization"]["type"] == "Bearer"


def _raises(*_: object) -> Any:
    raise StoreUnavailable("it is down")


def _late(log: Log, schedule: str) -> None:
    log.set_due(schedule, ["x"], int((time.time() - 1_000) * 1000), reschedule=False)


Cause = Callable[[Log, Services, pytest.MonkeyPatch], object]
CAUSES: dict[str, Cause] = {
    "RewoundStoreDown": lambda log, _, patch: patch.setattr(log, "memory", _raises),
    "RewoundStoreNotRewritten": lambda log, _, patch: patch.setattr(
        log, "disk", lambda: StoreDisk(1, rewrites=False)
    ),
    "RewoundStoreNearlyFull": lambda log, _, patch: patch.setattr(
        log, "memory", lambda: StoreMemory(81, 100)
    ),
    "RewoundNoWorker": lambda _, services, patch: patch.setattr(services.heartbeats, "alive", tuple),
    "RewoundFoldLate": lambda log, *_: log.mark_dirty("e", int((time.time() - 60) * 1000)),
    "RewoundWebhooksLate": lambda log, *_: _late(log, webhooks.SCHEDULE),
    "RewoundJobsLate": lambda log, *_: _late(log, jobs.AUDITS.collection),
    "RewoundDispute": lambda log, *_: Disputes(log).open(Dispute("e", "rolled_back", 9, "ab" * 32, 4)),
    "RewoundQuarantine": lambda log, *_: log.put_record(quarantines.COLLECTION, "e/2", b""),
    "RewoundPublicLogDisputed": lambda log, *_: PublicLog(log).put_dispute(LogDispute("rolled_back", 9, 4)),
    "RewoundPublicLogLate": lambda log, *_: _late(log, public_log.PENDING),
    "RewoundWitnessContradicts": lambda log, *_: PublicLog(log).put_witness(
        "ada", WitnessState(3, FORKED, 9)
    ),
    "RewoundWitnessAway": lambda log, *_: PublicLog(log).put_witness("ada", WitnessState(3, DOWN, 9)),
    "RewoundWorkersRestart": lambda log, *_: log.put_records(
        [(heartbeats.COLLECTION, f"w{n}", b"%d" % (time.time() * 1000)) for n in range(5)]
    ),
}
"""What brings each alert about in the store; the other alerts have a test of their own."""


@pytest.fixture
def who(owner: Api, services: Services, worker: Worker) -> Iterator[Api]:
    """Give the operator; the worker does not take away what the test puts there."""
    worker.pause()
    yield operator(owner, services)
    worker.go_on()


def firing(before: Samples, now: Samples) -> set[str]:
    return {name for name, rule in RULES.items() if fires(rule["expr"], before, now)}


@pytest.mark.parametrize("alert", CAUSES)
def test_the_alert_fires_for_its_cause_alone(
    who: Api, services: Services, log: Log, monkeypatch: pytest.MonkeyPatch, alert: str
) -> None:
    before = samples(who)
    assert firing(before, before) == set()
    CAUSES[alert](log, services, monkeypatch)
    assert firing(before, samples(who)) == {alert}


def test_refusals_and_full_streams_fire(
    owner: Api, services: Services, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.feeds.room = FeedLimits(process=1, owner=1)
    api = Api(create_app(services), owner.token)
    who = operator(api, services)
    before = samples(who)
    monkeypatch.setattr(services.capacity, "memory", lambda: StoreMemory(95, 100))
    assert table.gm.app is not api.app
    gm = Api(api.app, table.gm.token)
    assert gm("POST", f"{table.at}/commands", {"type": "roll"}, Idempotency_Key="k").status_code == 507
    stream = api("GET", f"{table.at}/commits", Accept="text/event-stream")
    now = samples(who)
    stream.close()
    assert firing(before, now) == {"RewoundRefusals", "RewoundStreamsNearlyFull"}


def test_a_fault_and_starts_fire(
    owner: Api, services: Services, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = operator(owner, services)
    before = samples(who)

    def broken(*_: object) -> Any:
        raise RuntimeError("planted")

    with monkeypatch.context() as patch:
        patch.setattr(services.folder, "current", broken)
        assert owner("GET", f"{table.at}/state").status_code == 500
    now = samples(who)
    assert firing(before, now) == {"RewoundServerErrors"}
    starts = ("rewound_api_starts_total", ())
    assert fires(RULES["RewoundApiRestarts"]["expr"], now, {**now, starts: now[starts] + 6})
    assert not fires(RULES["RewoundApiRestarts"]["expr"], now, {**now, starts: now[starts] + 5})


def test_a_scrape_without_an_answer_fires() -> None:
    up = ("up", (("job", "rewound"),))
    assert firing({}, {up: 0.0}) == {"RewoundDown"}
    assert firing({}, {up: 1.0}) == set()


def test_every_alert_is_rehearsed_here() -> None:
    others = {"Down", "Refusals", "StreamsNearlyFull", "ServerErrors", "ApiRestarts"}
    assert set(CAUSES) | {f"Rewound{name}" for name in others} == set(RULES)
