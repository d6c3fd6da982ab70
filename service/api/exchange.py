"""A request as it arrived and a response as it leaves, independent of the HTTP server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from werkzeug.datastructures import Headers

from service.rules.kernel.meter import Stop
from service.steps import Pause, Stream

Fields = Headers | Mapping[str, str]
"""The header fields of a request; `get` takes a name in lower case."""


@dataclass(frozen=True, slots=True)
class RequestHead:
    """One request without its body."""

    method: str
    path: str
    query_text: str
    given: Mapping[str, list[str]]
    """Query parameters as sent, each with all its values."""
    headers: Fields
    address: str
    """The client's address, according to trusted proxies."""
    length: int
    """The declared length of the body in bytes, 0 if none is declared."""
    body: Callable[[int], Pause[bytes]]
    """Returns a pause that yields the body; its argument is the limit in bytes (`RequestEntityTooLarge`)."""
    stop: Stop = field(default_factory=Stop)
    """What stops a read that nobody waits for, or that takes too long."""


@dataclass(slots=True)
class Reply:
    """One response. The parts of a stream are sent one by one; a body is sent whole, with its length."""

    status: int
    headers: dict[str, str]
    body: bytes | Stream[bytes]
