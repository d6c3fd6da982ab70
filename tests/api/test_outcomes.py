"""One subscriber per process: nobody waits for what was heard, nothing missed stays missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event, Thread
from typing import Any
from unittest import mock

import pytest
from structlog.testing import capture_logs

from service.log import ALL_BUCKETS, CommitWrite, NoSuchEncounter, Outcome, StoreUnavailable
from service.log.memory import MemoryLog
from service.log.memory.listener import MemoryListener
from service.signals.outcomes import OutcomeListener
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.support.waiting import until

EID = "00112233-4455-6677-8899-aabbccddeeff"


class Flaky(MemoryLog):
    """A log whose subscriptions break when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = Event()
        self.subscribed = 0

    def listen_outcomes(self, buckets: Sequence[int] = ALL_BUCKETS) -> MemoryListener[Outcome]:
        self.subscribed += 1
        if self.broken.is_set():
            raise StoreUnavailable("cut")
        inner = super().listen_outcomes(buckets)
        real_get = inner.get

        def get(timeout: float) -> Outcome | None:
            if self.broken.is_set():
                raise StoreUnavailable("cut")
            return real_get(timeout)

        inner.get = get  # type: ignore[method-assign]  # the cut is made here
        return inner


@pytest.fixture
def log() -> Flaky:
    made = Flaky()
    made.append(EID, b"{}", scope="s", key="k", fingerprint="f", create=True)
    return made


@pytest.fixture
def outcomes(log: Flaky) -> Iterator[OutcomeListener]:
    made = OutcomeListener(log)
    made.start()
    until(lambda: made.is_active)
    yield made
    made.close()


def commit(log: Flaky) -> None:
    log.commit(EID, CommitWrite(n=1, prev="0" * 64, hash="1" * 64, raw=b"one", request=b"{}"))


def test_who_comes_late_gets_what_was_heard(log: Flaky, outcomes: OutcomeListener) -> None:
    commit(log)

    assert outcomes.wait(EID, 1, 5) == Outcome(EID, 1, b"one")
    assert outcomes.wait(EID, 1, 0) == Outcome(EID, 1, b"one")


def test_large_outcomes_are_remembered_up_to_64_mib(log: Flaky) -> None:
    outcomes = OutcomeListener(log)
    log.commits = mock.Mock(return_value=[])  # type: ignore[method-assign]  # nothing can be read again
    for n in range(1, 81):
        outcomes._hear(Outcome(EID, n, bytes(1_024 * 1_024)))  # noqa: SLF001 - as its thread does
    remembered = [n for n in range(1, 81) if outcomes.wait(EID, n, 0) is not None]
    assert remembered == [*range(17, 81)]


def test_what_does_not_come_in_time_is_none_and_leaves_nothing(outcomes: OutcomeListener) -> None:
    assert outcomes.wait(EID, 1, 0) is None
    assert outcomes.waiting == 0


def test_all_who_wait_for_one_commit_are_told(log: Flaky, outcomes: OutcomeListener) -> None:
    found: list[Outcome | None] = []
    threads = [Thread(target=lambda: found.append(outcomes.wait(EID, 1, 10))) for _ in range(5)]
    for thread in threads:
        thread.start()
    until(lambda: outcomes.waiting == 1)
    commit(log)
    for thread in threads:
        thread.join()

    assert found == [Outcome(EID, 1, b"one")] * 5


def test_what_stood_before_anybody_listened_is_read_at_once(log: Flaky) -> None:
    """A repeat may come to a process that has not heard of the command."""
    commit(log)
    outcomes = OutcomeListener(log)

    assert outcomes.wait(EID, 1, 3_600) == Outcome(EID, 1, b"one")


def test_what_a_broken_subscription_missed_is_read_from_the_log(
    log: Flaky, outcomes: OutcomeListener
) -> None:
    found: list[Outcome | None] = []
    waiting = Thread(target=lambda: found.append(outcomes.wait(EID, 1, 30)))
    waiting.start()
    until(lambda: outcomes.waiting == 1)
    log.broken.set()
    until(lambda: not outcomes.is_active)
    commit(log)
    log.broken.clear()
    waiting.join()

    assert found == [Outcome(EID, 1, b"one")]
    assert log.subscribed > 1


def test_what_a_broken_subscription_heard_is_not_believed_after_it(
    log: Flaky, outcomes: OutcomeListener
) -> None:
    commit(log)
    outcomes.wait(EID, 1, 30)
    log.forget(EID)  # as a failover to a server that lacks it does
    log.append(EID, b"{}", scope="s", key="k", fingerprint="f", create=True)
    log.broken.set()
    until(lambda: not outcomes.is_active)
    log.commit(EID, CommitWrite(n=1, prev="0" * 64, hash="2" * 64, raw=b"another", request=b"{}"))

    assert outcomes.wait(EID, 1, 30) == Outcome(EID, 1, b"another")
    log.broken.clear()
    until(lambda: outcomes.is_active)
    assert outcomes.wait(EID, 1, 30) == Outcome(EID, 1, b"another")


