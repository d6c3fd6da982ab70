"""A connection to one server on an event loop; it never blocks.

redis-py opens it in a thread, with its password, database and TLS, as it opens every other; then the loop
owns the socket.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Final

import hiredis

from service.log.valkey.wire import Raw, Reply, Wire, raise_translated

_READ: Final = 64 * 1024
_NOTHING: Final = object()
_LATER: Final = (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class LoopLine:
    """One connection; *heard* is called with every reply, *lost* once if the connection ends unasked.

    An error reply is passed to *heard* as an exception of redis-py.
    """

    def __init__(self, connection: Raw, heard: Callable[[Reply], None], lost: Callable[[str], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._socket = connection._sock  # noqa: SLF001 - redis-py has no public name for it
        self._socket.setblocking(False)  # noqa: FBT003 - the library's signature
        self._heard = heard
        self._lost = lost
        self._unsent = bytearray()
        self._is_open = True
        parser = connection._parser  # noqa: SLF001 - it raises redis-py's error classes
        self._reader = hiredis.Reader(replyError=parser.parse_error, notEnoughData=_NOTHING)
        self._loop.add_reader(self._socket, self._read)

    @classmethod
    async def open(cls, wire: Wire, heard: Callable[[Reply], None], lost: Callable[[str], None]) -> LoopLine:
        """Connect to the server of *wire*; raise `StoreUnavailable`."""
        connection = await asyncio.get_running_loop().run_in_executor(None, wire.dedicated)
        try:
            return cls(connection, heard, lost)
        except Exception as error:  # noqa: BLE001 - it is translated
            raise_translated(error, wire.url, changes=False)

    def write(self, data: bytes) -> None:
        """Send *data* as soon as the socket accepts it."""
        if self._unsent:
            self._unsent += data
            return
        self._unsent += data
        self._write()

    def close(self) -> None:
        """Close the connection; no more replies are heard."""
        if self._is_open:
            self._is_open = False
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._connection.disconnect()

    def _write(self) -> None:
        try:
            sent = self._socket.send(self._unsent)
        except _LATER:
            sent = 0
        except Exception as error:  # noqa: BLE001 - after any error it is open what was sent
            self._end(f"{type(error).__name__}: {error}")
            return
        del self._unsent[:sent]
        if self._unsent:
            self._loop.add_writer(self._socket, self._write)
        else:
            self._loop.remove_writer(self._socket)

    def _read(self) -> None:
        try:
            data = self._socket.recv(_READ)
            while data:
                self._reader.feed(data)
                if len(data) < _READ and not isinstance(self._socket, ssl.SSLSocket):
                    break
                data = self._socket.recv(_READ)
        except _LATER:
            data = b"-"
        except Exception as error:  # noqa: BLE001 - after any error nothing that follows can be read
            self._end(f"{type(error).__name__}: {error}")
            return
        while self._is_open and (reply := self._next()) is not _NOTHING:
            self._heard(reply)
        if not data:
            self._end("the server has closed the connection")

    def _next(self) -> Reply:
        """Return the next reply that has arrived; end the connection if it cannot be read."""
        try:
            return self._reader.gets()
        except Exception as error:  # noqa: BLE001 - nothing that follows can be read
            self._end(f"{type(error).__name__}: {error}")
            return _NOTHING

    def _end(self, why: str) -> None:
        if self._is_open:
            self.close()
            self._lost(why)
