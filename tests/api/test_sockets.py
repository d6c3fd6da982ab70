"""The open sockets of one process: who ends at a sweep, and what a silent one costs."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from service.api.exchange import Reply
from service.api.loop.connection import Connection
from service.api.loop.sockets import IDLE_S, SocketLimits, SocketPhase, Sockets

LIMITS = SocketLimits(address_sockets=0)


@dataclass(eq=False)
class Held:
    """An open socket that notes in which phase its time was up."""

    address: str = "127.0.0.1"
    ended: list[SocketPhase] = field(default_factory=list)

    def expire(self, phase: SocketPhase) -> None:
        self.ended.append(phase)

    def drop(self) -> None:
        raise AssertionError("there is room for everybody")


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_sweep_ends_a_bounded_number_of_sockets_the_longest_waiting_first() -> None:
    clock = Clock()
    sockets = Sockets(LIMITS, clock)
    crowd = [Held() for _ in range(20)]
    for held in crowd:
        sockets.admit(held)
    clock.now += LIMITS.head_s

    soon = sockets.sweep(8)
    ended = [held for held in crowd if held.ended]

    assert ended == crowd[:8]
    assert soon == 0.0
    assert sockets.sweep() == math.inf
    assert all(held.ended == [SocketPhase.HEAD] for held in crowd)


def test_a_sweep_returns_the_seconds_until_the_next_deadline() -> None:
    clock = Clock()
    sockets = Sockets(LIMITS, clock)
    idle, begun = Held(), Held()
    sockets.admit(idle)
    sockets.enter(idle, SocketPhase.IDLE)
    clock.now += 4
    sockets.admit(begun)

    assert sockets.sweep() == LIMITS.head_s
    clock.now += LIMITS.head_s
    assert sockets.sweep() == IDLE_S - 4 - LIMITS.head_s
    assert (begun.ended, idle.ended) == ([SocketPhase.HEAD], [])


@pytest.mark.parametrize(
    ("sent", "tasks"),
    [(b"", 0), (b"GET /livez HTTP/1.1\r\nHost: x\r\n", 0), (b"GET / HTTP/1.0\r\n\r\n", 1)],
)
def test_a_socket_has_a_task_only_while_it_is_answered_and_a_stop_waits_for_it(
    sent: bytes, tasks: int
) -> None:
    assert asyncio.run(_tasks_and_connections(sent, tasks)) == (tasks, 1)


async def _tasks_and_connections(sent: bytes, tasks: int) -> tuple[int, int]:
    """Return the tasks that one connection added, and the connections that a stop waits for."""
    loop = asyncio.get_running_loop()

    released = asyncio.Event()

    async def late(*_: object) -> Reply:
        await released.wait()
        return Reply(204, {}, b"")

    serving: Any = SimpleNamespace(
        application=late, loop=loop, connections=0, alive=True, held=Sockets(LIMITS, loop.time)
    )
    server = await loop.create_server(lambda: Connection(serving), "127.0.0.1", 0)
    before = asyncio.all_tasks()
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(sent)
    for _ in range(1_000):
        await asyncio.sleep(0)
        if serving.connections and len(asyncio.all_tasks() - before) == tasks:
            break
    counted = len(asyncio.all_tasks() - before), serving.connections
    released.set()
    writer.close()
    server.close()
    for _ in range(1_000):
        await asyncio.sleep(0)
        if not serving.connections:
            return counted
    pytest.fail("the connection is still counted")


def test_who_sends_waits_until_the_client_reads_again() -> None:
    assert asyncio.run(_sent_before_and_after()) == (True, False, True, True)


class Deaf:
    """A transport whose client does not read."""

    def get_extra_info(self, _name: str) -> None:
        return None

    def get_write_buffer_size(self) -> int:
        return 100_000

    def write(self, _data: bytes) -> None:
        return None


async def _sent_before_and_after() -> tuple[bool, bool, bool, bool]:
    """Return whether a writer went on: at first, in a pause, after it, and a later one."""
    loop = asyncio.get_running_loop()
    serving: Any = SimpleNamespace(loop=loop, connections=0, held=Sockets(LIMITS, loop.time))
    connection = Connection(serving)
    connection.connection_made(Deaf())
    at_first = await _goes_on(asyncio.create_task(connection.send_part(b"x")))
    connection.pause_writing()
    waiting = asyncio.create_task(connection.send_part(b"x"))
    in_pause = await _goes_on(waiting)
    connection.resume_writing()
    later = asyncio.create_task(connection.send_part(b"x"))
    return at_first, in_pause, await _goes_on(waiting), await _goes_on(later)


async def _goes_on(task: asyncio.Task[None]) -> bool:
    for _ in range(3):
        await asyncio.sleep(0)
    return task.done()
