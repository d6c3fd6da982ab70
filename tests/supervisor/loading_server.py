"""A server that answers as one that reads its log: `LOADING` to everything but INFO and CLUSTER."""

from __future__ import annotations

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final

_LOADING: Final = b"-LOADING Valkey is loading the dataset in memory\r\n"


class LoadingServer(socketserver.ThreadingTCPServer):
    """Loads *total_bytes*, *step_bytes* more at each question; with a step of 0 for ever."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, total_bytes: int, step_bytes: int) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.total_bytes = total_bytes
        self.step_bytes = step_bytes
        self.loaded_bytes = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"redis://127.0.0.1:{self.server_address[1]}/0"

    def answer(self, words: list[bytes]) -> bytes:
        """Answer one command."""
        name = words[0].upper()
        if name in {b"SELECT", b"CLIENT"}:
            return b"+OK\r\n"
        if name == b"CLUSTER":
            return b"-ERR This instance has cluster support disabled\r\n"
        if name == b"INFO":
            self.loaded_bytes = min(self.loaded_bytes + self.step_bytes, self.total_bytes)
            left = self.total_bytes - self.loaded_bytes
            text = (
                f"# Persistence\r\nloading:1\r\nloading_total_bytes:{self.total_bytes}\r\n"
                f"loading_loaded_bytes:{self.loaded_bytes}\r\nloading_eta_seconds:{left // 1_000_000}\r\n"
            ).encode()
            return b"$%d\r\n%b\r\n" % (len(text), text)
        return _LOADING if self.loaded_bytes < self.total_bytes else b"+PONG\r\n"


class _Conversation(socketserver.StreamRequestHandler):
    server: LoadingServer

    def handle(self) -> None:
        while line := self.rfile.readline():
            words = []
            for _ in range(int(line[1:])):
                size = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(size + 2)[:size])
            self.wfile.write(self.server.answer(words))


@contextmanager
def loading_server(total_bytes: int, step_bytes: int) -> Iterator[LoadingServer]:
    """Give a server that loads."""
    with LoadingServer(total_bytes, step_bytes) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
