"""A delivery that fails for an unforeseen reason is counted and says so; a start that fails is one line."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from service.core.fold import Folder
from service.log.memory import MemoryLog
from service.rules.registry import REGISTRY
from service.signals.webhook_addresses import AddressNotAllowed, WebhookAddressGuard, place
from service.stores import webhooks
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.webhooks import SCHEDULE, Webhook
from tests.audit.evidence_of import kept
from tests.support.tiny_table import Sitting
from workers import agendas, posting, witnesses
from workers import webhooks as product
from workers.posting import DeliveryFailed, NotResolved
from workers.webhooks import BROKEN, NOWHERE, DeliveryPace, WebhookSender

EVER = 2**53


class Unlisted(Exception):
    """Something that no list of exceptions has."""


def sender() -> tuple[WebhookSender, MemoryLog, str]:
    """Return a sender with one delivery to make, and its name."""
    sitting = Sitting()
    sitting.open()
    log = kept(sitting)
    index = EncounterIndex(log)
    index.enter(EncounterEntry(sitting.encounter, "ada", "tiny@1", "", "2026-01-01T00:00:00.000Z"))
    webhooks.put(log, Webhook("wh1", "ada", "https://example.com/", "2000-01-01T00:00:00.000Z"))
    made = WebhookSender(
        log, Folder(log, REGISTRY), bytes(32), WebhookAddressGuard(), Event(), DeliveryPace(first_s=60)
    )
    made.schedule_deliveries(sitting.encounter)
    (name,) = log.due(webhooks.schedule_of("wh1"), EVER, 10)
    return made, log, name


def delivery(log: MemoryLog, name: str) -> Any:
    return webhooks.delivery(log, "wh1", webhooks.named(name).id)


def _raises(*_: object, **__: object) -> Any:
    raise Unlisted


@pytest.mark.parametrize(
    ("whose", "what", "fault"),
    [
        (socket, "getaddrinfo", NOWHERE),
        (posting, "_connected", "Unlisted"),
        (WebhookSender, "_body", BROKEN),
        (webhooks, "signature", BROKEN),
    ],
    ids=["the resolver", "the HTTP client", "the body", "the signature"],
)
def test_an_unforeseen_error_is_an_attempt_that_failed_and_says_so(
    whose: Any, what: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, log, name = sender()
    monkeypatch.setattr(posting, "resolve", lambda *_: ["93.184.216.34"])
    if whose is not socket:
        monkeypatch.setattr(product, "resolve", lambda *_: ["93.184.216.34"])
    monkeypatch.setattr(whose, what, _raises)

    made.attempt(name)

    after = delivery(log, name)
    assert (after.attempts, after.state, after.fault) == (1, webhooks.PENDING, fault)
    assert log.due(webhooks.schedule_of("wh1"), int(after.due * 1000) - 1, 1) == [], "it waits for its time"


def test_a_delivery_that_another_worker_tries_is_not_looked_at_again_at_once() -> None:
    made, log, name = sender()
    assert log.use_once(f"webhook/{name}/0", 60_000)
    now = made._now_ms()  # noqa: SLF001 - as the thread has it

    made.attempt(name)
    agendas.settle(log, "wh1", now)

    assert log.due(webhooks.schedule_of("wh1"), now, 1) == []
    assert log.due(SCHEDULE, now, 1) == []
    assert log.due(SCHEDULE, now + 60_000, 1) == ["wh1"], "and it is looked at again"


@pytest.mark.parametrize("error", [UnicodeError("label empty or too long"), Unlisted(), OSError()])
def test_a_name_that_cannot_be_resolved_for_any_reason_is_not_resolved(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(NotResolved):
        posting.resolve("example.com", 443)


def test_whatever_the_client_raises_is_a_delivery_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "create_connection", _raises)
    with pytest.raises(DeliveryFailed, match="Unlisted"):
        posting.post(place("https://example.com/"), "93.184.216.34", {}, b"")


def test_whatever_a_witness_client_raises_is_a_witness_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnesses, "urlopen", _raises)
    with pytest.raises(OSError, match="Unlisted"):
        witnesses.post("https://example.com/", b"")


@pytest.mark.parametrize(
    "url", ["https://a..b/", f"https://{'a' * 64}.example/", f"https://{'a.' * 126}example/", "https://.a/"]
)
def test_a_name_that_dns_cannot_carry_is_refused_at_the_door(url: str) -> None:
    with pytest.raises(AddressNotAllowed):
        place(url)


@pytest.mark.parametrize("url", [f"https://{'a' * 63}.example/", "https://[2001:db8::1]/"])
def test_the_longest_names_that_dns_carries_are_taken(url: str) -> None:
    place(url)


_STARTS = """
import sys
from unittest import mock
import {module} as starts
def fail(*_, **__): raise RuntimeError("unforeseen")
with mock.patch.object(starts, "{what}", fail):
    sys.exit(starts.{start}())
"""


@pytest.mark.parametrize(
    ("module", "what", "start", "status"),
    [
        ("workers.__main__", "SigningMemory", "main", 2),
        ("workers.__main__", "storage_of", "main", 2),
        ("workers.__main__", "queue_client", "main", 2),
        ("service.asgi", "installed", "application", 3),
    ],
)
def test_a_start_that_fails_for_an_unforeseen_reason_is_one_line(
    module: str, what: str, start: str, status: int, tmp_path: Path
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _STARTS.format(module=module, what=what, start=start)],
        env={
            "REWOUND_DATA_DIR": str(tmp_path),
            "REWOUND_STREAMS_URL": "redis://127.0.0.1:1/0",
            "REWOUND_QUEUE_URL": "redis://127.0.0.1:1/1",
            "PATH": "/usr/bin:/bin",
        },
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert ended.returncode == status, ended.stderr
    (line,) = ended.stderr.splitlines()
    assert "RuntimeError: unforeseen" in (json.loads(line)["why"] if line.startswith("{") else line)
