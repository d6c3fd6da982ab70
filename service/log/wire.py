"""One server, asked over connections that are used again; every call is one round trip and is sent once.

Nothing is ever sent twice: redis-py's own retries are off, because a lost reply is not a lost command.
An error is translated here, where it enters, one by one; what is not named here is a programming mistake or
a mistake of configuration and stays redis-py's.
Connecting is a step of its own: a change that was never sent raises `StoreUnavailable`, a change without an
answer `OutcomeUnknown`.
"""

import os
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from redis import exceptions
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool
from redis.retry import Retry

from service.log.errors import (
    OutcomeUnknown,
    StoreFailure,
    StoreFull,
    StoreLoading,
    StoreUnavailable,
    refuse_on_loop,
)

Argument = str | bytes | int
Command = Sequence[Argument]
Reply = Any  # what the protocol can carry: bytes, numbers, None and lists of them
Raw = Any  # redis-py's connections and subscribers, whose methods are annotated in part

FRESH_S = 1.0
"""A connection that answered this recently is taken to be open still."""

ANSWER_S = 5.0
"""How long one answer may take, in seconds; longer than a disk that needs a second for a sync."""

REPLICA_MS = 2_000
"""How long replicas may take to have a change, in milliseconds; then it counts as unknown."""

DID_NOTHING = (
    exceptions.ReadOnlyError,
    exceptions.MasterDownError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
_BY_TEXT: Sequence[tuple[str, type[StoreFailure], str]] = (
    ("MISCONF", StoreFull, "cannot write to its disk"),  # the last write failed, so it takes no more
    ("NOREPLICAS", StoreUnavailable, "has too few replicas"),
    ("BUSY ", StoreUnavailable, "is busy"),  # a function runs for seconds: the machine is starved of time
    ("not allowed in cluster mode", StoreUnavailable, "is a node of a cluster, which has database 0 alone"),
    ("DB index is out of range", StoreUnavailable, "has no such database"),
    (
        "Function not found",
        StoreUnavailable,
        "has lost the log's functions",
    ),  # an empty server took its place
)
"""What errors mean that redis-py has no class for, by a part of their text."""


def without_password(url: str) -> str:
    """Return *url* as it may be told: messages and log lines name the server, never its password."""
    return re.sub(r"(?<=://)([^/@]*):[^/@]*@", r"\1@", url)


class Wire:
    """A pool of connections to one server; may be used by any number of threads, and after a fork.

    A change is answered when *replicas* of the server's replicas have it, too.
    """

    def __init__(self, url: str, *, answer_s: float = ANSWER_S, replicas: int = 0) -> None:
        self.url = without_password(url)
        self._replicas = replicas
        self._pid = os.getpid()
        self._idle: deque[tuple[Raw, float]] = deque()
        told: Raw = ConnectionPool.from_url(
            url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=answer_s,
            socket_connect_timeout=answer_s,
        )
        # not its `make_connection`: that counts each try as open for ever, and refuses all when it has many
        self._new: Callable[[], Raw] = partial(told.connection_class, **told.connection_kwargs)

    def read(self, *command: Argument) -> Reply:
        """Ask one question; raises `StoreUnavailable`."""
        return self._exchange((command,), changes=False)[0]

    def read_all(self, commands: Sequence[Command]) -> list[Reply]:
        """Ask several questions in one round trip; raises `StoreUnavailable`."""
        return self._exchange(commands, changes=False)

    def change(self, *command: Argument) -> Reply:
        """Send one change, once; raises `StoreUnavailable`, `StoreFull`, or `OutcomeUnknown`."""
        return self._exchange((command,), changes=True)[0]

    def change_all(self, commands: Sequence[Command]) -> list[Reply]:
        """Send several changes in one round trip, once each; raises for the first that failed."""
        return self._exchange(commands, changes=True)

    def dedicated(self) -> Raw:
        """Open a connection for the caller alone; raises `StoreUnavailable`."""
        connection = self._new()
        try:
            connection.connect()
        except exceptions.RedisError as error:
            raise_translated(error, self.url, changes=False)
        return connection

    def close(self) -> None:
        """Close the connections that nobody uses now; the next call opens new ones."""
        self._drop_idle()

    def _drop_idle(self) -> None:
        while self._idle:
            self._idle.pop()[0].disconnect()

    def send(self, commands: Sequence[Command], *, changes: bool) -> Raw:
        """Send *commands* and return the connection on which `receive` finds the answers.

        Raises `StoreUnavailable` if nothing was sent, `OutcomeUnknown` if some changes may have been.
        """
        refuse_on_loop()
        if changes and self._replicas:
            commands = (*commands, ("WAIT", self._replicas, REPLICA_MS))
        connection = self._connect()
        try:
            if not self._send(connection, commands):
                self._drop_idle()  # if one was closed, all were
                connection = self._connect()
                connection.send_packed_command(connection.pack_commands(commands))
        except BaseException as error:  # noqa: BLE001 - it is raised again, or what it means
            self._fail(connection, error, changes=changes)
        return connection

    def receive(self, connection: Raw, count: int, *, changes: bool) -> list[Reply]:
        """Read *count* answers; what the server refused is an error among them.

        Raises `StoreUnavailable` for questions. Raises `OutcomeUnknown` for changes, also where too few
        replicas have them.
        """
        waits = changes and self._replicas
        try:
            replies = [self._reply(connection) for _ in range(count + bool(waits))]
        except BaseException as error:  # noqa: BLE001 - it is raised again, or what it means
            self._fail(connection, error, changes=changes)
        self._idle.append((connection, time.monotonic()))
        if waits:
            confirmed = replies.pop()
            is_done = not all(isinstance(reply, exceptions.ResponseError) for reply in replies)
            if is_done and (isinstance(confirmed, exceptions.ResponseError) or confirmed < self._replicas):
                raise OutcomeUnknown(f"{self.url} has it, and {confirmed} of {self._replicas} replicas")
        return replies

    def _fail(self, connection: Raw, error: BaseException, *, changes: bool) -> NoReturn:
        connection.disconnect()  # an answer may still come, and would be taken for the next one
        if isinstance(error, exceptions.RedisError):
            raise_translated(error, self.url, changes=changes)
        raise error

    def _exchange(self, commands: Sequence[Command], *, changes: bool) -> list[Reply]:
        replies = self.receive(self.send(commands, changes=changes), len(commands), changes=changes)
        for reply in replies:
            if isinstance(reply, exceptions.ResponseError):
                raise_translated(reply, self.url, changes=changes)
        return replies

    @staticmethod
    def _send(connection: Raw, commands: Sequence[Command]) -> bool:
        """Send *commands*; False if the server had closed the line before, so that not a byte went out."""
        try:
            connection.send_packed_command(connection.pack_commands(commands))
        except exceptions.ConnectionError as error:
            if isinstance(error.__context__, BrokenPipeError):
                return False
            raise
        return True

    def _connect(self) -> Raw:
        """Return a connection that works: the one used last if it is fresh, else one that was looked at.

        redis-py's pool looks at each connection each time; that costs a tenth of a command under load.
        """
        if self._pid != os.getpid():  # a fork must not speak on its parent's connections
            self._idle, self._pid = deque(), os.getpid()
        try:
            while self._idle:
                connection, since = self._idle.pop()
                if time.monotonic() - since < FRESH_S or not self._is_cut(connection):
                    return connection
                connection.disconnect()
            connection = self._new()
            connection.connect()
        except IndexError:  # another thread took the last one between look and pop
            return self._connect()
        except exceptions.RedisError as error:
            raise_translated(error, self.url, changes=False)
        return connection

    @staticmethod
    def _is_cut(connection: Raw) -> bool:
        """Tell whether the server has closed an idle connection, or said what nobody asked."""
        try:
            return bool(connection.can_read())
        except (exceptions.ConnectionError, exceptions.TimeoutError, OSError):
            return True

    @staticmethod
    def _reply(connection: Raw) -> Reply:
        """Read one answer; an error that the server answered is kept, so that the others can be read."""
        try:
            return connection.read_response()
        except exceptions.ResponseError as error:
            return error


def raise_translated(error: exceptions.RedisError, url: str, *, changes: bool) -> NoReturn:
    """Raise what *error* means for the log; *changes* tells whether a change was on its way."""
    if isinstance(error, exceptions.AuthenticationError):
        raise error
    if isinstance(error, exceptions.BusyLoadingError):
        raise StoreLoading(f"{url} does not serve yet: {error}") from error
    if isinstance(error, DID_NOTHING):
        raise StoreUnavailable(f"{url} does not serve: {error}") from error
    if isinstance(error, exceptions.OutOfMemoryError):
        raise StoreFull(f"{url} is out of memory: {error}") from error
    if isinstance(error, exceptions.ConnectionError | exceptions.TimeoutError):
        if changes:
            raise OutcomeUnknown(f"{url} did not answer: {error}") from error
        raise StoreUnavailable(f"{url} cannot be asked: {error}") from error
    text = str(error)
    for part, kind, meaning in _BY_TEXT:
        if part in text:
            raise kind(f"{url} {meaning}: {text}") from error
    raise error
