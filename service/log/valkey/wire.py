"""One server, used over pooled connections; every call is one round trip and is sent once.

Nothing is ever sent twice: redis-py's own retries are off, because a lost reply is not a lost command. Errors
are translated here, where they enter, those that nobody has foreseen among them: whatever a library raises, a
caller sees an error of the log. Connecting is a separate step: a change that was never sent raises
`StoreUnavailable`, a change without a reply `OutcomeUnknown`.
"""

import os
import re
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import hiredis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool
from redis.retry import Retry

from service.log.errors import (
    CommandRefused,
    FunctionsLost,
    LogError,
    NotPermitted,
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
"""Seconds for which a connection that answered is assumed to be open."""

ANSWER_S = 5.0
"""Seconds that one reply may take; more than a disk sync of a second."""

REPLICA_MS = 2_000
"""Milliseconds that replicas may take to have a change; then its outcome counts as unknown."""

DID_NOTHING = (
    exceptions.ReadOnlyError,
    exceptions.MasterDownError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
_BY_CLASS: Sequence[tuple[tuple[type[Exception], ...], type[StoreFailure], str]] = (
    ((exceptions.BusyLoadingError,), StoreLoading, "does not serve yet"),
    (DID_NOTHING, StoreUnavailable, "does not serve"),
    ((exceptions.OutOfMemoryError,), StoreFull, "is out of memory"),
    (
        (
            exceptions.AuthenticationError,
            exceptions.AuthorizationError,
            exceptions.AuthenticationWrongNumberOfArgsError,
            exceptions.NoPermissionError,
        ),
        NotPermitted,
        "refuses this user",
    ),
)
"""The meaning of redis-py's classes, the first that fits; the server did nothing."""

_BY_TEXT: Sequence[tuple[str, type[StoreFailure], str]] = (
    ("MISCONF", StoreFull, "cannot write to its disk"),  # the last write failed, so it accepts no more
    ("NOREPLICAS", StoreUnavailable, "has too few replicas"),
    ("BUSY ", StoreUnavailable, "is busy"),  # a function runs for seconds: the machine lacks CPU time
    ("not allowed in cluster mode", StoreUnavailable, "is a node of a cluster, which has only database 0"),
    ("DB index is out of range", StoreUnavailable, "has no such database"),
    ("NOAUTH", NotPermitted, "refuses this user"),
    ("WRONGPASS", NotPermitted, "refuses this user"),
    ("unknown command", CommandRefused, "refuses the command"),
    ("unknown subcommand", CommandRefused, "refuses the command"),
    ("cluster support disabled", CommandRefused, "refuses the command"),
    (
        "Function not found",
        FunctionsLost,
        "has lost the log's functions",
    ),  # an empty server took its place
)
"""The meaning of errors for which redis-py has no class, by a part of their text."""


def without_password(url: str) -> str:
    """Return *url* for messages and log lines, which name the server but never its password."""
    return re.sub(r"(?<=://)([^/@]*):[^/@]*@", r"\1@", url)


class Exchange(ABC):
    """Sends queries and changes, one or several in one round trip to each server; never a change twice."""

    def read(self, *command: Argument) -> Reply:
        """Send one query; raise `StoreUnavailable`."""
        return self._exchange((command,), changes=False)[0]

    def read_all(self, commands: Sequence[Command]) -> list[Reply]:
        """Send several queries together; raise `StoreUnavailable`."""
        return self._exchange(commands, changes=False)

    def change(self, *command: Argument) -> Reply:
        """Send one change; raise `StoreUnavailable`, `StoreFull`, or `OutcomeUnknown`."""
        return self._exchange((command,), changes=True)[0]

    def change_all(self, commands: Sequence[Command]) -> list[Reply]:
        """Send several changes together; raise for the first that failed."""
        return self._exchange(commands, changes=True)

    @abstractmethod
    def _exchange(self, commands: Sequence[Command], *, changes: bool) -> list[Reply]:
        """Send *commands* and return their replies; raise for the first that failed."""


class Wire(Exchange):
    """A pool of connections to one server; thread-safe, and usable after a fork.

    A change is answered once *replicas* of the server's replicas have it.
    """

    def __init__(self, url: str, *, answer_s: float = ANSWER_S, replicas: int = 0) -> None:
        self.url = without_password(url)
        self._replicas = replicas
        self._pid = os.getpid()
        self._idle: deque[tuple[Raw, float]] = deque()
        defaults: Raw = ConnectionPool.from_url(
            url,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=answer_s,
            socket_connect_timeout=answer_s,
        )
        # not its `make_connection`, which never forgets failed attempts and refuses all after many of them
        self._new: Callable[[], Raw] = partial(defaults.connection_class, **defaults.connection_kwargs)

    def dedicated(self) -> Raw:
        """Open a connection for the caller alone; raise `StoreUnavailable`."""
        try:
            connection = self._new()
            connection.connect()
        except Exception as error:  # noqa: BLE001 - it is translated
            raise_translated(error, self.url, changes=False)
        return connection

    def close(self) -> None:
        """Close the idle connections; the next call opens new ones."""
        self._drop_idle()

    def _drop_idle(self) -> None:
        while self._idle:
            self._idle.pop()[0].disconnect()

    def send(self, commands: Sequence[Command], *, changes: bool) -> Raw:
        """Send *commands*; return the connection on which `receive` reads the replies.

        Raises `StoreUnavailable` if nothing was sent, `OutcomeUnknown` if some changes may have been.
        """
        refuse_on_loop()
        if changes and self._replicas:
            commands = (*commands, ("WAIT", self._replicas, REPLICA_MS))
        connection = self._connect()
        try:
            if not self._send(connection, commands):
                self._drop_idle()  # if the server closed one, it closed all
                connection = self._connect()
                connection.send_packed_command(packed(commands))
        except BaseException as error:  # noqa: BLE001 - it is raised again, or translated
            self._fail(connection, error, changes=changes)
        return connection

    def receive(self, connection: Raw, count: int, *, changes: bool) -> list[Reply]:
        """Read *count* replies; a reply may be an error.

        Raises `StoreUnavailable` for queries. Raises `OutcomeUnknown` for changes, also if too few replicas
        have them.
        """
        waits = changes and self._replicas
        try:
            replies = [self._reply(connection) for _ in range(count + bool(waits))]
        except BaseException as error:  # noqa: BLE001 - it is raised again, or translated
            self._fail(connection, error, changes=changes)
        self._idle.append((connection, time.monotonic()))
        if waits:
            confirmed = replies.pop()
            is_done = not all(isinstance(reply, exceptions.ResponseError) for reply in replies)
            if is_done and (isinstance(confirmed, exceptions.ResponseError) or confirmed < self._replicas):
                raise OutcomeUnknown(f"{self.url} has it, but only {confirmed} of {self._replicas} replicas")
        return replies

    def _fail(self, connection: Raw, error: BaseException, *, changes: bool) -> NoReturn:
        with suppress(Exception):
            connection.disconnect()  # a late reply would be taken for the next one
        if isinstance(error, Exception):
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
        """Send *commands*; return False if the server had closed the connection, so that no byte went out."""
        try:
            connection.send_packed_command(packed(commands))
        except exceptions.ConnectionError as error:
            if isinstance(error.__context__, BrokenPipeError):
                return False
            raise
        return True

    def _connect(self) -> Raw:
        """Return an open connection: the one used last if it is recent, else one that was checked.

        redis-py's pool checks each connection each time; that costs a tenth of a command under load.
        """
        if self._pid != os.getpid():  # a fork must not use its parent's connections
            self._idle, self._pid = deque(), os.getpid()
        try:
            while self._idle:
                connection, since = self._idle.pop()
                if time.monotonic() - since < FRESH_S or not self._is_cut(connection):
                    return connection
                connection.disconnect()
            connection = self._new()
            connection.connect()
        except IndexError:  # another thread took the last one between check and pop
            return self._connect()
        except Exception as error:  # noqa: BLE001 - it is translated
            raise_translated(error, self.url, changes=False)
        return connection

    @staticmethod
    def _is_cut(connection: Raw) -> bool:
        """Return whether the server has closed an idle connection, or sent an unasked reply."""
        try:
            return bool(connection.can_read())
        except Exception:  # noqa: BLE001 - a connection that cannot be asked is of no use
            return True

    @staticmethod
    def _reply(connection: Raw) -> Reply:
        """Read one reply; return an error reply instead of raising it, so that the others can be read."""
        try:
            return connection.read_response()
        except exceptions.ResponseError as error:
            return error


def packed(commands: Sequence[Command]) -> list[bytes]:
    """Return *commands* as the protocol has them; redis-py looks at each argument before it does the same."""
    return [b"".join([hiredis.pack_command(tuple(each)) for each in commands])]  # type: ignore[arg-type]  # as in `Pipe`


def raise_translated(error: Exception, url: str, *, changes: bool) -> NoReturn:
    """Raise the meaning of *error*, whatever it is, for the log; *changes*: a change was sent.

    An error that nobody has foreseen leaves open whether a change was done.
    """
    if isinstance(error, LogError):
        raise error
    kind, meaning = _meaning(error)
    if kind is not None:
        raise kind(f"{url} {meaning}: {error}") from error
    if changes:
        raise OutcomeUnknown(f"{url} did not answer: {_named(error)}") from error
    raise StoreUnavailable(f"{url} cannot be asked: {_named(error)}") from error


def _meaning(error: Exception) -> tuple[type[StoreFailure] | None, str]:
    """Return what the log raises for *error*, and in words; None if it leaves open what was done."""
    for errors, kind, meaning in _BY_CLASS:
        if isinstance(error, errors):
            return kind, meaning
    text = str(error)
    for part, kind, meaning in _BY_TEXT:
        if part in text:
            return kind, meaning
    return None, ""


def _named(error: Exception) -> str:
    """Return the text of *error*, with its class unless it is one that says no more."""
    is_plain = isinstance(error, exceptions.ConnectionError | exceptions.TimeoutError)
    return str(error) if is_plain else f"{type(error).__name__}: {error}"
