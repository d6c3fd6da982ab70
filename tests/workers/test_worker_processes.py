"""The processes beside a worker: they hear it, they come back, they give way, and end with their worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.forked import NICENESS
from tests.support.waiting import PATIENCE_S
from tests.workers.conftest import ROOT


class Worker:
    """A worker with its processes, as they say themselves."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.workers.forked_jobs"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        said = dict(self._said() for _ in range(3))
        self.forking, self.jobs, self.niceness = said["jobs"]
        self.slow = said["slow"][1]

    def _said(self) -> tuple[str, tuple[int, ...]]:
        assert self.process.stdout is not None
        word, *numbers = self.process.stdout.readline().split()
        return word, tuple(map(int, numbers))

    def say(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def hear(self) -> tuple[str, tuple[int, ...]]:
        return self._said()


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.process.kill()
    made.process.wait(PATIENCE_S)
    for pipe in (made.process.stdin, made.process.stdout):
        assert pipe is not None
        pipe.close()


def gone(pid: int) -> bool:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_a_ring_reaches_the_jobs_which_give_way_to_the_worker(worker: Worker) -> None:
    worker.say("ring")

    assert worker.hear() == ("rung", ())
    assert worker.niceness == os.nice(0) + NICENESS


def test_killed_jobs_are_forked_again_and_hear_the_next_ring(worker: Worker) -> None:
    os.kill(worker.jobs, signal.SIGKILL)

    word, (forking, jobs, _) = worker.hear()
    assert (word, forking) == ("jobs", worker.forking)
    assert jobs != worker.jobs
    worker.say("ring")
    assert worker.hear() == ("rung", ())


def test_the_process_of_slow_encounters_hears_the_worker_and_comes_back_if_it_is_killed(
    worker: Worker,
) -> None:
    worker.say("ask")
    assert worker.hear() == ("heard", (7,))

    os.kill(worker.slow, signal.SIGKILL)

    word, (forking, slow, niceness) = worker.hear()
    assert (word, forking, niceness) == ("slow", worker.forking, worker.niceness)
    assert slow != worker.slow
    worker.slow = slow
    worker.say("ask")
    assert worker.hear() == ("heard", (7,))


def test_a_stop_lets_the_jobs_end_by_themselves_and_leaves_nobody(worker: Worker) -> None:
    for pid in (worker.jobs, worker.forking):
        os.kill(pid, signal.SIGTERM)  # as to a whole process group: the worker says when to stop
    worker.say("end")

    assert worker.hear() == ("stopped", ())
    assert worker.process.wait(PATIENCE_S) == 0
    assert gone(worker.jobs)
    assert gone(worker.slow)
    assert gone(worker.forking)


def test_a_killed_worker_takes_its_jobs_with_it(worker: Worker) -> None:
    worker.process.kill()

    assert gone(worker.jobs)
    assert gone(worker.slow)
    assert gone(worker.forking)


def test_a_worker_that_can_run_no_jobs_any_more_ends_and_is_started_again(worker: Worker) -> None:
    os.kill(worker.forking, signal.SIGKILL)

    assert worker.process.wait(PATIENCE_S) == -signal.SIGKILL
    assert gone(worker.jobs)
