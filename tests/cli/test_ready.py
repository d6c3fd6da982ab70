"""A start waits as long as a loaded machine needs, and says what it waits for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, repeat
from types import SimpleNamespace

import pytest

from service.cli import local_service
from service.cli.client import NotReady
from service.cli.local_service import LocalService
from service.cli.store import NotServing
from service.settings import Settings

WHY = NotReady("the service is not ready: worker (no worker is alive)", "worker (no worker is alive)")


def starting(
    monkeypatch: pytest.MonkeyPatch, answers: Iterator[NotReady | None]
) -> tuple[LocalService, list[str]]:
    """Return a service that is ready when *answers* has None, and what it says; every look takes a second."""
    clock = count(1000.0)
    passing = SimpleNamespace(monotonic=lambda: next(clock), sleep=lambda _seconds: None)
    monkeypatch.setattr(local_service, "time", passing)
    monkeypatch.setattr(local_service, "not_ready", lambda _url: next(answers))
    said: list[str] = []
    return LocalService(Settings(), said.append), said


def test_a_start_that_takes_minutes_says_every_ten_seconds_what_it_waits_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service, said = starting(monkeypatch, chain(repeat(WHY, 300), repeat(None)))
    service.wait_until_ready()
    assert said[:2] == [
        "starting: waiting for worker (no worker is alive) (10 s)",
        "starting: waiting for worker (no worker is alive) (20 s)",
    ]
    assert len(said) == 30


def test_a_start_that_takes_too_long_fails_with_what_it_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service, _ = starting(monkeypatch, repeat(WHY))
    with pytest.raises(NotServing, match=r"within 600 s; it waited for worker \(no worker is alive\)"):
        service.wait_until_ready()