def test_an_outage_is_one_line_however_many_tries_it_takes(
    log: Flaky, outcomes: OutcomeListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.signals.outcomes.PAUSE", 0.01)
    tries = log.subscribed + 5

    with capture_logs() as lines:
        log.broken.set()
        until(lambda: log.subscribed >= tries)

    assert [line["event"] for line in lines].count("outcomes.lost") == 1


def test_what_hears_each_commit_has_heard_it_before_anybody_goes_on(
    log: Flaky, outcomes: OutcomeListener
) -> None:
    asked: list[Outcome | None] = []

    def ask(outcome: Outcome) -> None:
        with mock.patch.object(log, "commits", return_value=[]):  # what was heard, not what is written
            asked.append(outcomes.wait(outcome.encounter, outcome.n, 0))

    outcomes.on_each(ask)
    commit(log)

    assert outcomes.wait(EID, 1, 10) == Outcome(EID, 1, b"one")
    assert asked == [None]


def broken(outcome: Outcome) -> None:
    raise RuntimeError(outcome.n)


def test_a_hook_that_fails_keeps_nobody_waiting(log: Flaky, outcomes: OutcomeListener) -> None:
    outcomes.on_each(broken)
    commit(log)

    assert outcomes.wait(EID, 1, 10) == Outcome(EID, 1, b"one")


LAST_LOOK = 2
"""A token is judged by the newest line of play: the first look finds it, the second reads its seats."""


def test_a_token_replaced_while_it_is_looked_up_is_not_remembered(
    table: Table, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = services.folder.current
    looks: list[object] = []
    issued: list[int] = []
    issuing = Thread(
        target=lambda: issued.append(table.gm("POST", f"{table.at}/seats/ada/token", {}).status_code)
    )

    def replace_after(*asked: Any) -> Any:
        found = real(*asked)
        looks.append(asked)
        if len(looks) == LAST_LOOK:
            issuing.start()
            issuing.join()
        return found

    monkeypatch.setattr(services.folder, "current", replace_after)
    assert table.ada("GET", table.at).status_code == 200, "it came before the new token"
    assert issued == [201]
    is_problem(table.ada("GET", table.at), 401, "unauthenticated")


def test_a_token_replaced_while_nothing_is_heard_is_none(
    log: Flaky, services: Services, table: Table
) -> None:
    assert table.ada("GET", table.at).status_code == 200
    log.broken.set()
    until(lambda: not services.outcomes.is_active)
    answer = table.gm("POST", f"{table.at}/seats/ada/token", {}, Prefer="wait=1")

    until(lambda: table.gm.get(table.at)["version"] == 4)
    is_problem(table.ada("GET", table.at), 401, "unauthenticated")
    assert answer.status_code in (201, 202)
    subscribed = log.subscribed
    log.broken.clear()
    until(lambda: services.outcomes.is_active)
    assert log.subscribed > subscribed
    is_problem(table.ada("GET", table.at), 401, "unauthenticated")


ADD = {"type": "add", "amount": 3}
CHOOSE = {"type": "choose", "number": 2}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/commands", ADD),
        ("POST", "/commands", [ADD, ADD]),
        ("POST", "/seats", {"seat": "cy", "role": "observer"}),
        ("DELETE", "", None),
        ("POST", "/forks", {"at": 1}),
    ],
    ids=["a command", "an array", "a seat", "the end", "a fork"],
)
def test_what_was_appended_is_pending_where_the_store_fails_behind_it(
    table: Table, services: Services, method: str, path: str, body: object
) -> None:
    """503 says that nothing was changed: never of what is on the record."""
    with mock.patch.object(services.outcomes, "wait", side_effect=StoreUnavailable("gone")):
        answer = table.gm(method, table.at + path, body, Idempotency_Key="k")

    assert answer.status_code == 202, answer.text
    again = table.gm(method, table.at + path, body, Idempotency_Key="k", Prefer="wait=20")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.status_code in (200, 201)


@pytest.mark.parametrize("body", [CHOOSE, [CHOOSE]], ids=["a command", "an array"])
def test_an_outcome_whose_envelopes_a_failover_took_back_is_pending(
    table: Table, services: Services, body: object
) -> None:
    with mock.patch.object(services.log, "sealed", return_value=[]):
        answer = table.ada("POST", f"{table.at}/commands", body, Idempotency_Key="k")
        page = table.ada("GET", f"{table.at}/commits")

    assert answer.status_code == 202, answer.text
    is_problem(page, 503, "store-unavailable")
    again = table.ada("POST", f"{table.at}/commands", body, Idempotency_Key="k", Prefer="wait=20")
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (200, "true")


def test_what_is_kept_is_compared_again_when_the_subscription_was_lost(
    log: Flaky, services: Services, table: Table
) -> None:
    """A failover may have given its number to another commit."""
    n = table.gm.get(table.at)["version"]
    with mock.patch.object(log, "head", return_value=None):
        assert services.folder.current(table.id, n).n == n
        log.broken.set()
        until(lambda: not services.outcomes.is_active)
        with pytest.raises(NoSuchEncounter):
            services.folder.current(table.id, n)
    log.broken.clear()
    until(lambda: services.outcomes.is_active)


def test_an_opening_that_was_appended_is_pending_where_the_store_fails_behind_it(
    owner: Api, services: Services
) -> None:
    opening = {"edition": "tiny@1"}
    with mock.patch.object(services.outcomes, "wait", side_effect=StoreUnavailable("gone")):
        answer = owner("POST", "/v1/encounters", opening, Idempotency_Key="k")

    assert answer.status_code == 202, answer.text
    again = owner("POST", "/v1/encounters", opening, Idempotency_Key="k", Prefer="wait=20")
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
