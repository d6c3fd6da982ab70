"""A bad line between a client and the service: it loses requests and answers, and tells of trouble."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import requests
from requests.adapters import HTTPAdapter

LOST: Final = "lost"
"""The service has it, the answer never comes."""
NEVER_SENT: Final = "never sent"
BUSY: Final = "429"
AWAY: Final = "503"
UNKNOWN: Final = "504"
"""The service has it and nobody could say so."""
UNHEARD: Final = "504 before"
"""The service has not got it and nobody could say so."""
FAULTS: Final = (LOST, NEVER_SENT, BUSY, AWAY, UNKNOWN, UNHEARD)


class BadLine(HTTPAdapter):
    """Does one of *faults* to each request, in order, and nothing once they end; notes every try."""

    def __init__(self, faults: Iterable[str | None]) -> None:
        super().__init__()
        self._faults = iter(faults)
        self.tries: list[tuple[str, str, str | None]] = []

    def send(self, request: requests.PreparedRequest, *args: Any, **more: Any) -> requests.Response:
        """Send *request*, or do to it what is planned."""
        self.tries.append((request.method or "", request.path_url, request.headers.get("Idempotency-Key")))
        fault = next(self._faults, None)
        if fault == NEVER_SENT:
            raise requests.ConnectionError("planned: never sent")
        if fault in {LOST, UNKNOWN, None}:
            answer = super().send(request, *args, **more)
            if fault is None:
                return answer
            answer.close()
        if fault == LOST:
            raise requests.ConnectionError("planned: the answer is lost")
        assert fault is not None
        return _trouble(request, int(fault[:3]))


def _trouble(request: requests.PreparedRequest, status: int) -> requests.Response:
    made = requests.Response()
    made.status_code = status
    made.url = request.url or ""
    made.headers["Content-Type"] = "application/problem+json"
    made.headers["Retry-After"] = "0"
    made._content = json.dumps({"type": "/problems/planned", "title": "Planned"}).encode()  # noqa: SLF001 - so requests' own test tools do
    return made


def cut(answer: requests.Response, after: int) -> None:
    """Let the body of *answer* break off *after* so many bytes."""
    whole = answer.iter_content

    def broken(_size: int | None = None, **_more: Any) -> Iterator[bytes]:
        left = after
        for chunk in whole(None):
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0:
                raise requests.exceptions.ChunkedEncodingError("planned: cut")

    answer.iter_content = broken  # type: ignore[method-assign,assignment]  # the line breaks here alone
