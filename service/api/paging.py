"""Page long lists with an opaque cursor, a limit and a link to the next page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import quote

from service.api.parameters import Parameter
from service.api.request import ApiRequest, ApiResponse, cursor, read_cursor

T = TypeVar("T")

CURSOR: Final = Parameter("cursor", "The `next_cursor` of an earlier answer, to continue after it.")
PAGE_LIMIT: Final = Parameter(
    "limit", "Maximum number of items (default 50).", kind="whole", least=1, most=200
)
PAGE: Final = 50
BATCH: Final = 200
SCANNED: Final = 2_000
"""Items that one request looks at to fill its page, when most of them are left out."""


def paged(
    request: ApiRequest, name: str, data: Sequence[Any], next_cursor: str | None, extra: str = ""
) -> ApiResponse:
    """Return one page, with a link to the next unless *next_cursor* is None."""
    headers = next_link(request, next_cursor, extra)
    return ApiResponse({name: data, "next_cursor": next_cursor}, headers=headers)


def newest_first(
    request: ApiRequest,
    name: str,
    read: Callable[[int | None, int], Iterable[tuple[int, T]]],
    shown: Callable[[T], Mapping[str, Any] | None],
    extra: str = "",
) -> ApiResponse:
    """Return one page of a list, the newest item first.

    *read* returns up to a limit of items before a number (None: all), each with its number. An item for which
    *shown* returns None is left out. The last page has no cursor. A page has fewer items than its limit only
    if it is the last one, or if more than `SCANNED` items were left out.
    """
    before = read_cursor(request, 1)[0] if "cursor" in request.query else None
    limit = request.query.get("limit", PAGE)
    data: list[Mapping[str, Any]] = []
    last = before
    scanned, batch = 0, limit + 1
    while scanned < SCANNED:
        found = list(read(before, batch))
        for number, each in found:
            item = shown(each)
            if item is None:
                continue
            if len(data) == limit:
                return paged(request, name, data, cursor(request, last or 0), extra)
            data.append(item)
            last = number
        if len(found) < batch:
            return paged(request, name, data, None)
        scanned, before, batch = scanned + len(found), found[-1][0], BATCH
    return paged(request, name, data, cursor(request, before or 0), extra)


def passed_on(request: ApiRequest, *parameters: Parameter) -> str:
    """Return what the link to the next page repeats of *parameters*."""
    sent = {each.name: request.query[each.name] for each in parameters if each.name in request.query}
    return "".join(f"&{name}={quote(str(value))}" for name, value in sent.items())


def next_link(request: ApiRequest, next_cursor: str | None, extra: str = "") -> dict[str, str]:
    """Return the `Link` header to the next page, nothing if *next_cursor* is None."""
    if next_cursor is None:
        return {}
    limit = f"&limit={request.query['limit']}" if "limit" in request.query else ""
    return {"Link": f'<{request.target}?cursor={next_cursor}{limit}{extra}>; rel="next"'}
