"""Webhooks across the death of workers: whatever was committed is told, at least once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from service.key_files import Keyring
from service.stores import webhooks
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.secrets import service_key_of
from service.stores.webhooks import SCHEDULE, Webhook
from tests.support.tiny_table import KEY
from tests.support.waiting import until
from tests.support.webhook_receiver import Receiver, receiver
from tests.workers.conftest import Hall

EID = "00000000-0000-8000-8000-000000000001"
SECRET = webhooks.secret_text(service_key_of(Keyring.of(KEY)), "wh1")


@pytest.fixture
def hook(hall: Hall) -> Iterator[Receiver]:
    """Give a receiver that wants to be told of the encounter from its beginning."""
    with receiver() as made:
        EncounterIndex(hall.log).enter(EncounterEntry(EID, "owner", "tiny@1", "", "2026-01-01T00:00:00.000Z"))
        webhooks.put(hall.log, Webhook("wh1", "owner", made.url, "2000-01-01T00:00:00.000Z", EID))
        yield made


def told(hook: Receiver) -> list[int]:
    return [each["data"]["n"] for each in hook.taken(SECRET)]


@pytest.mark.parametrize("fault", ["before_commit:2", "after_commit:2"])
def test_a_worker_killed_at_its_commit_leaves_nothing_untold(hall: Hall, hook: Receiver, fault: str) -> None:
    """It dies before it could put on the agenda what it had committed."""
    hall.open(EID)
    doomed = hall.start(fault)
    hall.ring()
    until(lambda: hall.folded(EID) >= 1, "the opening is folded")
    hall.do(EID, "add", amount=1)
    assert doomed.ended() == -signal.SIGKILL
    hall.start()

    until(lambda: set(told(hook)) == {1, 2}, "both are told")


def test_workers_killed_amid_their_attempts_leave_nothing_untold(hall: Hall, hook: Receiver) -> None:
    """Each time, some attempts were answered and never noted: those are made again, under the same name."""
    deadly = {4, 11, 19}

    def answer(nth: int) -> int:
        if nth in deadly:
            os.kill(hall.workers[-1].pid, signal.SIGKILL)
        return 200

    hook.answer = answer
    hall.open(EID)
    hall.start()
    for _ in range(23):
        hall.do(EID, "add", amount=1)
    for _ in deadly:
        hall.workers[-1].ended()
        hall.start()

    until(lambda: set(told(hook)) == set(range(1, 25)), f"24 commits are told: {sorted(set(told(hook)))}")
    until(lambda: not hall.log.due(SCHEDULE, 2**53, 1), "the agenda is empty")
    messages = [headers["webhook-id"] for headers, _, _ in hook.came]
    assert len(set(messages)) == 24
    assert len(messages) <= 24 + len(deadly) * 8
