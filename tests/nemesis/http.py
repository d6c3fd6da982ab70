"""Speak HTTP so that three ends are told apart: answered, never sent, and lost on the way."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

HOST: Final = "127.0.0.1"
CONNECT_S: Final = 5.0
JSON: Final = frozenset({"application/json", "application/problem+json"})


class NeverSentError(Exception):
    """No connection was made, so the service has not got the request."""


class LostError(Exception):
    """The request was sent, or begun, and no whole answer came."""


@dataclass(frozen=True)
class Reply:
    """One answer."""

    status: int
    data: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """The code of a problem; the status where the answer is no problem document."""
        type_ = self.data.get("type") if isinstance(self.data, dict) else None
        return str(type_).removeprefix("/problems/") if type_ else f"status {self.status}"


class Line:
    """One kept connection; it is made anew after every fault."""

    def __init__(self, port: int, answer_s: float = 12.0) -> None:
        self._port = port
        self._answer_s = answer_s
        self._connection: http.client.HTTPConnection | None = None

    def ask(
        self,
        method: str,
        path: str,
        token: str,
        data: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send one request, once; raises `NeverSentError` and `LostError`."""
        connection = self._connected()
        body = None if data is None else json.dumps(data).encode()
        sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **(headers or {})}
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            raw = answer.read()
            kind = answer.headers.get("Content-Type", "").partition(";")[0]
            read = json.loads(raw) if kind in JSON and raw else raw
        except (OSError, http.client.HTTPException, ValueError) as fault:
            self.close()
            raise LostError(f"{type(fault).__name__}: {fault}") from fault
        if answer.will_close:
            self.close()
        return Reply(answer.status, read, dict(answer.headers))

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None or self._connection.sock is None:
            self._connection = http.client.HTTPConnection(HOST, self._port, timeout=CONNECT_S)
            try:
                self._connection.connect()
            except OSError as fault:
                self.close()
                raise NeverSentError(str(fault)) from fault
            self._connection.sock.settimeout(self._answer_s)
        return self._connection

    def close(self) -> None:
        """Give the connection back."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
