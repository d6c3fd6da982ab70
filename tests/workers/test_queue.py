"""Answering the doorbell ends when it is told to, at whatever instant that is."""

from __future__ import annotations

import signal
from threading import Event
from typing import Any

import pytest
import redis

from workers import queue as answering
from workers.queue import FoldJobThread, FoldJobWorker


def test_a_signal_while_a_life_of_rqs_worker_begins_is_not_lost(
    queue: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the worker would wait for rings as long as nobody kills it."""
    stopping = Event()
    found = FoldJobThread(queue, {}, stopping)
    answered: list[bool] = []

    class Interrupted(FoldJobWorker):
        """Is made at the very moment in which somebody asks to stop."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            found.on_signal(signal.SIGTERM, None)

        def work(self, *_: Any, **__: Any) -> bool:
            answered.append(True)
            return True

    monkeypatch.setattr(answering, "FoldJobWorker", Interrupted)

    found.run()

    assert stopping.is_set()
    assert answered == [], "it answers although it was told to stop"


def test_a_signal_while_it_waits_for_rings_ends_it(
    queue: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = FoldJobThread(queue, {}, Event())
    waits = FoldJobWorker.dequeue_job_and_maintain_ttl

    def told_to_stop(self: FoldJobWorker, *args: Any, **kwargs: Any) -> Any:
        found.on_signal(signal.SIGTERM, None)
        return waits(self, *args, **kwargs)

    monkeypatch.setattr(FoldJobWorker, "dequeue_job_and_maintain_ttl", told_to_stop)

    found.run()
