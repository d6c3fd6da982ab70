"""Page long lists with an opaque cursor, a limit and a link to the next page."""

from __future__ import annotations

from typing import Any, Final

from service.api.parameters import Parameter
from service.api.request import ApiRequest, ApiResponse

CURSOR: Final = Parameter("cursor", "The `next_cursor` of an earlier answer, to continue after it.")
PAGE_LIMIT: Final = Parameter(
    "limit", "Maximum number of items (default 50).", kind="whole", least=1, most=200
)
PAGE: Final = 50


def paged(
    request: ApiRequest, name: str, data: list[Any], next_cursor: str | None, extra: str = ""
) -> ApiResponse:
    """Return one page, with a link to the next unless *next_cursor* is None."""
    headers = next_link(request, next_cursor, extra)
    return ApiResponse({name: data, "next_cursor": next_cursor}, headers=headers)


def next_link(request: ApiRequest, next_cursor: str | None, extra: str = "") -> dict[str, str]:
    """Return the `Link` header to the next page, nothing if *next_cursor* is None."""
    if next_cursor is None:
        return {}
    limit = f"&limit={request.query['limit']}" if "limit" in request.query else ""
    return {"Link": f'<{request.target}?cursor={next_cursor}{limit}{extra}>; rel="next"'}
