"""Worker processes that are killed, stopped and starved: one commit per command, the same bytes."""

import signal
import threading
import time

import pytest

from service.log.valkey.queue import queue_client
from tests.support.tiny_table import eid
from tests.support.waiting import until
from tests.workers.conftest import Hall

pytestmark = pytest.mark.slow


def test_a_ring_folds_what_was_sent(hall: Hall) -> None:
    hall.start(sweeps=False)
    hall.open(eid())
    for _ in range(5):
        hall.do(eid(), "roll")

    hall.until_folded()

    hall.check()


def test_two_workers_on_one_encounter_write_each_commit_once(hall: Hall) -> None:
    hall.start(), hall.start()
    hall.open(eid())
    for n in range(200):
        hall.do(eid(), "add" if n % 3 else "roll", **({"amount": 1 + n % 9} if n % 3 else {}))
        if n % 10 == 0:
            hall.ring()

    hall.until_folded()

    hall.check()


@pytest.mark.parametrize("fault", ["before_commit", "after_commit"])
def test_a_worker_killed_at_its_commit_leaves_no_gap_and_no_double(hall: Hall, fault: str) -> None:
    hall.open(eid())
    for _ in range(3):
        hall.do(eid(), "roll")
    doomed = hall.start(fault)
    hall.ring()
    assert doomed.ended() == -signal.SIGKILL
    assert (hall.folded(eid()) > 0) == (fault == "after_commit")  # as many commands as its turn had time for
    hall.start()
    hall.do(eid(), "roll")

    hall.until_folded()

    hall.check()


@pytest.mark.parametrize("fault", ["before_commit:3", "after_commit:3"])
def test_a_worker_killed_amid_a_wave_leaves_no_gap_and_no_double(hall: Hall, fault: str) -> None:
    doomed = hall.start(fault)
    encounters = [eid(1), eid(2)]
    for encounter in encounters:
        hall.open(encounter)
    hall.until_folded()
    for _ in range(5):
        for encounter in encounters:
            hall.do(encounter, "roll")
    assert doomed.ended() == -signal.SIGKILL
    hall.start()

    hall.until_folded()

    hall.check()


@pytest.mark.parametrize("found_by", ["its ring", "the sweeper"])
def test_a_worker_stopped_past_its_time_is_refused_when_it_wakes(hall: Hall, found_by: str) -> None:
    hall.open(eid())
    hall.do(eid(), "roll")
    if found_by == "the sweeper":
        hall.queue.flushdb()
    sleeper = hall.start("pause_before_commit", sweeps=found_by == "the sweeper")
    until(sleeper.is_stopped, "the worker stops itself")
    assert hall.folded(eid()) == 0, "it stops before its commit"
    other = hall.start()
    hall.do(eid(), "roll")
    hall.until_folded()
    before = [entry.raw for entry in hall.log.commits(eid(), 0, 10)]

    sleeper.send(signal.SIGCONT)
    until(lambda: sleeper.lines("fold.stale"), "the late commit is refused")

    assert [entry.raw for entry in hall.log.commits(eid(), 0, 10)] == before
    hall.do(eid(), "add", amount=1)
    hall.until_folded()
    hall.check()
    assert other.process.poll() is None
    assert sleeper.process.poll() is None


def test_a_job_delivered_three_times_folds_once(hall: Hall) -> None:
    hall.start(), hall.start()
    hall.open(eid())
    for _ in range(3):
        hall.do(eid(), "roll")
        for _ in range(3):
            assert hall.ring()

    hall.until_folded()

    hall.check()


def test_wiping_the_queue_again_and_again_loses_nothing(hall: Hall) -> None:
    hall.start(), hall.start()
    stop = threading.Event()

    def wipe() -> None:
        with queue_client(hall.queue_url) as client:
            while not stop.wait(0.02):
                client.flushdb()

    wiping = threading.Thread(target=wipe)
    wiping.start()
    try:
        encounters = [eid(number) for number in range(1, 6)]
        for encounter in encounters:
            hall.open(encounter)
        for n in range(40):
            for encounter in encounters:
                hall.do(encounter, "roll" if n % 2 else "add", **({} if n % 2 else {"amount": 2}))
            time.sleep(0.05)  # the commands are to come while the wiping goes on
        hall.until_folded()
    finally:
        stop.set()
        wiping.join()

    hall.check()


def test_a_ring_that_was_lost_is_found_by_the_sweeper(hall: Hall) -> None:
    hall.open(eid())
    hall.do(eid(), "roll")
    hall.queue.flushdb()
    hall.start()

    hall.until_folded()

    hall.check()


def test_groups_share_a_worker(hall: Hall) -> None:
    hall.groups = 4
    hall.start(sweeps=False)
    encounters = [eid(number) for number in range(1, 9)]
    for encounter in encounters:
        hall.open(encounter)
        hall.do(encounter, "roll")

    hall.until_folded()

    hall.check()


def test_sigterm_ends_a_worker_that_works_and_one_that_waits(hall: Hall) -> None:
    idle, busy = hall.start(), hall.start()
    hall.open(eid())
    hall.do(eid(), "roll")
    hall.until_folded()

    for worker in (idle, busy):
        worker.send(signal.SIGTERM)

    assert [worker.ended() for worker in (idle, busy)] == [0, 0]
    hall.check()
