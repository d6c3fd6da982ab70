"""A receiver of webhooks on this machine, which answers as it is told and keeps what came."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

NETWORK = "127.0.0.1/32"


@dataclass
class Receiver:
    """What came, in order: headers, body, and the status it was answered with."""

    port: int = 0
    scheme: str = "http"
    answer: Callable[[int], int] = lambda _: 200
    """The status of the nth request, from 0."""
    came: list[tuple[dict[str, str], bytes, int]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hook"

    def take(self, headers: dict[str, str], body: bytes) -> int:
        with self.lock:
            status = self.answer(len(self.came))
            self.came.append((headers, body, status))
            return status

    def taken(self, secret: str) -> list[Any]:
        """Return what was answered 2xx, verified by the public library."""
        return [
            Webhook(secret).verify(body, headers) for headers, body, status in self.came if status // 100 == 2
        ]

    def signed(self, secret: str) -> list[Any]:
        """Return what was answered 2xx, its signature compared; `taken` refuses what came minutes ago."""
        key, found = Webhook(secret), []
        for headers, body, status in self.came:
            if status // 100 == 2:
                sent = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
                assert (
                    key.sign(headers["webhook-id"], sent, body.decode())
                    in headers["webhook-signature"].split()
                )
                found.append(json.loads(body))
        return found


class Quiet(ThreadingHTTPServer):
    """A server that says nothing of clients that hang up."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


@contextmanager
def receiver(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Listen on a free port, with *context* over TLS."""
    made = Receiver(scheme="http" if context is None else "https")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # whoever sent it died between its headers and its body: nothing was told
                return
            status = made.take(dict(self.headers.items()), body)
            self.send_response(status)
            if status // 100 == 3:
                self.send_header("Location", f"http://127.0.0.1:{made.port}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as its base has it
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
