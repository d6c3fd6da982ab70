"""What the doorbell promises, held against every store: dirty sets, bells, wakes, outcomes."""

import time
from collections.abc import Callable, Sequence

from service.log import ZERO_HASH, Fold, Log, Outcome, Submitted, Wake
from tests.log.conftest import Store

RING_MS = 10_000


def submit(
    log: Log,
    request: bytes = b"request",
    encounter: str = "e1",
    key: str = "k1",
    at_ms: int = 1,
    *,
    create: bool = False,
    more: Sequence[bytes] = (),
) -> Submitted:
    return log.submit(
        encounter,
        request,
        scope="gm",
        key=key,
        fingerprint="f",
        create=create,
        shard=0,
        at_ms=at_ms,
        ring_ms=RING_MS,
        more=more,
    )


def becomes_true(claim: Callable[[], bool], within_s: float = 30.0) -> bool:
    ends = time.monotonic() + within_s
    while time.monotonic() < ends:
        if claim():
            return True
        time.sleep(0.005)
    return False


def test_a_submission_appends_marks_wakes_and_rings(log: Log) -> None:
    with log.listen_wakes(0) as wakes, log.listen_wakes(1) as others:
        done = submit(log, create=True)

        assert Submitted(1, replayed=False, must_ring=True) == done
        woken = wakes.get(30)
        assert woken is not None
        assert (woken.encounter, woken.n) == ("e1", 1)
        assert others.get(0.05) is None
    assert log.dirty(0, 1) == ["e1"]
    assert not log.ring(0, RING_MS)


def test_who_submits_while_the_bell_rings_need_not_ring(log: Log) -> None:
    submit(log, create=True)

    assert not submit(log, key="k2").must_ring


def test_a_repeated_submission_rings_again_until_it_is_folded(store: Store) -> None:
    log = store.log
    submit(log, create=True)
    log.hold_bell(0, "worker", RING_MS)
    log.release_bell(0, "worker")

    assert Submitted(1, replayed=True, must_ring=True) == submit(log, create=True)

    log.commit("e1", Fold(1, ZERO_HASH, "a" * 64, b"c"))
    log.hold_bell(0, "worker", RING_MS)
    log.release_bell(0, "worker")
    log.clean(0, "e1")
    before = store.dump()

    assert Submitted(1, replayed=True, must_ring=False) == submit(log, create=True)
    assert before == store.dump()


def test_the_longest_waiting_come_first_and_the_late_not_yet(log: Log) -> None:
    for at_ms, encounter in ((30, "e3"), (10, "e1"), (20, "e2")):
        log.mark_dirty(0, encounter, at_ms)
    log.mark_dirty(0, "e1", 99)

    assert log.dirty(0, 29) == ["e1", "e2"]
    assert log.dirty(0, 99, count=1) == ["e1"]
    assert log.dirty(1, 99) == []


def test_an_encounter_stays_dirty_until_all_is_folded(log: Log) -> None:
    submit(log, create=True)
    submit(log, key="k2")
    log.commit("e1", Fold(1, ZERO_HASH, "a" * 64, b"c"))

    assert not log.clean(0, "e1")
    assert log.dirty(0, 1) == ["e1"]

    log.commit("e1", Fold(2, "a" * 64, "b" * 64, b"c"))

    assert log.clean(0, "e1")
    assert log.dirty(0, 1) == []
    assert not log.clean(0, "e1")


def test_a_mark_without_an_encounter_can_be_taken_away(log: Log) -> None:
    log.mark_dirty(0, "never-created", 1)

    assert log.clean(0, "never-created")


def test_the_bell_rings_once_and_again_after_its_life(log: Log) -> None:
    assert log.ring(0, RING_MS)
    assert not log.ring(0, RING_MS)
    assert log.ring(1, 30)

    assert becomes_true(lambda: log.ring(1, RING_MS))
    assert not log.ring(1, RING_MS)


def test_one_worker_holds_the_bell_and_nobody_rings_meanwhile(log: Log) -> None:
    log.ring(0, RING_MS)

    assert log.hold_bell(0, "one", RING_MS)
    assert not log.hold_bell(0, "two", RING_MS)
    assert log.hold_bell(0, "one", RING_MS)
    assert not log.ring(0, RING_MS)


def test_a_bell_is_released_by_its_holder_alone(log: Log) -> None:
    log.hold_bell(0, "one", RING_MS)

    assert not log.release_bell(0, "two")
    assert not log.ring(0, RING_MS)
    assert log.release_bell(0, "one")
    assert not log.release_bell(0, "one")
    assert log.ring(0, RING_MS)


def test_a_holder_that_does_not_prolong_loses_the_bell(log: Log) -> None:
    log.hold_bell(0, "stopped", 30)

    assert becomes_true(lambda: log.hold_bell(0, "next", RING_MS))
    assert not log.release_bell(0, "stopped")
    assert not log.ring(0, RING_MS)


def test_every_commit_is_heard_by_every_listener_in_order(log: Log) -> None:
    submit(log, create=True)
    submit(log, key="k2")
    with log.listen_outcomes() as one, log.listen_outcomes() as two:
        log.commit("e1", Fold(1, ZERO_HASH, "a" * 64, b"c\n1\n"), Fold(2, "a" * 64, "b" * 64, b"\x00\xff"))

        for listener in (one, two):
            assert Outcome("e1", 1, b"c\n1\n") == listener.get(30)
            assert Outcome("e1", 2, b"\x00\xff") == listener.get(30)
            assert listener.get(0) is None


def test_a_listener_hears_nothing_from_before(log: Log) -> None:
    log.wake(0, "e1")
    with log.listen_wakes(0) as wakes:
        assert wakes.get(0.05) is None
        log.wake(0, "e2")
        assert wakes.get(30) == Wake("e2", 0, b"")


def test_a_wake_brings_the_command_as_appended_but_a_repeat_brings_none(log: Log) -> None:
    with log.listen_wakes(0) as wakes:
        submit(log, b"first", create=True)
        submit(log, b"spelled anew", create=True)

        assert wakes.get(30) == Wake("e1", 1, b"first")
        assert wakes.get(30) == Wake("e1", 0, b"")


def test_several_requests_go_together_under_one_key(log: Log) -> None:
    submit(log, b"open", create=True)
    with log.listen_wakes(0) as wakes:
        placed = submit(log, b"two", key="k2", more=(b"three", b"four"))

        assert (placed.n, placed.replayed) == (2, False)
        assert [wakes.get(30) for _ in range(3)] == [
            Wake("e1", 2, b"two"),
            Wake("e1", 3, b"three"),
            Wake("e1", 4, b"four"),
        ]
    again = submit(log, b"two, anew", key="k2", more=(b"three, anew", b"four, anew"))
    after = submit(log, b"five", key="k5")

    assert (again.n, again.replayed, after.n) == (2, True, 5)
    assert [entry.raw for entry in log.commands("e1", 0, 9)] == [b"open", b"two", b"three", b"four", b"five"]
    assert getattr(log.head("e1"), "appended", None) == 5
