"""A sample of `make nemesis`: a few kills and faults, judged by the same checker, and a run that is void."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.nemesis.measures import counts
from tests.nemesis.report import table
from tests.nemesis.run import Outcome, Plan, run

SEED = "sample"
ACTS = ("valkey-server", "fold worker", "wipe the queue", "API worker")


@pytest.mark.slow
@pytest.mark.timeout(300)  # a few processes are started again and again: a busy machine takes its time
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
@pytest.mark.overnight
def test_a_service_that_is_killed_under_fire_keeps_every_promise() -> None:
    plan = Plan(3, SEED, tables=2, acts=ACTS, longest_s=1.0, disk=False, rests_s=(0.1, 0.3))
    outcome = run(plan, lambda _text: None)

    found = table(outcome)
    assert (outcome.violations, outcome.faults) == ([], []), found
    assert (outcome.kills, len(outcome.recoveries)) == (3, len(ACTS)), found
    assert not outcome.is_void, found
    assert counts(outcome.history).ok > 20, found
    assert outcome.encounters >= 2


def act(at: float, kills: int, in_flight: int) -> list[dict[str, Any]]:
    found = {"act": int(at), "what": "API worker", "kills": kills, "when": "random", "in_flight": in_flight}
    return [{"t": at, "do": "act", **found}, {"t": at, "do": "over", "act": int(at)}]


@pytest.mark.parametrize(
    ("in_flight", "is_void"), [([1, 1, 1, 1], False), ([3, 1, 0, 0], False), ([5, 0, 0, 0], True)], ids=str
)
def test_a_run_with_too_few_requests_in_flight_is_void(
    tmp_path: Any,
    in_flight: list[int],
    is_void: bool,  # noqa: FBT001 - a column of the table
) -> None:
    outcome = Outcome(Plan(4, SEED), tmp_path, kills=4)
    outcome.history = [entry for i, count in enumerate(in_flight) for entry in act(i + 1.0, 1, count)]

    assert outcome.is_void == is_void


def test_a_run_with_fewer_kills_than_were_wanted_is_void(tmp_path: Any) -> None:
    outcome = Outcome(Plan(4, SEED), tmp_path, kills=3)
    outcome.history = [entry for i in range(3) for entry in act(i + 1.0, 1, 1)]

    assert outcome.is_void


def answered(at: float, op: int, began: float, n: int, outcome: str) -> list[dict[str, Any]]:
    request = {"client": "c", "key": f"k{op}", "kind": "command", "encounter": "e", "seat": "gm"}
    found = {"encounter": "e", "n": n, "status": 200, "outcomes": [{"n": n, "outcome": outcome}]}
    return [
        {"t": began, "do": "invoke", "op": op, **request, "commands": [{"type": "x"}], "if_match": None},
        {"t": at, "do": "ok", "op": op, **found},
    ]


def test_recovery_is_measured_from_the_fault_to_the_first_answer_sent_after_it_and_to_the_empty_backlog(
    tmp_path: Any,
) -> None:
    history = [
        *answered(1.0, 1, 0.5, 1, "pending"),
        *answered(4.0, 2, 1.5, 2, "accepted"),
        *act(2.0, 1, 1),
        *answered(7.0, 3, 5.0, 3, "accepted"),
    ]
    outcome = Outcome(Plan(1, SEED), tmp_path, history=sorted(history, key=lambda entry: entry["t"]), kills=1)

    [recovery] = outcome.recoveries
    assert recovery.answer_s == 5.0, "what was sent before the fault shows nothing"
    assert recovery.backlog_s == 2.0, "command 2 was decided, so command 1 was"


def test_what_a_dying_process_still_answers_is_no_recovery(tmp_path: Any) -> None:
    history = [
        *act(2.0, 1, 1),
        *answered(2.2, 1, 2.1, 1, "accepted"),
        *answered(6.0, 2, 5.0, 2, "accepted"),
        *answered(6.5, 3, 6.1, 3, "accepted"),
    ]
    outcome = Outcome(Plan(1, SEED), tmp_path, history=history, kills=1)

    assert outcome.recoveries[0].answer_s == 4.0


def test_a_wait_is_measured_until_the_decision_is_seen_and_judged_by_what_went_wrong_beside_it(
    tmp_path: Any,
) -> None:
    history = [
        *answered(1.5, 1, 1.0, 1, "accepted"),
        *answered(20.0, 2, 19.0, 2, "pending"),
        *answered(22.5, 3, 21.0, 3, "accepted"),
        *act(40.0, 1, 1),
        *answered(46.0, 4, 41.0, 4, "accepted"),
        *act(60.0, 0, 1),
        *answered(69.0, 5, 61.0, 5, "accepted"),
    ]
    outcome = Outcome(Plan(1, SEED), tmp_path, history=sorted(history, key=lambda entry: entry["t"]), kills=1)

    assert outcome.waits.in_peace == [0.5, 3.5, 1.5]
    assert outcome.waits.after_kills == [5.0], "what waited beside another fault shows nothing"
    assert outcome.waits.late == 1
