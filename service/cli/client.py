"""Call the HTTP API as any client would: nothing here knows more of the service than its contract.

Every command carries an idempotency key, so a repeat after a lost connection is harmless; it is made once.
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
"""Longer than the longest wait for an outcome."""

_JSON: Final = frozenset({"application/json", "application/problem+json"})
"""What is one JSON document: a bundle is one on each line."""

_OK: Final = 400
"""Answers with a status from here on are problems."""


class Unreachable(Exception):
    """Say that no service answers at an address."""


class ProblemAnswer(Exception):
    """Say that the service refused: its problem document, and the status."""

    def __init__(self, status: int, data: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {data.get('title', '')}: {data.get('detail', '')}")
        self.status = status
        self.data = data

    @property
    def code(self) -> str | None:
        """Why the rules refused a command, if they did."""
        code = self.data.get("code")
        return code if isinstance(code, str) else None


@dataclass(frozen=True)
class ClientResponse:
    """What the service answered."""

    status: int
    data: Any
    headers: Message
    """By name, in any case."""


@dataclass
class Client:
    """One caller of the service at *url*, with an API key or a seat's token."""

    url: str
    token: str | None = field(default=None, repr=False)
    _line: HTTPConnection | None = field(default=None, repr=False)

    def as_seat(self, token: str) -> Client:
        """Return another caller of the same service."""
        return Client(self.url, token)

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """Return what stands at *path*; raises `ProblemAnswer` and `Unreachable`."""
        return self.send("GET", path).data

    def post(self, path: str, data: object, **headers: str) -> ClientResponse:
        """Send *data* once; raises `ProblemAnswer` and `Unreachable`."""
        return self.send("POST", path, data, headers)

    def send(
        self, method: str, path: str, data: object = None, headers: Mapping[str, str] | None = None
    ) -> ClientResponse:
        """Send a request and read its answer; a repeat over a new connection has the same key."""
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
        """Give the connection back."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], *, again: bool
    ) -> HTTPResponse:
        """Send the request; once more over a new connection if a kept one had gone stale."""
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
