"""Follow one encounter as many clients whose connections are cut again and again; keep what each was told.

One thread reads all of them. A connection is cut a moment after its first byte, wherever it is then, also in
the middle of an event; what was not told whole counts as not told. Each comes back after the last whole
event.
"""

from __future__ import annotations

import json
import selectors
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice, pairwise
from random import Random
from time import monotonic
from typing import Final
from urllib.request import Request, urlopen

from tests.bench import fights
from tests.bench.servers import HOST

PIECE: Final = 65_536
CUT_S: Final = 0.05
ARRAY: Final = 50


@dataclass
class Encounter:
    """A fight on a service that runs, and who owns it."""

    port: int
    key: str
    path: str

    @classmethod
    def opened(cls, port: int, key: str) -> Encounter:
        """Open a fight and begin it."""
        opened = _post(port, key, "/v1/encounters", {"edition": "heartrush@1", **fights.opening(apart=2)})
        made = cls(port, key, f"/v1/encounters/{opened['encounter']}")
        made.send(list(fights.BEGIN))
        return made

    def send(self, commands: list[fights.Command]) -> int:
        """Send *commands* together; the number of the last one, which like the others was accepted."""
        found = _post(self.port, self.key, f"{self.path}/commands", commands)["outcomes"]
        assert {each["outcome"] for each in found} == {"accepted"}, found
        last: int = found[-1]["n"]
        return last

    def grow(self, commands: int) -> int:
        """Play so many simple commands; the number of the last one."""
        script = islice(fights.simple(), commands)
        last = 0
        while part := list(islice(script, ARRAY)):
            last = self.send(part)
        return last

    def request(self, last: int | None) -> bytes:
        """Return what asks for the stream after event *last*; a plain answer, so that its end is its end."""
        line = self.path.rpartition("/")[2]
        after = "" if last is None else f"Last-Event-ID: {line}:{last}\r\n"
        return (
            f"GET {self.path}/commits HTTP/1.0\r\nHost: x\r\nAccept: text/event-stream\r\n"
            f"Authorization: Bearer {self.key}\r\n{after}\r\n"
        ).encode()


@dataclass
class Client:
    """One follower: what it was told, and how often it was cut off."""

    encounter: Encounter
    random: Random
    cuts_left: int
    told: list[int] = field(default_factory=list)
    cuts: int = 0
    refused: int = 0
    line: socket.socket | None = None
    buffer: bytes = b""
    cut_at: float | None = None

    def connect(self) -> socket.socket:
        """Come back after the last event."""
        line = socket.create_connection((HOST, self.encounter.port), timeout=30)
        line.sendall(self.encounter.request(self.told[-1] if self.told else None))
        line.settimeout(0)
        self.line, self.buffer, self.cut_at = line, b"", None
        return line

    def read(self) -> bool:
        """Take what has come; whether the connection still stands."""
        assert self.line is not None, "only who is connected reads"
        try:
            data = self.line.recv(self.random.choice((100, 1_000, PIECE)))
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data:
            return False
        if self.cut_at is None:
            self.cut_at = monotonic() + CUT_S * self.random.uniform(0.2, 1.8)
        self.buffer += data
        *whole, self.buffer = self.buffer.split(b"\n\n")
        for part in whole:
            self._take(part)
        return True

    def _take(self, part: bytes) -> None:
        if part.startswith(b"HTTP/"):
            head, _, part = part.partition(b"\r\n\r\n")
            assert b" 200 " in head.split(b"\r\n")[0], head
        lines = part.split(b"\n")
        if b"event: commit" in lines:
            n = int(lines[0].rpartition(b":")[2])
            assert json.loads(lines[2].removeprefix(b"data: "))["n"] == n
            self.told.append(n)
        assert b"event: reset" not in lines, f"{self.told[-1:]} is a position that was told"


@dataclass(frozen=True)
class Followed:
    """What came of it: each client's events in order, and all cuts."""

    told: list[list[int]]
    cuts: int

    def faults(self, last: int) -> list[str]:
        """Return every gap, repeat and missing end, in words."""
        found = []
        for i, each in enumerate(self.told):
            found += [f"client {i}: {b} after {a}" for a, b in pairwise([0, *each]) if b != a + 1]
            if not each or each[-1] != last:
                found.append(f"client {i} ends at {each[-1:]} and not at {last}")
        return found


def follow(
    encounter: Encounter,
    clients: int,
    cuts: int,
    seed: int,
    play: Callable[[], int | None],
    patience_s: float,
) -> Followed:
    """Follow with so many *clients*, each cut off so often, while *play* goes on; it gives the last number.

    *play* is called again and again and returns None until everything was sent.
    """
    crowd = [Client(encounter, Random(f"{seed}/{i}"), cuts) for i in range(clients)]
    ends = monotonic() + patience_s
    last: int | None = None
    with selectors.DefaultSelector() as selector:
        for each in crowd:
            selector.register(each.connect(), selectors.EVENT_READ, each)
        while monotonic() < ends and (last is None or any(_goes_on(each, last) for each in crowd)):
            last = play() if last is None else last
            for key, _ in selector.select(0.01):
                client: Client = key.data
                if not client.read():
                    _again(selector, client)
            now = monotonic()
            for client in crowd:
                if client.cuts_left and client.cut_at is not None and client.cut_at <= now:
                    client.cuts_left -= 1
                    client.cuts += 1
                    _again(selector, client)
        for client in crowd:
            if client.line is not None:
                client.line.close()
    return Followed([each.told for each in crowd], sum(each.cuts for each in crowd))


def _goes_on(client: Client, last: int) -> bool:
    return client.cuts_left > 0 or not client.told or client.told[-1] < last


def _again(selector: selectors.BaseSelector, client: Client) -> None:
    assert client.line is not None, "who was connected comes back"
    selector.unregister(client.line)
    client.line.close()
    selector.register(client.connect(), selectors.EVENT_READ, client)


def stalled(encounter: Encounter) -> socket.socket:
    """Return the connection of a reader that asks for everything and takes nothing."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    line.connect((HOST, encounter.port))
    line.sendall(encounter.request(None))
    return line


def have_room(encounter: Encounter, streams: int) -> bool:
    """Tell whether the service takes so many streams at once."""
    lines = [socket.create_connection((HOST, encounter.port), timeout=30) for _ in range(streams)]
    for line in lines:
        line.sendall(encounter.request(None))
    statuses = [line.recv(12)[9:12] for line in lines]
    for line in lines:
        line.close()
    return statuses == [b"200"] * streams


def was_dropped(line: socket.socket) -> bool:
    """Take what is there for a reader that stalled; whether the stream had been ended before its end."""
    line.settimeout(30)
    try:
        while line.recv(PIECE):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def _post(port: int, key: str, path: str, body: object) -> fights.Command:
    request = Request(
        f"http://{HOST}:{port}{path}",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Prefer": "wait=30",
        },
    )
    with urlopen(request, timeout=60) as answer:  # noqa: S310 - http, to an address of our own
        found: fights.Command = json.load(answer)
        return found
