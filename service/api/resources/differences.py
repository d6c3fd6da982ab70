"""Compare two versions of an encounter, or of an encounter and a line or fork that continues it."""

from __future__ import annotations

from typing import Final

from service.api import parameters
from service.api.answers import BETWEEN, EVENTS
from service.api.operations import READERS, ResponseSchema, operation
from service.api.paging import CURSOR, next_link
from service.api.parameters import Parameter
from service.api.problems import Problem, invalid, not_found
from service.api.request import ApiRequest, ApiResponse, cursor, read_cursor
from service.api.resources.commits import LIMIT, PAGE
from service.api.shapes import TEXT, closed, component, maybe
from service.rules.table.table import GM
from service.usecases import differences, reading
from service.usecases.accepted_lines import is_draft

TAG: Final = "State"
DIFFERENCE: Final = component(
    "Difference",
    closed("The difference between two points.", {"events": EVENTS}, **BETWEEN, next_cursor=maybe(TEXT)),
)


@operation(
    "GET",
    "/v1/encounters/{encounter}/diff",
    "getDiff",
    TAG,
    roles=READERS,
    query=(
        Parameter("start", "The commit to start from.", kind="whole", least=1, required=True),
        Parameter("end", "The commit to compare with (default: the newest).", kind="whole", least=1),
        Parameter(
            "other",
            "The encounter of `end`: one that continues this encounter, or that this encounter continues.",
            pattern=r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        ),
        parameters.EVENTS,
        CURSOR,
        LIMIT,
    ),
    answers={200: ResponseSchema("The difference.", DIFFERENCE)},
)
def get_diff(request: ApiRequest) -> ApiResponse:
    """Compare two points: a patch (RFC 6902) between your views, and on request the events on each side.

    Between two encounters, the patch omits members that only identify the line of play. With `?events=true`
    the answer also has the events of each side since the last common commit, in pages: a page has the events
    of up to `limit` commits, beginning with those of `start`, and always the whole patch.
    """
    other = request.query.get("other", request.encounter)
    if other != request.encounter:
        _check_other(request, other)
    start, end, skip = _span(request, other)
    before, after = differences.DiffEnd(request.encounter, start), differences.DiffEnd(other, end)
    limit = request.query.get("limit", PAGE) if parameters.EVENTS.name in request.query else 0
    try:
        data, next_position = differences.between(
            request.services, before, after, request.me.seat, skip, limit
        )
    except LookupError as fault:
        raise invalid(("?other", "an encounter that continues this one, or one that it continues")) from fault
    next_cursor = None if next_position is None else cursor(request, start, end, next_position)
    elsewhere = f"&other={other}" if other != request.encounter else ""
    link = next_link(request, next_cursor, f"&start={start}&end={end}{elsewhere}&events=true")
    return ApiResponse(data | {"next_cursor": next_cursor}, headers=link)


def _span(request: ApiRequest, other: str) -> tuple[int, int, int]:
    """Return the two commits to compare, and how many commits earlier pages covered."""
    start, end = _point(request, request.encounter, "start"), _point(request, other, "end")
    if "cursor" not in request.query:
        return start, end, 0
    first, last, skip = read_cursor(request, 3)
    if (
        first != start
        or last != request.query.get("end", last)
        or last > reading.head(request.services, other)
    ):
        raise invalid(("?cursor", "a cursor from an earlier answer to the same query"))
    return start, last, skip


def _point(request: ApiRequest, encounter: str, name: str) -> int:
    newest = reading.head(request.services, encounter)
    n: int = request.query.get(name, newest)
    if n > newest:
        raise invalid((f"?{name}", f"at most {newest}, the newest version"))
    return n


def _check_other(request: ApiRequest, other: str) -> None:
    """Raise `not-found` if *other* is another owner's, or if a seat other than the gm's may not see it."""
    register = request.services.encounters
    mine, theirs = register.find(request.encounter), register.find(other)
    if mine is None or theirs is None or mine.owner != theirs.owner:
        raise not_found()
    if request.me.role == GM and theirs.has_expired(request.services.clock()):
        raise Problem("fork-expired", f"{other} expired at {theirs.expires}")
    if request.services.log.head(other) is None:
        raise not_found()
    if request.me.role == GM:
        return
    if register.root(other) != register.root(request.encounter) or is_draft(request.services, other):
        raise not_found()
