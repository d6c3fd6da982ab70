"""Compare two points: of one encounter, or of an encounter and a line or what-if that goes on from it."""

from __future__ import annotations

from typing import Final

from service.api.answers import BETWEEN
from service.api.call import Answer, Call, cursor, read_cursor
from service.api.operations import READERS, Parameter, Shape, operation
from service.api.paging import CURSOR, next_link
from service.api.problems import Problem, invalid, not_found
from service.api.resources.commits import LIMIT, PAGE
from service.api.shapes import TEXT, closed, component, maybe
from service.encounter.lines.accepting import is_draft
from service.encounter.reading import differences, records
from service.rules.table import GM

TAG: Final = "State"
DIFFERENCE: Final = component(
    "Difference", closed("The way from one point to another.", None, **BETWEEN, next_cursor=maybe(TEXT))
)


@operation(
    "GET",
    "/v1/encounters/{encounter}/diff",
    "getDiff",
    TAG,
    roles=READERS,
    query=(
        Parameter("from", "The commit to start from.", kind="whole", least=1, required=True),
        Parameter("to", "The commit to come to (default: the newest).", kind="whole", least=1),
        Parameter(
            "with",
            "The encounter in which `to` lies: one that goes on from this one, or from which this one does.",
            pattern=r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        ),
        CURSOR,
        LIMIT,
    ),
    answers={200: Shape("The difference.", DIFFERENCE)},
)
def get_diff(call: Call) -> Answer:
    """Tell the way from one point to another: a patch between your views, and the events on each side.

    The patch is RFC 6902. Between two encounters, members that only say which line of play it is are left
    out, and the events of each side are those since the two parted. A page holds the events of up to `limit`
    commits, those of the side of `from` first, and the whole patch.
    """
    other = call.query.get("with", call.encounter)
    if other != call.encounter:
        _check_other(call, other)
    start, end, skip = _span(call, other)
    before, after = differences.Point(call.encounter, start), differences.Point(other, end)
    try:
        data, told = differences.between(
            call.host, before, after, call.me.seat, skip, call.query.get("limit", PAGE)
        )
    except LookupError as fault:
        raise invalid(("?with", "an encounter that goes on from this one, or from which it does")) from fault
    next_cursor = None if told is None else cursor(start, end, told)
    with_ = f"&with={other}" if other != call.encounter else ""
    link = next_link(call, next_cursor, f"&from={start}&to={end}{with_}")
    return Answer(data | {"next_cursor": next_cursor}, headers=link)


def _span(call: Call, other: str) -> tuple[int, int, int]:
    """Return the commits to compare, and of how many commits the events were told before."""
    start, end = _point(call, call.encounter, "from"), _point(call, other, "to")
    if "cursor" not in call.query:
        return start, end, 0
    first, last, skip = read_cursor(call.query["cursor"], 3)
    if first != start or last != call.query.get("to", last) or last > records.head(call.host, other):
        raise invalid(("?cursor", "a cursor that this question gave"))
    return start, last, skip


def _point(call: Call, encounter: str, name: str) -> int:
    newest = records.head(call.host, encounter)
    n: int = call.query.get(name, newest)
    if n > newest:
        raise invalid((f"?{name}", f"at most {newest}, the newest version"))
    return n


def _check_other(call: Call, other: str) -> None:
    """Hide what is another's, and from players what is only proposed, as what does not exist."""
    register = call.host.register
    mine, theirs = register.find(call.encounter), register.find(other)
    if mine is None or theirs is None or mine.owner != theirs.owner:
        raise not_found()
    if call.me.role == GM and theirs.has_expired(call.host.clock()):
        raise Problem("fork-expired", f"{other} was kept until {theirs.expires}")
    if call.host.log.head(other) is None:
        raise not_found()
    if call.me.role == GM:
        return
    if register.root(other) != register.root(call.encounter) or is_draft(call.host, other):
        raise not_found()
