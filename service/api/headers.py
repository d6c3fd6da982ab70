"""The header fields of responses beside HTTP's own: one table for the OpenAPI document and for CORS."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.operations import Operation
from service.api.shapes import Schema

FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Request-Id": "The request's id, as written to the service's log.",
        "RateLimit-Policy": "The quota: requests per minute (draft-ietf-httpapi-ratelimit-headers).",
        "RateLimit": "Requests left in the quota, and the seconds until it is reset.",
        "Rewound-Checkpoint": "The latest signed checkpoint of the line of play, `size=…, root=…`. Clients "
        "can compare it.",
        "ETag": "The version of this answer; for an answer about a command, the command's number.",
        "Link": '`rel="next"`: the next page.',
        "Location": "The address of the created resource, or of the outcome.",
        "Retry-After": "Seconds to wait before the next try.",
        "Idempotency-Key": "The idempotency key of the request, made by the server if none was sent.",
        "Idempotency-Replayed": "`true` if an earlier request with the same key took effect.",
        "Preference-Applied": "The preference of `Prefer` that was applied.",
        "WWW-Authenticate": "The expected scheme, and what is wrong with the token that was sent.",
        "Content-Disposition": "A file name for the body.",
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
    """Return the header components of the OpenAPI document."""
    return {name: {"description": text, "schema": {"type": "string"}} for name, text in FIELDS.items()}


def of(operation: Operation, status: int) -> list[str]:
    """Return the names of the header fields that *operation* may send with *status*."""
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
