"""Hold one request as it came and one answer as it leaves, whoever serves HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from werkzeug.datastructures import Headers

from service.steps import Pause, Stream

Fields = Headers | Mapping[str, str]
"""The fields of a request, asked by `get` with the name in any case."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, but for its body."""

    method: str
    path: str
    query_text: str
    given: Mapping[str, list[str]]
    """Query parameters as sent, each with every value it was given."""
    headers: Fields
    address: str
    """Where it came from, as far as proxies that are trusted say."""
    length: int
    """The declared length of the body in bytes, 0 where none is declared."""
    body: Callable[[int], Pause[bytes]]
    """Returns the wait for the body; it raises `RequestEntityTooLarge` past so many bytes."""


@dataclass(slots=True)
class Reply:
    """One answer. A stream's parts are sent as they come; a body is sent whole, with its length."""

    status: int
    headers: dict[str, str]
    body: bytes | Stream[bytes]
