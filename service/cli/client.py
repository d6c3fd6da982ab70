"""A client of the HTTP API, which relies on the public contract alone.

Every change carries an idempotency key, so a repeat after a lost connection is harmless. A request is
repeated once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from secrets import token_urlsafe
from typing import Any, Final
from urllib.parse import urlsplit

TIMEOUT_S: Final = 40.0
"""Longer than the longest wait for an outcome, in seconds."""

_JSON: Final = frozenset({"application/json", "application/problem+json"})
"""Types of responses that are one JSON document; a bundle has one on each line."""

_OK: Final = 400
"""Responses with this status or a higher one are problems."""


class Unreachable(Exception):
    """No service answers at the address."""


class ProblemAnswer(Exception):
    """The service refused the request, with a status and a problem document."""

    def __init__(self, status: int, data: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {data.get('title', '')}: {data.get('detail', '')}")
        self.status = status
        self.data = data

    @property
    def code(self) -> str | None:
        """The code with which the rules refused a command, None for other problems."""
        code = self.data.get("code")
        return code if isinstance(code, str) else None


@dataclass(frozen=True)
class ClientResponse:
    """A successful response of the service."""

    status: int
    data: Any
    headers: Message
    """By case-insensitive name."""


@dataclass
class Client:
    """A client of the service at *url*, with an API key or a seat's token."""

    url: str
    token: str | None = field(default=None, repr=False)
    _line: HTTPConnection | None = field(default=None, repr=False)

    def as_seat(self, token: str) -> Client:
        """Return a client of the same service with a seat's *token*."""
        return Client(self.url, token)

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """Return the body of a GET of *path*; raises `ProblemAnswer` and `Unreachable`."""
        return self.send("GET", path).data

    def post(self, path: str, data: object, **headers: str) -> ClientResponse:
        """POST *data* to *path*; raises `ProblemAnswer` and `Unreachable`."""
        return self.send("POST", path, data, headers)

    def send(
        self, method: str, path: str, data: object = None, headers: Mapping[str, str] | None = None
    ) -> ClientResponse:
        """Send a request and return the response; a repeat over a new connection has the same key.

        Raises `ProblemAnswer` and `Unreachable`.
        """
        sent = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        if method != "GET":
            sent.setdefault("Idempotency-Key", token_urlsafe(18))
        body = None if data is None else json.dumps(data).encode()
        if body is not None:
            sent["Content-Type"] = "application/json"
        try:
            return self._answer(self._exchange(method, path, body, sent, again=self._line is not None))
        except (OSError, HTTPException) as fault:
            self.close()
            raise Unreachable(f"{self.url} does not answer: {fault}") from fault

    def close(self) -> None:
        """Close the connection."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], *, again: bool
    ) -> HTTPResponse:
        """Send the request; if *again*, retry a failure once over a new connection."""
        try:
            line = self._line = self._line or self._connect()
            line.request(method, path, body, dict(headers))
            return line.getresponse()
        except (OSError, HTTPException):
            if not again:
                raise
            self.close()
            return self._exchange(method, path, body, headers, again=False)

    def _connect(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=TIMEOUT_S)

    @staticmethod
    def _answer(response: HTTPResponse) -> ClientResponse:
        raw = response.read()
        is_json = (response.getheader("Content-Type") or "").partition(";")[0] in _JSON
        data = json.loads(raw) if is_json and raw else raw.decode()
        if response.status >= _OK:
            raise ProblemAnswer(response.status, data if isinstance(data, dict) else {"detail": data})
        return ClientResponse(response.status, data, response.headers)
