"""Load a server over HTTP from one thread: many connections, each in a closed loop or on a schedule.

Requests are bytes made beforehand where they can be, and answers are read no further than needed, so that the
generator takes little of the machine it shares with what it measures.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

PIECE: Final = 65_536
_PAUSE_S: Final = 0.05
Make = Callable[[], bytes]


def post(path: str, body: bytes, key: str = "") -> bytes:
    """Return the bytes of a POST of JSON on a connection that is kept open.

    With a *key* it is a command, whose outcome is waited for however busy the machine is.
    """
    auth = f"Authorization: Bearer {key}\r\nPrefer: wait=30\r\n" if key else ""
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\n{auth}Content-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@dataclass
class Measured:
    """What came of a load: answers by status, the seconds each took, and the seconds all of them took."""

    statuses: dict[int, int] = field(default_factory=dict)
    took: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.took) / self.seconds

    def percentile(self, part: float) -> float:
        """Return the seconds within which *part* of all answers came."""
        ordered = sorted(self.took)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


class _Line:
    """One connection and the requests it sends, one after the other."""

    def __init__(self, address: tuple[str, int], requests: Iterator[bytes]) -> None:
        self.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.requests = requests
        self.buffer = b""
        self.sent_at = 0.0
        self.due = 0.0

    def send(self) -> None:
        """Send the next request."""
        self.sent_at = perf_counter()
        self.socket.sendall(next(self.requests))

    def answer(self) -> int | None:
        """Return the status of the answer if it is all there now."""
        self.buffer += self.socket.recv(PIECE)
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return None
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(rest) < length:
            return None
        self.buffer = rest[length:]
        return int(head[9:12])


def closed_loop(address: tuple[str, int], lines: list[Iterator[bytes]], seconds: float) -> Measured:
    """Send on every line as fast as its answers come, for *seconds*."""
    return _run([_Line(address, requests) for requests in lines], seconds, every=None)


def closed_loop_over(lines: Sequence[tuple[tuple[str, int], Iterator[bytes]]], seconds: float) -> Measured:
    """Do the same on lines that lead to several addresses."""
    return _run([_Line(address, requests) for address, requests in lines], seconds, every=None)


def on_schedule(
    address: tuple[str, int], lines: list[Iterator[bytes]], seconds: float, rate: float
) -> Measured:
    """Send *rate* requests a second in all, spread over the lines; time spent waiting for a line counts."""
    return _run([_Line(address, requests) for requests in lines], seconds, every=len(lines) / rate)


class _Run:
    """One load under way: lines that wait for their time, lines that wait for an answer."""

    def __init__(self, lines: list[_Line], seconds: float, every: float | None) -> None:
        self.measured = Measured()
        self.every = every
        self.began = perf_counter()
        self.ends = self.began + seconds
        self.waiting: list[_Line] = []
        self.busy = 0
        self.selector = selectors.DefaultSelector()
        for i, line in enumerate(lines):
            self.selector.register(line.socket, selectors.EVENT_READ, line)
            line.due = self.began + (every or 0.0) * i / len(lines)
            self.waiting.append(line)

    def step(self) -> None:
        """Send what is due and take the answers that have come."""
        now = perf_counter()
        if now > self.ends:
            self.waiting = []
        for line in [line for line in self.waiting if line.due <= now]:
            self.waiting.remove(line)
            line.send()
            self.busy += 1
        pause = min((line.due for line in self.waiting), default=now + _PAUSE_S) - now
        for key, _ in self.selector.select(max(0.0, min(pause, _PAUSE_S))):
            self._take(key.data)

    def _take(self, line: _Line) -> None:
        status = line.answer()
        if status is None:
            return
        now = perf_counter()
        self.measured.statuses[status] = self.measured.statuses.get(status, 0) + 1
        self.measured.took.append(now - (line.sent_at if self.every is None else line.due))
        self.busy -= 1
        line.due = now if self.every is None else line.due + self.every
        self.waiting.append(line)


def _run(lines: list[_Line], seconds: float, every: float | None) -> Measured:
    run = _Run(lines, seconds, every)
    while run.busy or run.waiting:
        run.step()
    run.measured.seconds = perf_counter() - run.began
    for line in lines:
        line.socket.close()
    return run.measured
