"""Commands that take their worker with them, jobs that name what they should not, what cannot be folded."""

import signal
from functools import partial
from pathlib import Path

import pytest
from rq import Callback, Queue
from rq.serializers import JSONSerializer
from rq.utils import as_text

from service.log import ALL_BUCKETS
from service.record.commit import load_commit
from service.signals.doorbell import FOLD, QUEUE
from tests.support.tiny_table import eid
from tests.support.waiting import until
from tests.workers.conftest import Hall, WorkerProcess


def _outcomes(hall: Hall, encounter: str) -> list[str]:
    return [load_commit(entry.raw).outcome for entry in hall.log.commits(encounter, 0, 100)]


@pytest.mark.plants_crash
def test_a_command_that_breaks_the_rules_is_quarantined_and_the_others_go_on(hall: Hall) -> None:
    worker = hall.start()
    hall.open(eid(1))
    hall.open(eid(2))
    hall.do(eid(1), "add", amount=1)
    hall.do(eid(1), "burst", how="raise")
    hall.do(eid(1), "add", amount=1)
    hall.do(eid(2), "add", amount=1)

    hall.until_folded()

    assert _outcomes(hall, eid(1)) == ["accepted", "accepted", "quarantined", "accepted"]
    assert _outcomes(hall, eid(2)) == ["accepted", "accepted"]
    crashes = worker.lines("command.crashed")
    assert {(line["encounter"], line["n"], line["error"]) for line in crashes} == {
        (eid(1), 3, "AssertionError")
    }
    assert 3 <= len(crashes) <= 4


@pytest.mark.plants_crash
def test_a_command_that_kills_its_worker_is_quarantined_after_three_tries(hall: Hall) -> None:
    hall.open(eid())
    hall.do(eid(), "add", amount=1)
    hall.do(eid(), "burst", how="kill")
    hall.do(eid(), "add", amount=2)
    deaths = 0
    while hall.folded(eid()) < 4:
        worker = hall.start()
        hall.ring()
        until(partial(_is_folded_or_dead, hall, worker), "folded or dead")
        deaths += worker.process.poll() == -signal.SIGKILL

    # Three deaths count against the command. One before may count against command 1, decided together with
    # it; so may one that counts against none, if a first turn ended with command 1.
    assert 3 <= deaths <= 5
    assert _outcomes(hall, eid()) == ["accepted", "accepted", "quarantined", "accepted"]


def _is_folded_or_dead(hall: Hall, worker: WorkerProcess) -> bool:
    return hall.folded(eid()) == 4 or worker.process.poll() is not None


def test_a_planted_job_is_refused_and_not_run(hall: Hall, tmp_path: Path) -> None:
    worker = hall.start()
    queue = Queue(QUEUE, connection=hall.queue, serializer=JSONSerializer)
    planted = tmp_path / "planted"
    queue.enqueue_call("os.system", args=(f"touch {planted}",))
    queue.enqueue_call("builtins.eval", args=(f"open({str(planted)!r}, 'w')",))
    queue.enqueue_call("subprocess.check_output", args=(["touch", str(planted)],))
    queue.enqueue_call("service.log.keys.bucket_of", args=("x",))

    until(lambda: len(worker.lines("job.failed")) == 4, "four jobs refused")

    assert {line["error"] for line in worker.lines("job.failed")} == {"FunctionNotAllowed"}
    assert str(planted) not in worker.output.read_text()
    assert not planted.exists()
    hall.open(eid())
    hall.until_folded()


def test_a_planted_callback_and_a_planted_order_are_left_out(hall: Hall, tmp_path: Path) -> None:
    worker = hall.start()
    planted = tmp_path / "planted"
    queue = Queue(QUEUE, connection=hall.queue, serializer=JSONSerializer)
    callback = Callback("os.mkdir")
    with hall.queue.pipeline() as together:  # or the worker might have done with the job before the callback
        job = queue.enqueue_call(
            FOLD, args=(0,), on_success=callback, on_failure=callback, result_ttl=600, pipeline=together
        )
        together.hset(job.key, "success_callback_name", "pathlib.Path.touch")
        together.execute()
    for name in hall.queue.smembers("rq:workers"):
        hall.queue.publish(f"rq:pubsub:{as_text(name).rpartition(':')[2]}", '{"command": "shutdown"}')

    until(lambda: hall.queue.llen(f"rq:queue:{QUEUE}") == 0, "the job is taken")
    until(lambda: not hall.queue.exists(job.key), "nothing of the job is kept")

    hall.open(eid())
    hall.until_folded()
    assert worker.process.poll() is None
    assert not worker.lines("job.failed")
    assert not planted.exists()


def test_an_encounter_that_cannot_be_folded_keeps_no_other_waiting(hall: Hall) -> None:
    worker = hall.start()
    hall.open(eid(1), edition="chess@1")
    hall.open(eid(2))
    hall.do(eid(2), "add", amount=1)

    until(lambda: hall.folded(eid(2)) == 2, "the other is folded")

    until(lambda: worker.lines("fold.failed"), "it is told")
    assert worker.lines("fold.failed")[0]["error"] == "UnknownEdition"
    assert eid(1) in hall.log.dirty(ALL_BUCKETS, 2**53)


def test_a_command_that_never_ends_is_ended_by_the_watchdog(hall: Hall) -> None:
    hall.open(eid())
    hall.do(eid(), "burst", how="loop")
    worker = hall.start(longest_s=1.0)
    hall.ring()

    assert worker.ended() == -signal.SIGKILL
    assert worker.lines("worker.hung")
