"""Let pages of listed origins read answers in a browser (CORS): nobody's, unless the operator lists them.

Laws. An origin is compared whole and is never a pattern. No cookie is understood here, so none is allowed: a
page sends its token itself. Every answer varies by `Origin` where any origin is listed, so that no cache
hands one page's answer to another. A preflight asks no credentials, reads nothing and is counted nowhere.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from flask import Flask, Request, Response, request

from service.api.headers import FIELDS

METHODS: Final = "GET, HEAD, POST, PATCH, DELETE"
SENT: Final = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, "
    "Cache-Control"
)
"""What a page may send beside what every page may."""

EXPOSED: Final = ", ".join((*FIELDS, "Allow"))
"""What a page may read of an answer beside its body."""

REMEMBERED_S: Final = 7_200
"""How long a browser may remember a preflight; the longest that all of them keep."""


def allow(app: Flask, origins: Collection[str]) -> None:
    """Have *app* answer preflights of *origins*; with none it knows no preflight."""
    if not origins:
        return

    def preflight() -> Response | None:
        return _permission(origins) if is_preflight(request) else None

    app.before_request(preflight)


def add(headers: dict[str, str], listed: Collection[str], origin: str | None) -> None:
    """Add to the *headers* of an answer what a page of *origin* may read of it."""
    if not listed:
        return
    headers["Vary"] = f"{headers['Vary']}, Origin" if "Vary" in headers else "Origin"
    if origin is not None and origin in listed:
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED


def is_preflight(asked: Request) -> bool:
    """Tell whether a browser asks what a page of another origin may send."""
    return asked.method == "OPTIONS" and "Origin" in asked.headers and _ASKED in asked.headers


_ASKED: Final = "Access-Control-Request-Method"


def _permission(listed: Collection[str]) -> Response:
    """Answer a preflight: what a listed origin may send, to another nothing."""
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
