"""Give the record as it is stored: commits in pages, and the dice in them."""

from __future__ import annotations

from typing import Any, Final

from service.api import event_stream
from service.api.call import Answer, Call, cursor, read_cursor
from service.api.operations import TICKET, Parameter, Shape, operation
from service.api.paging import CURSOR, paged
from service.api.problems import invalid
from service.encounter import records, views

TAG: Final = "Record"
AFTER: Final = Parameter("after", "Only what comes after this commit.", kind="whole")
ROUND: Final = Parameter("round", "Only this round.", kind="whole", least=1)
LIMIT: Final = Parameter("limit", "How many at most (default 100).", kind="whole", least=1, most=500)
PAGE: Final = 100


@operation(
    "GET",
    "/v1/encounters/{encounter}/commits",
    "listCommits",
    TAG,
    query=(AFTER, ROUND, CURSOR, LIMIT, TICKET),
    answers={200: Shape("A page of commits.", "Commits"), 304: Shape("Nothing has changed.")},
    stream="CommitStream",
    problems=("too-many-streams",),
)
def list_commits(call: Call) -> Answer:
    """List commits in order: each one's exact text, its hash, and the envelopes your seat may open.

    `hash` is SHA-256 of a zero byte and the text, and the next commit's `prev`. An envelope's commitment is
    proved by its payload and salt.

    With `Accept: text/event-stream` it is a stream (server-sent events): each commit after `after`, or after
    `Last-Event-ID`, once and in order, then each as it is made. `heartbeat` comes when you have caught up and
    at least every fifteen seconds, with the hash of your seat's view (`view` of the state); `reset` where the
    position is unknown: read the state anew, the stream goes on from there. Other parameters are refused.
    """
    if event_stream.is_wanted(call):
        return event_stream.stream(call)
    if TICKET.name in call.query:
        raise invalid(("?ticket", "Accept: text/event-stream: a ticket opens streams alone"))
    after, upto = _span(call)
    limit = call.query.get("limit", PAGE)
    page = records.page(call.host, call.encounter, call.me.seat, after, upto, limit)
    data = [records.commit_data(each) for each in page]
    last = page[-1].commit.n if page else after
    answer = paged(call, "commits", data, cursor(last, upto) if last < upto else None)
    answer.version = f"{after}-{last}-{records.head(call.host, call.encounter)}"
    return answer


@operation(
    "GET",
    "/v1/encounters/{encounter}/rolls",
    "listRolls",
    TAG,
    query=(
        ROUND,
        Parameter("creature", "Only rolls of or against this creature.", pattern=r"[a-z0-9][a-z0-9-]{0,23}"),
        CURSOR,
        LIMIT,
    ),
    answers={200: Shape("A page of rolls.", "Rolls"), 304: Shape("Nothing has changed.")},
)
def list_rolls(call: Call) -> Answer:
    """List the dice that were thrown, with what for, every face, and what made the total.

    A page holds the rolls of up to `limit` commits.
    """
    after, upto = _span(call)
    limit = call.query.get("limit", PAGE)
    page = records.page(call.host, call.encounter, call.me.seat, after, upto, limit)
    outcomes = [views.outcome_data(each.commit, each.payloads, each.reader) for each in page]
    data: list[dict[str, Any]] = views.rolls_of(outcomes, call.query.get("creature"))
    last = page[-1].commit.n if page else after
    extra = f"&creature={call.query['creature']}" if "creature" in call.query else ""
    answer = paged(call, "rolls", data, cursor(last, upto) if last < upto else None, extra)
    answer.version = f"{after}-{last}-{records.head(call.host, call.encounter)}"
    return answer


def _span(call: Call) -> tuple[int, int]:
    """Return which commits are asked for: after the first number, up to the second."""
    query = call.query
    if "cursor" in query:
        if "round" in query or "after" in query:
            raise invalid(("?cursor", "a cursor alone: it stands for the whole question"))
        after, upto = read_cursor(query["cursor"], 2)
        return after, upto
    after, upto = query.get("after", 0), records.head(call.host, call.encounter)
    if "round" in query:
        span = next((s for s in records.rounds(call.host, call.encounter) if s.round == query["round"]), None)
        if span is None:
            raise invalid(("?round", "a round that has begun"))
        after, upto = max(after, span.first - 1), span.last or upto
    return after, max(after, upto)
