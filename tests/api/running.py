"""Run one process of the API by itself, and speak to it byte by byte."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.api.server import APPLICATION, arguments
from service.cli.local_service import reserved_port
from service.settings import Settings

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0


@dataclass
class Answer:
    """An answer as it came."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Line:
    """A connection."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self.sock = socket.create_connection(
            ("127.0.0.1", port), timeout=PATIENCE_S, source_address=(source, 0)
        )
        self._rest = b""

    def send(self, text: str | bytes) -> None:
        """Send *text* as it is."""
        self.sock.sendall(text.encode("latin-1") if isinstance(text, str) else text)

    def ask(self, target: str = "/livez", method: str = "GET", fields: str = "") -> Answer:
        """Send a request without a body; return its answer."""
        self.send(f"{method} {target} HTTP/1.1\r\nHost: x\r\n{fields}\r\n")
        return self.answer(has_body=method != "HEAD")

    def answer(self, *, has_body: bool = True) -> Answer:
        """Read one answer."""
        head = self.until(b"\r\n\r\n").decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        _, status, reason = first.split(" ", 2)
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        size = int(headers.get("content-length", 0)) if has_body else 0
        while len(self._rest) < size:
            more = self.sock.recv(65536)
            assert more, "the answer is cut short"
            self._rest += more
        body, self._rest = self._rest[:size], self._rest[size:]
        return Answer(int(status), reason, headers, body)

    def until(self, end: bytes) -> bytes:
        """Read up to *end*."""
        while end not in self._rest:
            more = self.sock.recv(65536)
            assert more, f"the connection ended with {self._rest!r}"
            self._rest += more
        found, _, self._rest = self._rest.partition(end)
        return found + end

    def has_ended(self) -> bool:
        """Tell whether the server closes the connection, reading what it still says."""
        try:
            while self.sock.recv(65536):
                pass
        except ConnectionError:
            return True
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        """Close it."""
        self.sock.close()


@dataclass
class Running:
    """A process of the API that runs."""

    port: int
    process: subprocess.Popen[bytes]

    def line(self, source: str = "127.0.0.1") -> Line:
        """Connect."""
        return Line(self.port, source)

    def ask(self, target: str = "/livez", method: str = "GET", fields: str = "") -> Answer:
        """Ask on a connection of its own."""
        line = self.line()
        try:
            return line.ask(target, method, fields)
        finally:
            line.close()

    def stop(self) -> float:
        """Stop it as a supervisor does; return how many seconds that took."""
        began = time.monotonic()
        self.process.terminate()
        assert self.process.wait(PATIENCE_S) == 0
        return time.monotonic() - began


@contextmanager
def api(
    urls: tuple[str, str], directory: Path, application: str = APPLICATION, **set_to: Any
) -> Iterator[Running]:
    """Run an API of one process on the servers at *urls*, with settings *set_to*."""
    with reserved_port("127.0.0.1") as port:
        settings = Settings(
            data_dir=directory,
            key_file=directory / "secret.key",
            signing_key_file=directory / "signing.key",
            log_level="error",
            port=port,
            **set_to,
        ).with_servers(*urls)
        settings.secret_keys()
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            *arguments("127.0.0.1", port, workers=1, log_level="error")[:-1],
            application,
        ]
        process = subprocess.Popen(command, env=settings.environment(), cwd=ROOT)
        running = Running(port, process)
        try:
            _wait_until_it_answers(running)
            yield running
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _wait_until_it_answers(running: Running) -> None:
    ends = time.monotonic() + PATIENCE_S
    while True:
        try:
            if running.ask().status == 200:
                return
        except (OSError, AssertionError):
            pass
        assert time.monotonic() < ends, "the API does not come up"
        assert running.process.poll() is None, "the API has ended"
        time.sleep(0.05)
