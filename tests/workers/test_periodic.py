"""The lookout: whatever befalls one look, the next one comes, until the worker stops."""

import time
from itertools import pairwise
from threading import Event

from structlog.testing import capture_logs

from service.log.errors import StoreUnavailable
from workers.periodic import PeriodicThread, WorkerStopped


class Scripted(PeriodicThread):
    """Does what its script says, look by look, and stops with the last."""

    name = "scripted"

    def __init__(self, *script: Exception | None, every_s: float = 0.0, gap_s: float | None = None) -> None:
        super().__init__(Event())
        self.every_s, self.gap_s = every_s, gap_s
        self.script = list(script)
        self.looks = 0

    def look(self) -> None:
        """Do the next thing of the script."""
        self.looks += 1
        if len(self.script) == 1:
            self.stopping.set()
        fault = self.script.pop(0)
        if fault is not None:
            raise fault


def told(periodic: PeriodicThread) -> list[str]:
    """Run *lookout* to its end and return what it logged, as `thread event why`."""
    with capture_logs() as lines:
        periodic.run()
    return [f"{line['thread']} {line['event']} {line.get('why') or line.get('error')}" for line in lines]


def test_an_outage_is_waited_out_and_said_once_each_time_it_begins() -> None:
    down = StoreUnavailable("it is gone")
    periodic = Scripted(down, down, None, down, None)

    assert told(periodic) == ["scripted thread.store_down StoreUnavailable"] * 2
    assert periodic.looks == 5


def test_a_fault_is_said_without_its_text_and_ends_nothing() -> None:
    periodic = Scripted(ValueError("a secret"), None)

    assert told(periodic) == ["scripted thread.failed ValueError"]
    assert periodic.looks == 2


def test_a_look_that_was_left_with_the_worker_is_no_fault() -> None:
    assert told(Scripted(WorkerStopped())) == []


def test_a_ring_brings_the_next_look_whatever_the_time_between_looks() -> None:
    periodic = Scripted(None, None, every_s=3_600.0, gap_s=0.0)
    periodic.ring()  # heard by the first look
    first = periodic.look

    def look_and_ring() -> None:
        first()
        periodic.ring()

    periodic.look = look_and_ring  # type: ignore[method-assign]  # rung while it looks

    periodic.run()

    assert periodic.looks == 2


def test_many_rings_make_one_look() -> None:
    periodic = Scripted(None, None, None, every_s=3_600.0, gap_s=0.05)
    looked_at: list[float] = []
    first = periodic.look

    def look_and_ring() -> None:
        looked_at.append(time.monotonic())
        first()
        for _ in range(10):
            periodic.ring()

    periodic.look = look_and_ring  # type: ignore[method-assign]  # rung while it looks

    periodic.run()

    assert periodic.looks == 3
    assert all(later - earlier >= 0.05 for earlier, later in pairwise(looked_at))
