"""The pulse: whoever beat lately lives."""

import threading

from service.encounter.signals.pulse import STALE_MS, alive, beat
from service.log.memory import MemoryLog
from tests.workers.conftest import until
from workers.pulse import Pulse


def test_a_worker_lives_as_long_as_its_last_beat_is_fresh() -> None:
    log = MemoryLog()
    beat(log, "old", 1_000)
    beat(log, "new", 5_000)

    assert set(alive(log, 5_000)) == {"old", "new"}
    assert alive(log, 1_000 + STALE_MS) == ("new",)
    assert alive(log, 5_000 + STALE_MS) == ()


def test_a_pulse_beats_until_it_is_stopped() -> None:
    log, stopping = MemoryLog(), threading.Event()
    pulse = Pulse(log, "w", (), stopping, 20.0)
    thread = threading.Thread(target=pulse.run)
    thread.start()

    until(lambda: log.record("workers", "w"), "a beat")
    stopping.set()
    thread.join(30)

    assert not thread.is_alive()
