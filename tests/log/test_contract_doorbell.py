"""What the doorbell promises, held against every store: dirty sets, rings, leases, what is heard."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from service.log import (
    ALL_BUCKETS,
    ZERO_HASH,
    CommandNotification,
    CommitWrite,
    EncounterExists,
    Log,
    NoSuchEncounter,
    Outcome,
    Submitted,
    TooManyUndecided,
    bucket_of,
)
from tests.log.conftest import Store

NOTIFY_MS = 10_000


def submit(
    log: Log,
    request: bytes = b"request",
    encounter: str = "e1",
    key: str = "k1",
    at_ms: int = 1,
    *,
    notify_ms: int = NOTIFY_MS,
    create: bool = False,
    more: Sequence[bytes] = (),
    process: str = "",
    trace: str = "",
    most_undecided: int | None = None,
) -> Submitted:
    bounds: dict[str, Any] = {} if most_undecided is None else {"most_undecided": most_undecided}
    return log.submit(
        encounter,
        request,
        scope="gm",
        key=key,
        fingerprint="f",
        create=create,
        at_ms=at_ms,
        notify_ms=notify_ms,
        more=more,
        process=process,
        trace=trace,
        **bounds,
    )


def becomes_true(claim: Callable[[], bool], within_s: float = 30.0) -> bool:
    ends = time.monotonic() + within_s
    while time.monotonic() < ends:
        if claim():
            return True
        time.sleep(0.005)
    return False


def test_an_encounter_in_play_waits_since_its_oldest_command_that_waits(log: Log) -> None:
    """It stays marked for as long as it is played, which says nothing of how late its commands are."""
    submit(log, create=True, at_ms=1_000)
    submit(log, key="k2", at_ms=2_000)
    assert log.waiting_since() == 1_000
    log.commit("e1", CommitWrite(1, ZERO_HASH, "a" * 64, b"c", b"request"))
    submit(log, key="k3", at_ms=3_000)
    assert log.waiting_since() == 1_000, "the second command still waits"
    log.commit(
        "e1",
        CommitWrite(2, "a" * 64, "b" * 64, b"c", b"request"),
        CommitWrite(3, "b" * 64, "c" * 64, b"c", b"request"),
    )
    submit(log, key="k3", at_ms=4_000)
    assert log.waiting_since() == 1_000, "a repeat of a folded command changes nothing"
    submit(log, key="k4", at_ms=5_000)
    assert log.waiting_since() == 5_000
    submit(log, key="k4", at_ms=6_000)
    assert log.waiting_since() == 5_000, "a repeat of one that waits changes nothing"


def test_a_submission_appends_marks_and_notifies(log: Log) -> None:
    other = next(bucket for bucket in range(9) if bucket != bucket_of("e1"))
    with log.listen_commands((bucket_of("e1"),)) as wakes, log.listen_commands((other,)) as others:
        done = submit(log, create=True)

        assert Submitted(1, replayed=False, must_notify=False, undecided=1) == done
        woken = wakes.get(30)
        assert woken is not None
        assert (woken.encounter, woken.n) == ("e1", 1)
        assert others.get(0.05) is None
    assert log.dirty((bucket_of("e1"),), 1) == ["e1"]
    assert log.dirty((other,), 1) == []


def test_an_append_says_how_many_commands_are_undecided_and_is_refused_with_too_many(log: Log) -> None:
    assert submit(log, create=True, most_undecided=1).undecided == 1
    assert submit(log, key="k2", more=[b"b", b"c"], most_undecided=4).undecided == 4

    with pytest.raises(TooManyUndecided) as refused:
        submit(log, key="k3", most_undecided=4)
    assert (refused.value.undecided, refused.value.most) == (4, 4)
    with pytest.raises(TooManyUndecided):
        submit(log, key="k3", more=[b"e"], most_undecided=5)
    head = log.head("e1")
    assert head is not None
    assert (head.appended, head.undecided) == (4, 4), "a refusal changes nothing"
    assert log.find_key("e1", "gm", "k3") is None

    assert submit(log, key="k2", most_undecided=1).replayed, "a repeat appends nothing"
    log.commit("e1", CommitWrite(1, ZERO_HASH, "a" * 64, b"c", b"request"))
    appended = Submitted(5, replayed=False, must_notify=False, undecided=4)
    assert submit(log, key="k3", most_undecided=4) == appended


def test_other_refusals_of_an_append_come_before_that_of_too_many(log: Log) -> None:
    submit(log, create=True)

    with pytest.raises(EncounterExists):
        submit(log, key="k2", create=True, most_undecided=0)
    with pytest.raises(NoSuchEncounter):
        submit(log, encounter="e2", most_undecided=0)


def test_a_command_that_nobody_hears_rings_once_until_the_ring_is_answered(log: Log) -> None:
    assert submit(log, create=True).must_notify
    assert not submit(log, key="k2").must_notify

    log.answer_notification(bucket_of("e1"))

    assert submit(log, key="k3").must_notify


def test_a_ring_that_nobody_answers_is_rung_again_after_its_life(log: Log) -> None:
    assert submit(log, create=True, notify_ms=30).must_notify

    assert becomes_true(lambda: submit(log, create=True, notify_ms=30).must_notify)


def test_a_bucket_that_is_left_is_rung_for_again(log: Log) -> None:
    submit(log, create=True)
    log.answer_notification(bucket_of("e1"))
    with log.listen_commands(()) as wakes:
        wakes.follow((bucket_of("e1"),))
        assert not submit(log, key="k2").must_notify
        wakes.leave((bucket_of("e1"),))

        assert submit(log, key="k3").must_notify
        assert wakes.get(30) == CommandNotification("e1", 2, b"request")
        assert wakes.get(0) is None


def test_a_listener_that_waits_can_be_interrupted(log: Log) -> None:
    with log.listen_commands() as wakes:
        threading.Timer(0.05, wakes.interrupt).start()

        assert wakes.get(60) is None
        submit(log, create=True)
        assert wakes.get(30) is not None


def test_a_repeated_submission_notifies_again_until_it_is_folded(store: Store) -> None:
    log = store.log
    submit(log, create=True)
    log.answer_notification(bucket_of("e1"))

    assert Submitted(1, replayed=True, must_notify=True, undecided=1) == submit(log, create=True)

    log.commit("e1", CommitWrite(1, ZERO_HASH, "a" * 64, b"c", b"request"))
    log.answer_notification(bucket_of("e1"))
    log.clean("e1")
    before = store.dump()

    assert Submitted(1, replayed=True, must_notify=False, undecided=0) == submit(log, create=True)
    assert before == store.dump()


def test_the_longest_waiting_come_first_and_the_late_not_yet(log: Log) -> None:
    for at_ms, encounter in ((30, "e3"), (10, "e1"), (20, "e2")):
        log.mark_dirty(encounter, at_ms)
    log.mark_dirty("e1", 99)

    assert log.dirty(ALL_BUCKETS, 29) == ["e1", "e2"]
    assert log.dirty(ALL_BUCKETS, 99, count=1) == ["e1"]
    assert log.dirty((bucket_of("e3"),), 99) == ["e3"]


def test_an_encounter_stays_dirty_until_all_is_folded(log: Log) -> None:
    submit(log, create=True)
    submit(log, key="k2")
    log.commit("e1", CommitWrite(1, ZERO_HASH, "a" * 64, b"c", b"request"))

    assert not log.clean("e1")
    assert log.dirty(ALL_BUCKETS, 1) == ["e1"]

    log.commit("e1", CommitWrite(2, "a" * 64, "b" * 64, b"c", b"request"))

    assert log.clean("e1")
    assert log.dirty(ALL_BUCKETS, 1) == []
    assert not log.clean("e1")


def test_a_mark_without_an_encounter_can_be_taken_away(log: Log) -> None:
    log.mark_dirty("never-created", 1)

    assert log.clean("never-created")


def test_one_holds_a_lease_until_it_releases_it(log: Log) -> None:
    assert log.hold_leases(("a", "b"), "one", NOTIFY_MS) == [True, True]
    assert log.hold_leases(("b", "c"), "two", NOTIFY_MS) == [False, True]
    assert log.hold_leases(("a", "b", "c"), "one", NOTIFY_MS) == [True, True, False]

    assert not log.release_lease("a", "two")
    assert log.release_lease("a", "one")
    assert not log.release_lease("a", "one")
    assert log.hold_leases(("a",), "two", NOTIFY_MS) == [True]


def test_a_holder_that_does_not_prolong_loses_the_lease(log: Log) -> None:
    log.hold_leases(("a",), "stopped", 30)

    assert becomes_true(lambda: all(log.hold_leases(("a",), "next", NOTIFY_MS)))
    assert not log.release_lease("a", "stopped")
    assert log.hold_leases(("a",), "stopped", NOTIFY_MS) == [False]


def test_every_commit_is_heard_by_every_listener_in_order(log: Log) -> None:
    submit(log, create=True)
    submit(log, key="k2")
    with log.listen_outcomes() as one, log.listen_outcomes() as two:
        first = CommitWrite(1, ZERO_HASH, "a" * 64, b"c\n1\n", b"request")
        log.commit("e1", first, CommitWrite(2, "a" * 64, "b" * 64, b"\x00\xff", b"request"))

        for listener in (one, two):
            assert Outcome("e1", 1, b"c\n1\n") == listener.get(30)
            assert Outcome("e1", 2, b"\x00\xff") == listener.get(30)
            assert listener.get(0) is None


def test_a_listener_hears_nothing_from_before(log: Log) -> None:
    log.notify("e1")
    with log.listen_commands() as wakes:
        assert wakes.get(0.05) is None
        log.notify("e2")
        assert wakes.get(30) == CommandNotification("e2", 0, b"")


def test_a_wake_brings_the_command_as_appended_but_a_repeat_brings_none(log: Log) -> None:
    with log.listen_commands() as wakes:
        submit(log, b"first", create=True)
        submit(log, b"spelled anew", create=True)

        assert wakes.get(30) == CommandNotification("e1", 1, b"first")
        assert wakes.get(30) == CommandNotification("e1", 0, b"")


def test_a_trace_stays_beside_each_request_and_is_no_part_of_it(log: Log) -> None:
    submit(log, b"open", create=True)
    submit(log, b"two", key="k2", more=(b"three",), trace="00-ab-cd-01")
    submit(log, b"two, anew", key="k2", more=(b"three, anew",), trace="00-ef-01-01")  # the first one counts

    assert [log.trace("e1", n) for n in (1, 2, 3, 4)] == ["", "00-ab-cd-01", "00-ab-cd-01", ""]
    assert log.trace("nowhere", 1) == ""
    assert [entry.raw for entry in log.commands("e1", 0, 9)] == [b"open", b"two", b"three"]
    assert log.sizes(["e1"])[0].bytes == len(b"open" + b"two" + b"three")


def test_several_requests_go_together_under_one_key(log: Log) -> None:
    submit(log, b"open", create=True)
    with log.listen_commands() as wakes:
        placed = submit(log, b"two", key="k2", more=(b"three", b"four"), process="asks")

        assert (placed.n, placed.replayed) == (2, False)
        assert [wakes.get(30) for _ in range(3)] == [
            CommandNotification("e1", 2, b"two", "asks"),
            CommandNotification("e1", 3, b"three", "asks"),
            CommandNotification("e1", 4, b"four", "asks"),
        ]
    again = submit(log, b"two, anew", key="k2", more=(b"three, anew", b"four, anew"))
    after = submit(log, b"five", key="k5")

    assert (again.n, again.replayed, after.n) == (2, True, 5)
    assert [entry.raw for entry in log.commands("e1", 0, 9)] == [b"open", b"two", b"three", b"four", b"five"]
    assert getattr(log.head("e1"), "appended", None) == 5
