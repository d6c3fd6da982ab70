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
    """Have *app* answer pages of *origins*; with none it says nothing of origins at all."""
    if not origins:
        return
    listed = frozenset(origins)

    def preflight() -> Response | None:
        return _permission(listed) if is_preflight(request) else None

    def tell(response: Response) -> Response:
        response.vary.add("Origin")
        origin = request.headers.get("Origin")
        if origin in listed:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = EXPOSED
        return response

    app.before_request(preflight)
    app.after_request(tell)


def is_preflight(asked: Request) -> bool:
    """Tell whether a browser asks what a page of another origin may send."""
    return asked.method == "OPTIONS" and "Origin" in asked.headers and _ASKED in asked.headers


_ASKED: Final = "Access-Control-Request-Method"


def _permission(listed: Collection[str]) -> Response:
    """Answer a preflight: what a listed origin may send, to another nothing."""
    response = Response(status=204)
    response.vary.update((_ASKED, "Access-Control-Request-Headers"))
    if request.headers["Origin"] in listed:
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Allow-Headers"] = SENT
        response.headers["Access-Control-Max-Age"] = str(REMEMBERED_S)
    return response
