"""What a process holds for slow clients is bounded, and who holds little is never dropped for another."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from service.api.exchange import Reply
from service.api.loop.connection import PIECE, Connection
from service.api.loop.held_bytes import HeldBytes
from service.api.loop.sockets import SocketLimits, Sockets

LARGE = b"x" * (200 * PIECE)
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(LARGE)


@dataclass(eq=False)
class Held:
    """A connection that notes whether it was dropped."""

    address: str
    is_dropped: bool = False

    def drop(self) -> None:
        self.is_dropped = True


def test_above_the_limit_the_address_that_has_the_most_loses_its_oldest_connection() -> None:
    held = HeldBytes(100)
    greedy, modest = [Held("a") for _ in range(4)], [Held("b") for _ in range(2)]
    held.hold(modest[0], 20)
    for each in greedy:
        held.hold(each, 25)
    held.hold(modest[1], 20)

    assert [each.is_dropped for each in greedy] == [True, True, False, False]
    assert not any(each.is_dropped for each in modest)
    assert held.total == 90
    for each in (*greedy, *modest):
        held.release(each)
    assert held.total == 0


def test_what_one_connection_holds_replaces_what_it_held() -> None:
    held, one = HeldBytes(100), Held("a")
    for size in (40, 80, 100):
        held.hold(one, size)

    assert (held.total, one.is_dropped) == (100, False)
    held.hold(one, 101)
    assert (held.total, one.is_dropped) == (0, True)


class Slow:
    """A transport whose client reads what the test lets it read."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.sent: list[bytes] = []
        self.unread = self.most_unread = 0
        self.is_aborted = False
        connection.connection_made(self)

    def get_extra_info(self, _name: str) -> tuple[str, int]:
        return ("10.0.0.1", 1)

    def get_write_buffer_size(self) -> int:
        return self.unread

    def write(self, data: bytes) -> None:
        self.sent.append(bytes(data))
        self.unread += len(data)
        self.most_unread = max(self.most_unread, self.unread)
        if self.unread >= PIECE:
            self.connection.pause_writing()

    def read(self) -> None:
        self.unread = 0
        self.connection.resume_writing()

    def pause_reading(self) -> None:
        return None

    resume_reading = pause_reading

    def abort(self) -> None:
        self.is_aborted = True
        asyncio.get_running_loop().call_soon(self.connection.connection_lost, None)


class Server:
    """Answers each GET with much, and reads much of each POST."""

    def __init__(self, most: int) -> None:
        loop = asyncio.get_running_loop()
        self.held = Sockets(SocketLimits(address_sockets=0), loop.time)
        self.held.bytes = HeldBytes(most)
        self.serving: Any = SimpleNamespace(
            application=self.answer, loop=loop, connections=0, alive=True, held=self.held
        )

    async def answer(self, received: Any, client: Any) -> Reply:
        if received.method == "POST":
            await client.body(len(LARGE))
        return Reply(200, {}, LARGE)

    async def asked(self, request: bytes) -> Slow:
        """Return a client that has sent *request* and has read nothing."""
        client = Slow(Connection(self.serving))
        await self.receive(client, request)
        return client

    async def receive(self, client: Slow, data: bytes) -> None:
        client.connection.data_received(data)
        await turns()


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_an_answer_waits_by_pieces_and_arrives_whole() -> None:
    async def run() -> None:
        server = Server(len(LARGE))
        client = await server.asked(GET)
        assert server.held.bytes.total == len(LARGE)
        while client.unread:
            client.read()
            await turns()
        assert b"".join(client.sent).endswith(LARGE)
        assert client.most_unread <= 2 * PIECE
        assert (server.held.bytes.total, client.is_aborted) == (0, False)

    asyncio.run(run())


def test_answers_that_nobody_reads_cost_the_connections_that_have_waited_longest() -> None:
    async def run() -> None:
        server = Server(3 * len(LARGE))
        clients = [await server.asked(GET) for _ in range(5)]
        assert [each.is_aborted for each in clients] == [True] * 2 + [False] * 3
        assert server.held.bytes.total == 3 * len(LARGE)

    asyncio.run(run())


def test_bodies_count_as_they_come_and_are_free_once_their_connection_is_dropped() -> None:
    async def run() -> None:
        server = Server(len(LARGE))
        half = POST + LARGE[: len(LARGE) // 2]
        first, second = await server.asked(half), await server.asked(half)
        assert server.held.bytes.total == 2 * (len(LARGE) // 2)
        await server.receive(second, LARGE[: PIECE + 1])
        assert [each.is_aborted for each in (first, second)] == [True, False]
        reader = first.connection._reader  # noqa: SLF001 - what a dropped connection keeps
        assert reader is not None
        assert reader.body() == b""

    asyncio.run(run())
