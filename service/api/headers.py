"""Say which fields an answer may carry beside HTTP's own: one table for the contract and for browsers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.operations import Operation
from service.api.shapes import Schema

FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Request-Id": "The request's id, as it stands in the log.",
        "RateLimit-Policy": "What may be asked in a minute (draft-ietf-httpapi-ratelimit-headers).",
        "RateLimit": "What is left of it, and in how many seconds it is whole again.",
        "Rewound-Checkpoint": "The latest signed head: `size=…, root=…`. Two clients can compare it.",
        "ETag": "What this answer was told from; of one about a command, its number.",
        "Link": 'Where to go on: `rel="next"`, or `rel="successor-version"` for the line that goes on.',
        "Location": "Where what was made, or what became of it, is found.",
        "Retry-After": "Seconds after which to come back.",
        "Idempotency-Key": "The key of the request, made by the server where none was sent.",
        "Idempotency-Replayed": "`true`: this is what an earlier request with the same key did.",
        "Preference-Applied": "What of `Prefer` was heeded.",
        "WWW-Authenticate": "What kind of token is wanted, and what is wrong with the one that was sent.",
        "Content-Disposition": "Under which name to keep it.",
        "Repr-Digest": "SHA-256 of the body (RFC 9530).",
    }
)

_LATER: Final = 202
_WAIT: Final = (_LATER, 429, 503, 507)
_CHANGED: Final = 412
_MADE: Final = (200, 201, 202)
_UNKNOWN: Final = 401
_BAD: Final = 400


def components() -> dict[str, Schema]:
    """Return the fields as the contract describes them."""
    return {name: {"description": text, "schema": {"type": "string"}} for name, text in FIELDS.items()}


def of(operation: Operation, status: int) -> list[str]:
    """Return the names of the fields that an answer of *operation* with *status* may carry."""
    is_read = operation.method == "GET" and status < _BAD
    declared = operation.answers[status].headers if status in operation.answers else ()
    is_paged = any(each.name == "cursor" for each in operation.query)
    has = {
        "Request-Id": True,
        "RateLimit-Policy": not operation.is_probe,
        "RateLimit": not operation.is_probe,
        "Rewound-Checkpoint": operation.is_inside,
        "ETag": status == _CHANGED
        or (
            status < _BAD
            and (operation.waits or (operation.is_inside and is_read) or operation.is_conditional)
        ),
        "Link": status < _BAD and is_paged,
        "Location": status in _MADE and (operation.method == "POST" or operation.waits or status == _LATER),
        "Retry-After": status in _WAIT,
        "Idempotency-Key": operation.is_repeatable,
        "Idempotency-Replayed": operation.is_repeatable,
        "Preference-Applied": operation.waits,
        "WWW-Authenticate": status == _UNKNOWN,
        "Content-Disposition": False,
        "Repr-Digest": False,
    }
    assert has.keys() == FIELDS.keys(), "one line for each field"
    return [name for name, may_be in has.items() if may_be or name in declared]
