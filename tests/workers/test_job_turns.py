"""Jobs of one owner hold up no other owner's: neither many of them nor a long one."""

from __future__ import annotations

import time
from threading import Barrier, Event, Thread

from service.log.memory import MemoryLog
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.jobs import AUDITS, DONE, SIMULATIONS, Job, JobKind
from tests.support.waiting import until
from workers import job_turns
from workers.job_runner import AT_ONCE, JobProgress, JobRunner
from workers.job_turns import JobTurns


class Runner(JobRunner):
    """Works at each job until the job's event is set."""

    def __init__(self, log: MemoryLog, kind: JobKind, turns: JobTurns | None = None) -> None:
        self.kind = kind
        super().__init__(log, worker="w", stopping=Event(), turns=turns)
        self.begun: list[str] = []
        self.done: list[str] = []
        self.ends: dict[str, Event] = {}

    def do(self, job: Job) -> None:
        """Do *job* step by step."""
        id_ = job[self.kind.id]
        self.begun.append(id_)
        progress, steps = JobProgress(self, dict(job)), 0
        while not self.ends.setdefault(id_, Event()).is_set():
            steps += 1
            progress(steps, 0)
        self.done.append(id_)
        self.close(job | {"status": DONE})

    def end(self, id_: str) -> None:
        """Let a job be done."""
        self.ends.setdefault(id_, Event()).set()


def asked(log: MemoryLog, kind: JobKind, whose: str, id_: str, at_ms: int) -> None:
    job = {kind.id: id_, kind.of: whose, "status": "pending", "progress": None, "fingerprint": "f"}
    kind.put(log, job)
    log.set_due(kind.collection, [f"{whose}/{id_}"], at_ms, reschedule=False)


def test_a_long_job_and_those_behind_it_hold_up_no_other_owner() -> None:
    log = MemoryLog()
    runner = Runner(log, SIMULATIONS)
    for number in range(3):
        asked(log, SIMULATIONS, "greedy", f"g{number}", number)
    asked(log, SIMULATIONS, "polite", "p", 10)
    runner.end("p")
    looking = Thread(target=runner.look, daemon=True)
    looking.start()

    until(lambda: runner.done == ["p"], "the polite owner's job")
    assert sorted(runner.begun) == ["g0", "p"], "one job of an owner at a time"

    asked(log, SIMULATIONS, "late", "l", 20)  # while the long one still runs
    runner.end("l")
    until(lambda: "l" in runner.done, "a job that was asked for later")
    for number in range(3):
        runner.end(f"g{number}")
    looking.join(30)
    assert runner.done == ["p", "l", "g0", "g1", "g2"]


def test_audits_count_for_the_owner_of_their_encounter() -> None:
    log = MemoryLog()
    index = EncounterIndex(log)
    for encounter, owner in (("e1", "greedy"), ("e2", "greedy"), ("e3", "polite")):
        index.enter(EncounterEntry(encounter, owner, "tiny@1", "", "2026-01-01T00:00:00.000Z"))
        asked(log, AUDITS, encounter, f"of-{encounter}", int(encounter[1]))
    runner = Runner(log, AUDITS)
    looking = Thread(target=runner.look, daemon=True)
    looking.start()

    until(lambda: len(runner.begun) == 2, "a job of each owner")
    time.sleep(0.3)
    assert sorted(runner.begun) == ["of-e1", "of-e3"]
    for encounter in ("e1", "e2", "e3"):
        runner.end(f"of-{encounter}")
    looking.join(30)
    assert sorted(runner.done) == ["of-e1", "of-e2", "of-e3"]


def test_no_more_jobs_run_at_once_than_may() -> None:
    log = MemoryLog()
    runner = Runner(log, SIMULATIONS)
    for number in range(AT_ONCE + 2):
        asked(log, SIMULATIONS, f"owner{number}", f"j{number}", number)
    looking = Thread(target=runner.look, daemon=True)
    looking.start()

    until(lambda: len(runner.begun) == AT_ONCE, "as many as may")
    time.sleep(0.3)
    assert len(runner.begun) == AT_ONCE
    for number in range(AT_ONCE + 2):
        runner.end(f"j{number}")
    looking.join(30)
    assert len(runner.done) == AT_ONCE + 2


def test_threads_work_one_at_a_time_and_the_longest_waiting_is_next() -> None:
    turns, order, starts = JobTurns(), [], Barrier(3)
    at_once = [0, 0]

    def work(name: str) -> None:
        starts.wait()
        with turns.working():
            for _ in range(4):
                at_once[0] += 1
                at_once[1] = max(at_once)
                order.append(name)
                time.sleep(job_turns.TURN_S)
                at_once[0] -= 1
                turns.give_way()

    threads = [Thread(target=work, args=(name,), daemon=True) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert at_once[1] == 1
    assert all(len(set(order[at : at + 3])) == 3 for at in range(0, 12, 3)), order


def test_a_thread_that_waits_for_no_turn_gives_none_away() -> None:
    JobTurns().give_way()
