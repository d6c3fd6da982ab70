"""Cross-origin requests (CORS): pages of the origins that the operator lists may read answers in a browser.

Laws. Origins are compared exactly, never as patterns. The API uses no cookies, so credentials are not
allowed: a page sends its token itself. If any origin is listed, every answer varies by `Origin`, so that no
cache serves one page's answer to another. A preflight needs no credentials, reads no data and is not counted.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from flask import Flask, Request, Response, request

from service.api.headers import FIELDS

METHODS: Final = "GET, HEAD, POST, PATCH, DELETE"
SENT: Final = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, "
    "Cache-Control, Rewound-Signature"
)
"""The request header fields that a page may send beside those that CORS always permits."""

EXPOSED: Final = ", ".join((*FIELDS, "Allow"))
"""The response header fields that a page may read."""

REMEMBERED_S: Final = 7_200
"""Seconds a browser may cache a preflight; the longest time that all browsers support."""


def allow(app: Flask, origins: Collection[str]) -> None:
    """Make *app* answer preflights of *origins*; without origins, *app* stays unchanged."""
    if not origins:
        return

    def preflight() -> Response | None:
        return _permission(origins) if is_preflight(request) else None

    app.before_request(preflight)


def add(headers: dict[str, str], listed: Collection[str], origin: str | None) -> None:
    """Add CORS fields to the *headers* of a response to a page of *origin*; none if *listed* is empty."""
    if not listed:
        return
    headers["Vary"] = f"{headers['Vary']}, Origin" if "Vary" in headers else "Origin"
    if origin is not None and origin in listed:
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED


def is_preflight(asked: Request) -> bool:
    """Return whether the request *asked* is a CORS preflight."""
    return asked.method == "OPTIONS" and "Origin" in asked.headers and _ASKED in asked.headers


_ASKED: Final = "Access-Control-Request-Method"


def _permission(listed: Collection[str]) -> Response:
    """Return the answer to a preflight, with permissions only if the origin is one of *listed*."""
    response = Response(status=204)
    response.vary.update((_ASKED, "Access-Control-Request-Headers", "Origin"))
    origin = request.headers["Origin"]
    if origin in listed:
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = EXPOSED
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Allow-Headers"] = SENT
        response.headers["Access-Control-Max-Age"] = str(REMEMBERED_S)
    return response
