"""A wire between a browser and a service, which a test cuts and mends."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from threading import Lock, Thread
from typing import Final

CHUNK: Final = 65_536


class Wire:
    """Passes every connection on to a port of this machine while it is not cut."""

    def __init__(self, to: int) -> None:
        self.to = to
        self.is_cut = False
        self.lock = Lock()
        self.ends: set[socket.socket] = set()
        self.threads: list[Thread] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and every new one at once."""
        with self.lock:
            self.is_cut = True
            for each in self.ends:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Pass new connections on."""
        with self.lock:
            self.is_cut = False

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return  # closed
            with self.lock:
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self.to))
                self.ends |= {near, far}
            for one, other in ((near, far), (far, near)):
                self.threads.append(Thread(target=self._pass, args=(one, other), daemon=True))
                self.threads[-1].start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := one.recv(CHUNK):
                other.sendall(part)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
        with self.lock:
            self.ends.discard(one)
            one.close()


@contextlib.contextmanager
def wire(to: int) -> Iterator[Wire]:
    """Run a wire to the port *to*."""
    found = Wire(to)
    try:
        yield found
    finally:
        found.listener.close()
        found.cut()
        for thread in found.threads:
            thread.join()
