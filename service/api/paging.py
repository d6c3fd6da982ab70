"""Give long lists in pages: an opaque cursor, a limit, a link to the next."""

from __future__ import annotations

from typing import Any, Final

from service.api.call import Answer, Call
from service.api.operations import Parameter

CURSOR: Final = Parameter("cursor", "Where to go on: `next_cursor` of an earlier answer.")
PAGE_LIMIT: Final = Parameter("limit", "How many at most (default 50).", kind="whole", least=1, most=200)
PAGE: Final = 50


def paged(call: Call, name: str, data: list[Any], next_cursor: str | None, extra: str = "") -> Answer:
    """Return one page, with the link to the next where there may be one."""
    headers = next_link(call, next_cursor, extra)
    return Answer({name: data, "next_cursor": next_cursor}, headers=headers)


def next_link(call: Call, next_cursor: str | None, extra: str = "") -> dict[str, str]:
    """Return the header that leads to the next page, nothing where there is none."""
    if next_cursor is None:
        return {}
    limit = f"&limit={call.query['limit']}" if "limit" in call.query else ""
    return {"Link": f'<{call.target}?cursor={next_cursor}{limit}{extra}>; rel="next"'}
