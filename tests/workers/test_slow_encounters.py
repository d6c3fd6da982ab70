"""Slow encounters: the process beside a worker folds them, and delays, kills and loses nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from service.stores import checkpoints
from tests.support.processes import children, stop
from tests.support.tiny_table import eid
from tests.support.waiting import until
from tests.workers.conftest import Hall, WorkerProcess
from workers.slow_encounters import FOLD, SETTLE, PageFolded, SlowEncounters

SLOW, QUICK = eid(1), eid(2)


def slow_process(worker: WorkerProcess) -> int:
    """Return the number of the process that folds a worker's slow encounters: the second that was forked."""
    (keeper,) = children(worker.pid)
    until(lambda: len(children(keeper)) == 2, "two processes")
    return max(children(keeper))


# --- with real processes ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_slow_encounter_is_folded_to_the_same_bytes_and_delays_no_other(hall: Hall) -> None:
    worker = hall.start(slow=SLOW)
    for encounter in (SLOW, QUICK):
        hall.open(encounter)
    hall.until_folded()
    beside = slow_process(worker)
    stop(beside)
    for _ in range(5):
        hall.do(SLOW, "roll")
        hall.do(QUICK, "roll")

    until(lambda: hall.folded(QUICK) == 6, "the quick one folded")
    assert hall.folded(SLOW) == 1, "the process beside the worker folds it alone"
    os.kill(beside, signal.SIGCONT)
    hall.until_folded()

    hall.check()


@pytest.mark.slow
def test_a_slow_encounter_goes_on_after_its_process_was_killed(hall: Hall) -> None:
    worker = hall.start(slow=SLOW)
    hall.open(SLOW)
    hall.until_folded()
    beside = slow_process(worker)
    stop(beside)
    for _ in range(70):
        hall.do(SLOW, "roll")
    os.kill(beside, signal.SIGKILL)

    hall.until_folded()

    hall.check()
    assert worker.process.poll() is None
    assert worker.lines("process.killed")


@pytest.mark.slow
@pytest.mark.plants_crash
@pytest.mark.parametrize("how", ["kill", "loop"])
def test_a_poisonous_command_is_set_aside_and_the_worker_lives(hall: Hall, how: str) -> None:
    worker = hall.start(slow=SLOW, longest_s=1)
    for encounter in (SLOW, QUICK):
        hall.open(encounter)
    hall.until_folded()
    hall.do(SLOW, "burst", how=how)
    hall.do(SLOW, "roll")
    hall.do(QUICK, "roll")

    hall.until_folded()

    assert worker.process.poll() is None
    assert 3 <= len(worker.lines("process.killed")) <= 4  # a try with a cached state is not counted
    assert [line["n"] for line in worker.lines("command.quarantined")] == [2]


@pytest.mark.slow
def test_the_worker_signs_what_the_other_process_folded_and_lets_it_rest(hall: Hall) -> None:
    hall.start(slow=SLOW)
    hall.open(SLOW)
    hall.do(SLOW, "end_round")

    hall.until_folded()

    until(lambda: checkpoints.latest(hall.log, SLOW), "a signed checkpoint")
    until(lambda: not hall.log.dirty(range(1024), 2**53, 10), "nothing waits any more")
    hall.check()


@pytest.mark.slow
def test_a_worker_that_is_asked_to_stop_leaves_what_waits_to_the_next(hall: Hall) -> None:
    worker = hall.start(slow=SLOW)
    hall.open(SLOW)
    for _ in range(200):
        hall.do(SLOW, "roll")
    beside = slow_process(worker)
    worker.send(signal.SIGTERM)

    assert worker.ended() == 0
    until(lambda: not Path(f"/proc/{beside}").exists(), "the end of the other process")
    hall.start()
    hall.until_folded()
    hall.check()


# --- how they talk ------------------------------------------------------------------------------------


class Channel:
    """Slow encounters, and the other end of their socket."""

    def __init__(self) -> None:
        ours, self.end = socket.socketpair()
        self.end.settimeout(10)
        self.slow = SlowEncounters(ours, lambda encounter: encounter[0])
        self._lines = self.end.makefile("rb")

    def asked(self) -> tuple[str, str]:
        said = json.loads(self._lines.readline())
        return said["what"], said["encounter"]

    def say(self, *lines: bytes) -> list[PageFolded]:
        """Send *lines* and end; return the answers that the worker takes."""
        self.end.sendall(b"".join(lines))
        self.end.shutdown(socket.SHUT_WR)
        self.slow.listen(lambda: None)
        return self.slow.answers()

    def close(self) -> None:
        self._lines.close()
        self.end.close()
        self.slow._channel.close()  # noqa: SLF001 - a worker never closes it


@pytest.fixture
def channel() -> Iterator[Channel]:
    made = Channel()
    yield made
    made.close()


def line(answer: PageFolded) -> bytes:
    return json.dumps(asdict(answer)).encode() + b"\n"


def test_owners_have_their_pages_in_turn_and_one_is_asked_for_at_a_time(channel: Channel) -> None:
    for encounter in ("a1", "a2", "a3", "b1"):
        channel.slow.read(encounter)
    first = channel.slow.next()
    assert first is not None
    channel.slow.ask(first, 0)

    assert channel.slow.next() is None
    assert channel.asked() == (FOLD, "a1")
    assert len(channel.say(line(PageFolded("a1", commits=1)))) == 1
    assert channel.slow.next() == "b1"
    assert "a2" in channel.slow
    assert "b1" not in channel.slow


def test_a_killed_process_is_asked_again_and_its_half_line_is_ignored(channel: Channel) -> None:
    channel.slow.ask("a1", 7)
    assert channel.asked() == (FOLD, "a1")

    (lost,) = channel.say(line(PageFolded("a1", commits=3))[:20], b'\n"started"\n')

    assert lost.is_lost
    assert [each["closes"] for each in lost.written] == [True], "what it wrote may be unsigned"
    assert channel.asked() == (FOLD, "a1")
    assert "a1" in channel.slow


def test_an_encounter_is_settled_when_nothing_else_is_asked_for(channel: Channel) -> None:
    channel.slow.settle("a1")
    channel.slow.ask("b1", 0)
    channel.slow.ask_to_settle()
    assert channel.asked() == (FOLD, "b1")
    channel.say(line(PageFolded("b1")))

    channel.slow.ask_to_settle()

    assert channel.asked() == (SETTLE, "a1")


def test_what_is_no_longer_leased_is_forgotten(channel: Channel) -> None:
    channel.slow.read("a1")
    channel.slow.read("b1")
    channel.slow.settle("b2")

    channel.slow.drop(lambda encounter: encounter.startswith("b"))
    assert channel.slow.next() == "a1"
    assert channel.slow.next() is None
    channel.slow.ask_to_settle()
    channel.slow.ask("a1", 0)

    assert channel.asked() == (FOLD, "a1")
