"""The pulse: whoever beat lately lives."""

import threading

import pytest

from service.log.memory import MemoryLog
from service.signals.heartbeats import STALE_MS, Heartbeats, record_heartbeat
from tests.support.waiting import until
from workers.heartbeat import HeartbeatThread


class Clock:
    """A clock of the day that somebody may set, and a steady one; both in seconds."""

    def __init__(self) -> None:
        self.day = 1_000_000.0
        self.steady = 50.0

    def pass_(self, seconds: float) -> None:
        self.day += seconds
        self.steady += seconds

    @property
    def now_ms(self) -> int:
        return int(self.day * 1000)


class Idle:
    """What decides nothing."""

    deciding_since = None


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_worker_lives_as_long_as_its_last_beat_is_fresh(clock: Clock) -> None:
    log = MemoryLog()
    heartbeats = Heartbeats(log, lambda: clock.day, lambda: clock.steady)
    record_heartbeat(log, "old", clock.now_ms)
    clock.pass_(4)
    record_heartbeat(log, "new", clock.now_ms)

    assert set(heartbeats.alive()) == {"old", "new"}
    clock.pass_(STALE_MS / 1000 - 4)
    assert heartbeats.alive() == ("new",)
    clock.pass_(4)
    assert heartbeats.alive() == ()


@pytest.mark.parametrize("jump", [3_600.0, -3_600.0])
def test_a_worker_lives_before_and_after_its_next_beat_though_the_clock_is_set(
    clock: Clock, jump: float
) -> None:
    log = MemoryLog()
    heartbeats = Heartbeats(log, lambda: clock.day, lambda: clock.steady)
    record_heartbeat(log, "w", clock.now_ms)
    clock.day += jump

    assert heartbeats.alive() == ("w",)
    record_heartbeat(log, "w", clock.now_ms)
    assert heartbeats.alive() == ("w",)


@pytest.mark.parametrize("jump", [3_600.0, -3_600.0])
def test_a_worker_that_ended_is_dead_in_time_though_the_clock_is_set(clock: Clock, jump: float) -> None:
    log = MemoryLog()
    heartbeats = Heartbeats(log, lambda: clock.day, lambda: clock.steady)
    record_heartbeat(log, "w", clock.now_ms)
    clock.day += jump
    clock.pass_(STALE_MS / 1000)

    assert heartbeats.alive() == ()


def test_a_pulse_beats_until_it_is_stopped() -> None:
    log, stopping = MemoryLog(), threading.Event()
    pulse = HeartbeatThread(log, "w", Idle(), stopping, 20.0)
    thread = threading.Thread(target=pulse.run)
    thread.start()

    until(lambda: log.record("workers", "w"), "a beat")
    stopping.set()
    thread.join(30)

    assert not thread.is_alive()
