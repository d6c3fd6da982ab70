"""Send requests so that each takes effect once: all tries share one idempotency key.

A request is retried if it got no answer, if the service asks to send it later (429 or 503 with
`Retry-After`), or if its outcome is unknown (504). After a 504 the client first asks for the key's outcome.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import uuid4

import requests
from requests.auth import AuthBase

from rewound_client.errors import Problem, Unreachable, problem

KEY: Final = "Idempotency-Key"
LATER: Final = frozenset({429, 503, 504})
"""The statuses after which the same request is sent again."""
JSON: Final = frozenset({"application/json", "application/problem+json"})
UNKNOWN: Final = 504
PROBLEMS: Final = 400
"""The lowest status of a problem."""
WAIT_S: Final = 30
"""The longest wait for an outcome in one request, in seconds: the longest that the service allows."""
CONNECT_S: Final = 10.0
ANSWER_S: Final = 45.0
"""The timeout for an answer, longer than `WAIT_S`."""

Json = dict[str, Any]
"""An object of JSON."""
Query = Mapping[str, "str | int | None"]
Settle = Callable[[str], "Reply | None"]


@dataclass(frozen=True)
class RetryPolicy:
    """How long to retry a request, and the first and longest pause between tries, in seconds."""

    total_s: float = 60.0
    first_s: float = 0.1
    longest_s: float = 5.0


@dataclass(frozen=True)
class Request:
    """A request: its path below the address, its body (JSON or bytes), its query and its headers."""

    method: str
    path: str
    data: object = None
    query: Query | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    commands: Sequence[Mapping[str, Any]] = ()
    """The commands that it appends, in order, as a seat with a key signs them."""

    def keyed(self) -> Request:
        """Return the request with an idempotency key, unless it has one or is a GET."""
        if self.method == "GET" or KEY in self.headers:
            return self
        return replace(self, headers={**self.headers, KEY: f'"{uuid4()}"'})

    @property
    def key(self) -> str:
        """The idempotency key, without its quotes."""
        return self.headers[KEY].strip('"')


@dataclass(frozen=True)
class Reply:
    """The service's answer."""

    status: int
    data: Any
    headers: Mapping[str, str]


class _Bearer(AuthBase):
    """Sends the token with each request, so that `requests` does not use a `.netrc`."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class Transport:
    """One caller: an address, a token, and a `requests` session, which callers may share."""

    def __init__(
        self,
        address: str,
        token: str,
        session: requests.Session,
        retry_policy: RetryPolicy,
        line: str | None = None,
    ) -> None:
        self.address = address.rstrip("/")
        self.session = session
        self.retry_policy = retry_policy
        self._token = token
        self.line = line
        """The line of play that its requests are about; None: the one that is played."""

    def speaking_for(self, token: str) -> Transport:
        """Return a caller with another *token* and the same session."""
        return Transport(self.address, token, self.session, self.retry_policy, self.line)

    def in_line(self, line: str | None) -> Transport:
        """Return the same caller, whose requests are about a line of play; None: the one that is played."""
        return Transport(self.address, self._token, self.session, self.retry_policy, line)

    def get(self, path: str, query: Query | None = None, *, wait_s: float | None = None) -> Any:  # noqa: ANN401 - JSON
        """Return the body at *path*; raises `Problem` and `Unreachable`."""
        headers = {} if wait_s is None else prefer(wait_s)
        return self.call(Request("GET", path, query=query, headers=headers)).data

    def call(self, request: Request, settle: Settle | None = None) -> Reply:
        """Send *request* until it has a final answer; raises `Problem` and `Unreachable`.

        *settle* returns the outcome of an idempotency key; it is called if the outcome is unknown (504).
        """
        request = request.keyed()
        pauses = Pauses(self.retry_policy)
        while True:
            try:
                return self._send_once(request)
            except Unreachable:
                if not pauses.rest():
                    raise
            except Problem as fault:
                if fault.status not in LATER or not pauses.rest(fault.retry_after_s):
                    raise
                settled = settle(request.key) if settle and fault.status == UNKNOWN else None
                if settled is not None:
                    return settled

    def _send_once(self, request: Request) -> Reply:
        with translated(), self.ask(request) as answer:
            read = _read(answer)
        if answer.status_code >= PROBLEMS:
            raise refusal(answer, read)
        return Reply(answer.status_code, read, answer.headers)

    def ask(self, request: Request, *, stream: bool = False, answer_s: float = ANSWER_S) -> requests.Response:
        """Send *request* once. A body of bytes is a file: a bundle, a map, a list."""
        raw = request.data if isinstance(request.data, bytes) else None
        kind = {} if raw is None else {"Content-Type": "application/octet-stream"}
        return self.session.request(
            request.method,
            self.address + request.path,
            params={
                name: value
                for name, value in {"line": self.line, **(request.query or {})}.items()
                if value is not None
            },
            headers={**request.headers, **kind},
            data=raw,
            json=None if raw is not None else request.data,
            auth=_Bearer(self._token),
            timeout=(CONNECT_S, answer_s),
            allow_redirects=False,
            stream=stream,
        )


class Pauses:
    """The pauses between tries: longer and longer, with jitter, until the time for retries ends."""

    def __init__(self, retry_policy: RetryPolicy) -> None:
        self._policy = retry_policy
        self.begin()

    def begin(self) -> None:
        """Start over, after an answer."""
        self._ends = time.monotonic() + self._policy.total_s
        self._next_s = self._policy.first_s

    def rest(self, asked_s: float | None = None) -> bool:
        """Pause for at least *asked_s* seconds; return False at once if no time for a retry would be left."""
        pause_s = max(asked_s or 0.0, self._next_s * random.uniform(0.5, 1.0))  # noqa: S311 - no secret
        self._next_s = min(self._next_s * 2, self._policy.longest_s)
        if time.monotonic() + pause_s > self._ends:
            return False
        time.sleep(pause_s)
        return True


@contextmanager
def translated() -> Iterator[None]:
    """Turn connection errors and timeouts in the `with` block into `Unreachable`."""
    try:
        yield
    except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as fault:
        raise Unreachable(str(fault)) from fault


def prefer(wait_s: float) -> dict[str, str]:
    """Return the `Prefer` header for a wait of *wait_s*, in whole seconds, at most thirty."""
    seconds = min(int(wait_s), WAIT_S)
    return {"Prefer": f"wait={seconds}" if seconds > 0 else "respond-async"}


def refusal(answer: requests.Response, read: object) -> Problem:
    """Return the problem in *answer*, whose body is *read*."""
    seconds = answer.headers.get("Retry-After", "")
    data = read if isinstance(read, dict) else {}
    return problem(answer.status_code, data, float(seconds) if seconds.isdigit() else None)


def _read(answer: requests.Response) -> Any:  # noqa: ANN401 - JSON, or bytes where the answer is no JSON
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    return answer.json() if kind in JSON and answer.content else answer.content
